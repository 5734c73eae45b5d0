/** The tree as an outline with the roles, names and keys that screen readers know (WAI-ARIA's tree pattern). */
import type { VNode } from 'preact';
import { StateSign, stateWords } from '../parts.tsx';
import { toggleFold } from './tree-fold.ts';
import type { ShownNode } from './tree-fold.ts';
import { activeId, folded, sightWish } from './tree-state.ts';
import type { TreeState } from './tree-state.ts';
import { renderWork } from './tree-work.ts';
import type { TreeWork } from './tree-work.ts';
import { VirtualList } from '../virtual-list.tsx';
import { Line } from '../words.tsx';

export interface CurrentNode {
  readonly id: string | null;
  readonly word: 'current' | 'next' | 'stuck';
}

interface TreeListProps {
  readonly state: TreeState;
  readonly work: TreeWork;
  readonly current: CurrentNode;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

const rowHeight = 26;

export function TreeList({ state, work, current, onKeyDown }: TreeListProps): VNode {
  const { shown, active } = state;
  const found = new Set(state.found);
  return (
    <VirtualList
      class="tree-list"
      role="tree"
      label="Task tree"
      count={shown.length}
      rowHeight={rowHeight}
      active={active}
      sight={`${sightWish.value} ${shown[active]?.node.id ?? ''}`}
      activeId={`tree-row-${active}`}
      onKeyDown={onKeyDown}
      row={(index) => {
        const item = shown[index];
        if (item === undefined) return null;
        const { id } = item.node;
        return (
          <TreeRow
            key={id}
            index={index}
            item={item}
            work={renderWork(item.node, work)}
            isActive={index === active}
            tag={id === current.id && current.word !== 'stuck' ? current.word : null}
            isFound={found.has(id)}
          />
        );
      }}
    />
  );
}

interface TreeRowProps {
  readonly index: number;
  readonly item: ShownNode;
  /** Attempts, time and cost. */
  readonly work: string;
  readonly isActive: boolean;
  /** Of the node that is worked on or comes next; null: another one. */
  readonly tag: string | null;
  readonly isFound: boolean;
}

function TreeRow({ index, item, work, isActive, tag, isFound }: TreeRowProps): VNode {
  const { node, depth, state, isFolded, position, siblings } = item;
  const hasChildren = node.children.length > 0;
  const classes = [
    'tree-row',
    ...(isActive ? ['is-active'] : []),
    ...(tag === null ? [] : ['is-current']),
    ...(isFound ? ['is-found'] : []),
  ];
  const press = (): void => {
    if (activeId.value === node.id && hasChildren)
      folded.value = toggleFold(folded.value ?? new Set(), node.id);
    activeId.value = node.id;
  };
  return (
    <div
      id={`tree-row-${index}`}
      class={classes.join(' ')}
      role="treeitem"
      aria-level={depth}
      aria-setsize={siblings}
      aria-posinset={position}
      aria-selected={isActive}
      aria-expanded={hasChildren ? !isFolded : undefined}
      aria-current={tag === null ? undefined : 'true'}
      data-node={node.id}
      data-state={state}
      style={{ paddingLeft: `${8 + Math.min(depth - 1, 40) * 18}px` }}
      onClick={press}
    >
      <span class="fold" aria-hidden="true">
        {hasChildren ? (isFolded ? '▸' : '▾') : ''}
      </span>
      <StateSign state={state} />
      <span class="sr-only">{stateWords[state]}, </span>
      <Line text={node.title} />
      <span class="muted mono tree-id">
        <Line text={node.id} max={100} />
      </span>
      {tag !== null && <span class="tag">{tag}</span>}
      {work !== '' && <span class="muted number tree-work">{work}</span>}
    </div>
  );
}

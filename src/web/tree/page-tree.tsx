/** *Tree*: all nodes with their state, as a drawing or as a list, with search, and the active node beside it; or its leaves as a board. */
import type { VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { listLeaves } from '../../core/views/board.ts';
import type { StatusAnswer } from '../../core/views/web-api.ts';
import type { TreeNode } from '../../core/types.ts';
import { Board } from '../board.tsx';
import { atWorkIn, currentNodeOf } from '../current.ts';
import { isAfterGo } from '../keys.ts';
import { Empty, Failed, Loading } from '../parts.tsx';
import { hrefOf, hrefOfNode, treeViews } from '../routes.ts';
import type { Route, TreeView } from '../routes.ts';
import { isMissing, source, useRuns, useStatus, useTree } from '../store.ts';
import { ActiveNode } from './active-node.tsx';
import { TreeDrawing } from './tree-drawing.tsx';
import { foldAll } from './tree-fold.ts';
import { moveInTree } from './tree-keys.ts';
import { TreeList } from './tree-list.tsx';
import type { CurrentNode } from './tree-list.tsx';
import { activeId, folded, goToFound, goToNode, query, useTreeState } from './tree-state.ts';
import type { TreeState } from './tree-state.ts';
import { sumWork } from './tree-work.ts';
import type { TreeWork } from './tree-work.ts';

type TreeRoute = Extract<Route, { readonly page: 'tree' }>;

export function TreePage({ route }: { readonly route: TreeRoute }): VNode {
  const { value: tree, failure } = useTree();
  const { value: status, failure: noStatus } = useStatus();
  if (tree === null) {
    if (failure === null) return <Loading />;
    if (isMissing(failure) && source.exported === null) {
      return (
        <Empty title="There is no tree yet">
          Make one with <code>runner init</code>, then <code>runner start</code>. It appears here by itself.
        </Empty>
      );
    }
    return <Failed failure={failure} />;
  }
  // What is worked on decides what is in sight first; a view that jumps there later would be in the way.
  if (status === null && noStatus === null) return <Loading />;
  if (viewOf(route) === 'board') return <TreeBoard tree={tree} route={route} status={status} />;
  const current = { id: currentNodeOf(status), word: wordOf(status) };
  return <Tree tree={tree} route={route} current={current} />;
}

/** What a stuck task waits for is no iteration. */
function wordOf(status: StatusAnswer | null): CurrentNode['word'] {
  if (status?.next.status === 'stuck') return 'stuck';
  return status?.runner === null ? 'next' : 'current';
}

interface TreeBoardProps {
  readonly tree: TreeNode;
  readonly route: TreeRoute;
  readonly status: StatusAnswer | null;
}

function TreeBoard({ tree, route, status }: TreeBoardProps): VNode {
  const atWork = status === null ? null : atWorkIn(status);
  return (
    <div class="tree-page">
      <div class="toolbar" role="toolbar" aria-label="Tree">
        <span class="spring" />
        <Views route={route} />
      </div>
      <Board leaves={listLeaves(tree, atWork)} hrefOfLeaf={hrefOfNode} />
    </div>
  );
}

/** On a phone a drawing is too small to read. */
function viewOf({ view }: TreeRoute): TreeView {
  return view ?? (matchMedia('(max-width: 640px)').matches ? 'list' : 'drawing');
}

const viewNames: Readonly<Record<TreeView, string>> = { drawing: 'Drawing', list: 'List', board: 'Board' };

function Views({ route }: { readonly route: TreeRoute }): VNode {
  const shown = viewOf(route);
  return (
    <span class="group" role="group" aria-label="View">
      {treeViews.map((view) => (
        <a
          key={view}
          class="button"
          aria-current={view === shown ? 'true' : undefined}
          href={hrefOf({ ...route, node: activeId.value ?? route.node, view })}
        >
          {viewNames[view]}
        </a>
      ))}
    </span>
  );
}

type Wish = { readonly kind: 'fit' | 'in' | 'out'; readonly count: number };

interface TreeProps {
  tree: TreeNode;
  route: TreeRoute;
  current: CurrentNode;
}

/** Of the current run: iterations of others are on nodes of other trees. */
function useWork(tree: TreeNode): TreeWork {
  const { value } = useRuns();
  const rows = value?.runs.find(({ is_current }) => is_current)?.rows ?? value?.runs.at(-1)?.rows;
  return useMemo(() => sumWork(tree, rows ?? []), [tree, rows]);
}

function Tree({ tree, route, current }: TreeProps): VNode {
  const currentId = current.id;
  const view = viewOf(route);
  const work = useWork(tree);
  const state = useTreeState(tree, currentId);
  const [wish, setWish] = useState<Wish>({ kind: 'fit', count: 0 });
  const ask = (kind: Wish['kind']): void => setWish(({ count }) => ({ kind, count: count + 1 }));
  useEffect(() => {
    if (route.node !== null) goToNode(tree, route.node);
  }, [route.node]);
  const active = state.shown[state.active];
  // The address always leads back to what is in sight, without a history of every step.
  useEffect(() => {
    const node = activeId.value;
    if (node !== null && node !== route.node) history.replaceState(null, '', hrefOf({ ...route, node }));
  }, [activeId.value]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey || isAfterGo(event)) return;
    const move = moveInTree({
      key: event.key,
      shown: state.shown,
      active: state.active,
      folded: folded.value ?? new Set(),
    });
    if (move !== null) {
      folded.value = move.folded;
      activeId.value = move.active;
    } else if (event.key === 'Enter' && active !== undefined) {
      location.hash = hrefOfNode(active.node.id);
    } else if (event.key === '+' || event.key === '=') {
      ask('in');
    } else if (event.key === '-') {
      ask('out');
    } else if (event.key === '0') {
      ask('fit');
    } else if (event.key === 'c' && currentId !== null) {
      goToNode(tree, currentId);
    } else if (event.key === 'n') {
      goToFound(tree, state.found, 1);
    } else if (event.key === 'N') {
      goToFound(tree, state.found, -1);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const body = useRef<HTMLDivElement>(null);
  // Its keys work at once, unless somebody is already elsewhere.
  useEffect(() => {
    const focused = document.activeElement;
    if (focused === null || focused === document.body || focused.id === 'main') focusTree(body.current);
  }, [view]);
  return (
    <div class="tree-page">
      <TreeBar tree={tree} route={route} state={state} current={current} ask={ask} />
      <div class="tree-body" ref={body}>
        {view === 'list' ? (
          <TreeList state={state} work={work} current={current} onKeyDown={onKeyDown} />
        ) : (
          <TreeDrawing state={state} work={work} currentId={currentId} onKeyDown={onKeyDown} wish={wish} />
        )}
        {active !== undefined && <ActiveNode node={active.node} work={work} current={current} />}
      </div>
    </div>
  );
}

function focusTree(body: HTMLDivElement | null): void {
  const tree = body?.firstElementChild;
  if (tree instanceof HTMLElement) tree.focus({ preventScroll: true });
}

interface TreeBarProps {
  readonly tree: TreeNode;
  readonly route: TreeRoute;
  readonly state: TreeState;
  readonly current: CurrentNode;
  readonly ask: (kind: Wish['kind']) => void;
}

function TreeBar({ tree, route, state, current, ask }: TreeBarProps): VNode {
  const { id: currentId, word } = current;
  const input = useRef<HTMLInputElement>(null);
  const isList = viewOf(route) === 'list';
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') {
      goToFound(tree, state.found, event.shiftKey ? -1 : 1);
    } else if (event.key === 'Escape') {
      query.value = '';
      input.current?.blur();
    }
  };
  return (
    <div class="toolbar" role="toolbar" aria-label="Tree">
      <input
        ref={input}
        type="search"
        placeholder="Search nodes  /"
        aria-label="Search nodes"
        data-search
        value={query.value}
        onInput={(event) => {
          query.value = event.currentTarget.value;
        }}
        onKeyDown={onKeyDown}
      />
      <span class="muted found" aria-live="polite">
        {query.value === '' ? `${state.shown.length} shown` : `${state.found.length} found`}
      </span>
      <span class="spring" />
      {currentId !== null && (
        <button type="button" onClick={() => goToNode(tree, currentId)}>
          {goWords[word]} task
        </button>
      )}
      <button type="button" onClick={() => (folded.value = new Set())}>
        Unfold all
      </button>
      <button type="button" onClick={() => (folded.value = foldAll(tree))}>
        Fold all
      </button>
      {!isList && (
        <span class="group">
          <button type="button" aria-label="Zoom out" onClick={() => ask('out')}>
            −
          </button>
          <button type="button" onClick={() => ask('fit')}>
            Fit
          </button>
          <button type="button" aria-label="Zoom in" onClick={() => ask('in')}>
            +
          </button>
        </span>
      )}
      <Views route={route} />
    </div>
  );
}

const goWords: Readonly<Record<CurrentNode['word'], string>> = {
  current: 'Current',
  next: 'Next',
  stuck: 'Stuck',
};

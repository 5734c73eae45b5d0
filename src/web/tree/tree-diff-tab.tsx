/** What an iteration did to the tree: nodes added, removed or changed, at their position. */
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { TreeNode } from '../../core/types.ts';
import { Empty, Failed, Loading } from '../parts.tsx';
import { hrefOfNode } from '../routes.ts';
import { filePath } from '../source.ts';
import { diffTrees, onlyChanged } from './tree-diff.ts';
import type { TreeDiffRow } from './tree-diff.ts';
import { useText } from '../iteration/use-text.ts';
import { Line, Words } from '../words.tsx';

const rowsMax = 2000;

function parseTree(text: string | null): TreeNode | null {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    const isTree = typeof value === 'object' && value !== null && 'id' in value && 'children' in value;
    return isTree ? (value as TreeNode) : null;
  } catch {
    return null;
  }
}

interface TreeDiffTabProps {
  readonly run: string;
  readonly iter: number;
  readonly isRunning: boolean;
}

export function TreeDiffTab({ run, iter, isRunning }: TreeDiffTabProps): VNode {
  const before = useText(filePath(run, iter, 'tree.before.json'));
  const after = useText(filePath(run, iter, 'tree.after.json'));
  const [isWhole, setWhole] = useState(false);
  const rows = useMemo(() => {
    const [was, is] = [parseTree(before.text), parseTree(after.text)];
    return was === null || is === null ? null : diffTrees(was, is);
  }, [before.text, after.text]);
  const failure = [before.failure, after.failure].find((one) => one !== null && one.code !== 'not_found');
  if (failure !== undefined && failure !== null) return <Failed failure={failure} />;
  if (rows === null) {
    const isThere = before.text !== null && after.text !== null;
    if (!isThere && before.failure === null && after.failure === null) return <Loading />;
    return (
      <Empty title={isRunning ? 'The iteration is not over' : 'There is nothing to compare'}>
        {isRunning
          ? 'The trees are compared when it ends.'
          : 'One of the two trees was not kept or cannot be read.'}
      </Empty>
    );
  }
  const changed = onlyChanged(rows);
  const shown = isWhole ? rows : changed;
  const counts = ['added', 'removed', 'changed'].flatMap((kind) => {
    const count = rows.filter((row) => row.kind === kind).length;
    return count === 0 ? [] : [`${count} ${kind}`];
  });
  return (
    <div class="text-page" tabIndex={0} role="region" aria-label="Changes of the tree">
      <p class="muted log-bar">
        <span>{counts.join(', ')}</span>
        <button type="button" aria-pressed={isWhole} onClick={() => setWhole(!isWhole)}>
          Whole tree
        </button>
      </p>
      {shown.length === 0 ? (
        <Empty title="The tree did not change" />
      ) : (
        <ul class="tree-diff">
          {shown.slice(0, rowsMax).map((row) => (
            <DiffNode key={`${row.kind}${row.id}`} row={row} />
          ))}
        </ul>
      )}
      {shown.length > rowsMax && <p class="muted">{shown.length - rowsMax} more nodes are not shown.</p>}
    </div>
  );
}

const signs: Readonly<Record<TreeDiffRow['kind'], string>> = {
  added: '+',
  removed: '−',
  changed: '~',
  same: ' ',
};

function DiffNode({ row }: { readonly row: TreeDiffRow }): VNode {
  return (
    <li
      class={`tree-diff-row is-${row.kind}`}
      style={{ paddingLeft: `${Math.min(row.depth - 1, 40) * 18}px` }}
    >
      <span class="mono" aria-hidden="true">
        {signs[row.kind]}
      </span>
      {row.kind !== 'same' && <span class="sr-only">{row.kind}</span>}{' '}
      <a href={hrefOfNode(row.id)}>
        <Line text={row.title} />
      </a>{' '}
      <span class="muted mono">
        <Words text={row.id} max={100} />
      </span>
      {row.changes.map(({ field, before, after }) => (
        <div class="field-change" key={field}>
          <span class="muted">{field}</span>{' '}
          <del>
            <Words text={before} max={1000} />
          </del>{' '}
          →{' '}
          <ins>
            <Words text={after} max={1000} />
          </ins>
        </div>
      ))}
    </li>
  );
}

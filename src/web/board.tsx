/** The leaves of a tree as a board: one column for each state, for those who think in columns. */
import type { VNode } from 'preact';
import { boardColumns } from '../core/views/board.ts';
import type { BoardLeaf, LeafState } from '../core/views/board.ts';
import { Badge } from './parts.tsx';
import { Words } from './words.tsx';

const columnTitles: Readonly<Record<LeafState, string>> = {
  open: 'open',
  at_work: 'at work',
  retrying: 'to retry',
  stuck: 'stuck',
  passed: 'passed',
};

/** A column of thousands would be slow, and nobody reads it. */
const leavesShownMax = 200;

interface BoardProps {
  readonly leaves: readonly BoardLeaf[];
  /** Null: the leaves have no pages of their own here. */
  readonly hrefOfLeaf: ((id: string) => string) | null;
}

export function Board({ leaves, hrefOfLeaf }: BoardProps): VNode {
  return (
    <div class="board" role="group" aria-label="Leaves by state">
      {boardColumns.map((state) => (
        <Column
          key={state}
          state={state}
          leaves={leaves.filter((leaf) => leaf.state === state)}
          hrefOfLeaf={hrefOfLeaf}
        />
      ))}
    </div>
  );
}

interface ColumnProps extends BoardProps {
  readonly state: LeafState;
}

function Column({ state, leaves, hrefOfLeaf }: ColumnProps): VNode {
  const name = columnTitles[state];
  return (
    <section class="board-column" data-column={state} aria-label={`${name}, ${leaves.length}`}>
      <p class="board-head">
        <Badge name={state} label={name} /> <span class="muted number">{leaves.length}</span>
      </p>
      <ol class="board-leaves" tabIndex={0} aria-label={name}>
        {leaves.slice(0, leavesShownMax).map(({ id, title, attempts, max_attempts }) => (
          <li key={id} class="board-leaf" data-leaf={id}>
            <p>
              {hrefOfLeaf === null ? (
                <Words text={title} max={200} />
              ) : (
                <a href={hrefOfLeaf(id)}>
                  <Words text={title} max={200} />
                </a>
              )}
            </p>
            <p class="muted mono board-id">
              <Words text={id} max={100} />
              {attempts > 0 && state !== 'passed' && ` ${attempts} of ${max_attempts} attempts used`}
            </p>
          </li>
        ))}
        {leaves.length > leavesShownMax && (
          <li class="muted">and {(leaves.length - leavesShownMax).toLocaleString('en-US')} more</li>
        )}
      </ol>
    </section>
  );
}

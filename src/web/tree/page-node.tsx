/** *Node*: goal, acceptance, what was tried so far with its outcome, and its children. */
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { chipOf } from '../../core/views/outcome-chip.ts';
import { stateOf } from '../../core/views/overview.ts';
import { indexTree } from '../../core/tree/tree-walk.ts';
import type { TreeNode } from '../../core/types.ts';
import type { IterationRow } from '../../core/views/web-api.ts';
import { renderCount, renderDollars, renderMoment, renderMs } from '../format.ts';
import { Hint } from '../copy.tsx';
import { LastFailure } from '../iteration/what-failed.tsx';
import { Markdown } from '../markdown-view.tsx';
import { Card, Empty, Failed, Loading, NodeBadge, OutcomeBadge, StateSign, stateWords } from '../parts.tsx';
import { hrefOf, hrefOfNode } from '../routes.ts';
import { useRuns, useTree } from '../store.ts';
import { renderAttempts } from './tree-work.ts';
import { Line, Words } from '../words.tsx';

const attemptsMax = 200;
const childrenMax = 500;

export function NodePage({ id }: { readonly id: string }): VNode {
  const { value: tree, failure } = useTree();
  const { value: runs } = useRuns();
  const rows = useMemo(
    () =>
      (runs?.runs ?? [])
        .toSorted((a, b) => Number(a.is_current) - Number(b.is_current))
        .flatMap(({ run_id, rows: all }) =>
          all.filter((row) => row.node_id === id).map((row) => ({ ...row, run_id })),
        )
        .toReversed(),
    [runs, id],
  );
  if (tree === null) return failure === null ? <Loading /> : <Failed failure={failure} />;
  const visit = indexTree(tree).get(id);
  if (visit === undefined) {
    return (
      <div class="node-page">
        <Empty title="The tree has no such node">
          It may have been taken out, or belong to another run. <a href="#/tree">The tree as it is</a>
        </Empty>
        <Attempts rows={rows} node={null} />
      </div>
    );
  }
  const { node } = visit;
  return (
    <div class="node-page">
      <Crumbs tree={tree} id={id} />
      <header class="page-head">
        <h1>
          <Words text={node.title} max={300} />
        </h1>
        <NodeBadge id={node.id} state={stateOf(node)} />
        <span class="spring" />
        <a class="button" href={hrefOf({ page: 'tree', node: id, view: null })}>
          Show in tree
        </a>
      </header>
      <p class="muted mono">
        <Words text={node.id} max={200} />
      </p>
      <div class="node-cards">
        <Help node={node} last={rows.find((row) => row.is_complete)} />
        <Card title="Goal">
          <Markdown text={node.goal} max={100_000} />
        </Card>
        <Card title="Accepted when">
          {node.acceptance.length === 0 ? (
            <Empty title="No criteria of its own">The guard decides.</Empty>
          ) : (
            <ul class="acceptance">
              {node.acceptance.slice(0, 500).map((line, index) => (
                <li key={index}>
                  <Markdown text={line} max={2000} />
                </li>
              ))}
            </ul>
          )}
        </Card>
        {node.children.length > 0 && <Children node={node} />}
        <Attempts rows={rows} node={node} />
      </div>
    </div>
  );
}

/** What failed last and the command that gives it attempts again, as long as it has not passed. */
function Help({ node, last }: { readonly node: TreeNode; readonly last: Row | undefined }): VNode | null {
  if (node.passes || last === undefined || chipOf(last).tone !== 'bad') return null;
  const commands = [`runner explain ${node.id}`, `runner retry ${node.id}`, 'runner loop'];
  return (
    <>
      {stateOf(node) === 'stuck' && (
        <Card title="To go on">
          <Hint text={commands.join(', then: ')} commands={commands} />
        </Card>
      )}
      <LastFailure place={last} />
    </>
  );
}

function Crumbs({ tree, id }: { readonly tree: TreeNode; readonly id: string }): VNode {
  const index = indexTree(tree);
  const above: TreeNode[] = [];
  for (
    let visit = index.get(id);
    visit !== undefined && visit.parent !== null;
    visit = index.get(visit.parent.id)
  )
    above.unshift(visit.parent);

  return (
    <nav class="crumbs" aria-label="Nodes above">
      {above.slice(-12).map((node) => (
        <span key={node.id}>
          <a href={hrefOfNode(node.id)}>
            <Words text={node.title} max={60} />
          </a>
          <span class="muted" aria-hidden="true">
            {' / '}
          </span>
        </span>
      ))}
    </nav>
  );
}

function Children({ node }: { readonly node: TreeNode }): VNode {
  const left = node.children.length - childrenMax;
  return (
    <Card title={`Children (${node.children.length})`}>
      <ul class="children">
        {node.children.slice(0, childrenMax).map((child) => {
          const state = stateOf(child);
          return (
            <li key={child.id}>
              <StateSign state={state} />
              <span class="sr-only">{stateWords[state]}</span>
              <a href={hrefOfNode(child.id)}>
                <Line text={child.title} />
              </a>
            </li>
          );
        })}
      </ul>
      {left > 0 && <p class="muted">and {left} more</p>}
    </Card>
  );
}

type Row = IterationRow & { readonly run_id: string };

function Attempts({ rows, node }: { readonly rows: readonly Row[]; readonly node: TreeNode | null }): VNode {
  return (
    <Card
      title="What was tried"
      extra={<span class="muted">{node === null ? '' : renderAttempts(node)}</span>}
    >
      {rows.length === 0 ? (
        <Empty title="Nothing has been tried yet" />
      ) : (
        <ol class="attempts">
          {rows.slice(0, attemptsMax).map((row) => (
            <li key={`${row.run_id}/${row.iter}`}>
              <a href={hrefOf({ page: 'iteration', run: row.run_id, iter: row.iter, tab: 'summary' })}>
                iteration <span class="number">{row.iter}</span>
              </a>
              <OutcomeBadge of={row} />
              <span class="muted number">
                {row.duration_ms === null ? '' : renderMs(row.duration_ms.total)}
              </span>
              <span class="muted number">
                {row.tokens === null ? '' : `${renderCount(row.tokens)} tokens`}
              </span>
              <span class="muted number">{row.cost_usd === null ? '' : renderDollars(row.cost_usd)}</span>
              <span class="muted">{row.started_at === null ? '' : renderMoment(row.started_at)}</span>
            </li>
          ))}
        </ol>
      )}
      {rows.length > attemptsMax && <p class="muted">and {rows.length - attemptsMax} more</p>}
    </Card>
  );
}

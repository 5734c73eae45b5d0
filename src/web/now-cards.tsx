/** Progress and limits of a run as bars with their numbers. */
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { listLeaves } from '../core/views/board.ts';
import type { LeafState } from '../core/views/board.ts';
import type { LimitUse } from '../core/views/overview.ts';
import type { StatusAnswer } from '../core/views/web-api.ts';
import { atWorkIn } from './current.ts';
import { plural, renderCount, renderDollars, renderSeconds } from './format.ts';
import { Bar, Card } from './parts.tsx';
import { useTree } from './store.ts';
import { boundLeft } from './tree/tree-fold.ts';

export function ProgressCard({ status }: { readonly status: StatusAnswer }): VNode {
  const { passed, leaves, retrying, stuck } = status.progress;
  const { value: tree } = useTree();
  const atWork = atWorkIn(status);
  const leafStates = useMemo(
    () => (tree === null ? null : listLeaves(tree, atWork).map(({ state }) => state)),
    [tree, atWork],
  );
  const { used, max } = status.limits.iterations;
  const isOpen = status.iteration !== null;
  const left = tree === null ? null : boundLeft(tree, max === null || used === null ? null : max - used);
  // The open iteration is none of those that are to come.
  const bound = left === null ? null : left - (isOpen ? 1 : 0);
  const hasEnded = ['stuck', 'limit', 'complete'].includes(status.situation.state);
  const parts = [
    { name: 'passed', value: passed },
    { name: 'retrying', value: retrying },
    { name: 'stuck', value: stuck },
  ];
  return (
    <Card title="Progress" extra={<a href="#/tree">tree</a>}>
      <p class="big">
        <span class="number">{passed}</span> <span class="muted">of {plural(leaves, 'task')} passed</span>
      </p>
      <Bar parts={parts} total={leaves} label={`${passed} of ${plural(leaves, 'task')} passed`} />
      {leafStates !== null && <Counts states={leafStates} />}
      {bound !== null && bound > 0 && !hasEnded && (
        <p class="muted">At most {plural(bound, 'more attempt')} with the current tree.</p>
      )}
    </Card>
  );
}

/** The same states as on the board. */
function Counts({ states }: { readonly states: readonly LeafState[] }): VNode {
  const count = (state: LeafState): number => states.filter((each) => each === state).length;
  const atWork = count('at_work');
  return (
    <p class="muted counts">
      {atWork > 0 && <span>{atWork} at work</span>}
      <span>{count('open')} open</span>
      <span>{count('retrying')} to retry</span>
      <span>{count('stuck')} stuck</span>
    </p>
  );
}

const limitNames = [
  ['iterations', 'iterations', renderCount],
  ['seconds', 'time', renderSeconds],
  ['tokens', 'tokens', renderCount],
  ['cost_usd', 'cost', renderDollars],
] as const;

export function LimitsCard({ status }: { readonly status: StatusAnswer }): VNode {
  const hasBegun = status.last.length > 0 || status.iteration !== null;
  return (
    <Card
      title="Run so far"
      extra={
        status.iteration !== null && <span class="muted">without iteration {status.iteration.iter}</span>
      }
    >
      <dl class="limits">
        {limitNames.map(([key, name, render]) => (
          <LimitRow key={key} name={name} use={status.limits[key]} render={render} hasBegun={hasBegun} />
        ))}
      </dl>
    </Card>
  );
}

interface LimitRowProps {
  readonly name: string;
  readonly use: LimitUse;
  readonly render: (value: number) => string;
  /** Before the first iteration nothing was used, and nobody had anything to report. */
  readonly hasBegun: boolean;
}

function LimitRow({ name, use, render, hasBegun }: LimitRowProps): VNode {
  const { used, max } = use;
  const isNear = used !== null && max !== null && used >= 0.9 * max;
  return (
    <div class="limit">
      <dt>{name}</dt>
      <dd>
        <span class="number">
          {hasBegun || max !== null ? (used === null ? 'not reported' : render(used)) : '–'}
        </span>
        {max !== null && <span class="muted"> of {render(max)}</span>}
        {max !== null && used !== null && (
          <Bar
            parts={[{ name: isNear ? 'stuck' : 'used', value: used }]}
            total={max}
            label={`${render(used)} of ${render(max)}`}
          />
        )}
      </dd>
    </div>
  );
}

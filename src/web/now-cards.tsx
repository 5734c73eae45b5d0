/** Progress and limits of a run as bars with their numbers. */
import type { VNode } from 'preact';
import type { LimitUse } from '../core/views/overview.ts';
import type { StatusAnswer } from '../core/views/web-api.ts';
import { plural, renderCount, renderDollars, renderSeconds } from './format.ts';
import { Bar, Card } from './parts.tsx';
import { findNode } from '../core/tree/tree-walk.ts';
import { atWorkIn } from './current.ts';
import { useTree } from './store.ts';
import { boundLeft } from './tree/tree-fold.ts';

export function ProgressCard({ status }: { readonly status: StatusAnswer }): VNode {
  const { passed, leaves, retrying, stuck } = status.progress;
  const { value: tree } = useTree();
  const atWork = atWorkIn(status);
  const worked = tree === null || atWork === null ? undefined : findNode(tree, atWork);
  const { used, max } = status.limits.iterations;
  const isOpen = status.iteration !== null;
  const left = tree === null ? null : boundLeft(tree, max === null || used === null ? null : max - used);
  // The open iteration is none of those that are to come.
  const bound = left === null ? null : left - (isOpen ? 1 : 0);
  const hasEnded = ['stuck', 'limit', 'complete'].includes(status.situation.state);
  const open = leaves - passed - retrying - stuck;
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
      <p class="muted counts">
        {worked !== undefined && worked !== null && <span>1 at work</span>}
        <span>{open - (worked?.attempts === 0 ? 1 : 0)} open</span>
        <span>{retrying - ((worked?.attempts ?? 0) > 0 ? 1 : 0)} to retry</span>
        <span>{stuck} stuck</span>
      </p>
      {bound !== null && bound > 0 && !hasEnded && (
        <p class="muted">At most {plural(bound, 'more attempt')} with the current tree.</p>
      )}
    </Card>
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

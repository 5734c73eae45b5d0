/** Small parts that all pages use: badges, bars, empty and failed states. They show what they are given. */
import type { ComponentChildren, VNode } from 'preact';
import type { NodeState } from '../core/views/overview.ts';
import { chipOf } from '../core/views/outcome-chip.ts';
import type { ChipInput, ChipTone } from '../core/views/outcome-chip.ts';
import { atWorkIn } from './current.ts';
import type { Failure } from './source.ts';
import { useStatus } from './store.ts';
import { Words } from './words.tsx';

/** What a state is called; the same while a runner is at work and while none is. */
export const stateWords: Readonly<Record<NodeState, string>> = {
  passed: 'passed',
  derived: 'has open children',
  stuck: 'stuck',
  retrying: 'to retry',
  open: 'open',
};

const signs: Readonly<Record<string, string>> = {
  done: '✓',
  pass: '✓',
  passed: '✓',
  fail: '✕',
  stuck: '■',
  retry: '↻',
  retrying: '↻',
  decomposed: '⇉',
  derived: '◇',
  open: '○',
  skipped: '–',
  running: '●',
  complete: '✓',
  finished: '✓',
  failed: '✕',
  canceled: '■',
  limit: '■',
  paused: '‖',
  abandoned: '–',
  at_work: '●',
  waiting: '●',
};

/** A word with its colour and a sign, so that colour alone never tells. */
export function Badge({
  name,
  label,
}: {
  readonly name: string;
  readonly label?: string | undefined;
}): VNode {
  return (
    <span class={`badge is-${name}`}>
      <span aria-hidden="true">{signs[name] ?? '·'}</span> <span class="badge-text">{label ?? name}</span>
    </span>
  );
}

const toneNames: Readonly<Record<ChipTone, string>> = {
  good: 'passed',
  bad: 'failed',
  doubtful: 'retry',
  split: 'decomposed',
  busy: 'running',
};

interface OutcomeProps {
  readonly of: ChipInput & { readonly iter?: number };
}

/** What became of an iteration. One that is open may wait for its agent. */
export function OutcomeBadge({ of }: OutcomeProps): VNode {
  const { value: status } = useStatus();
  const { tone, label } = chipOf(of);
  const isWaiting = status?.situation.state === 'waiting' && status.iteration?.iter === of.iter;
  return tone === 'busy' && isWaiting ? (
    <Badge name="waiting" />
  ) : (
    <Badge name={toneNames[tone]} label={label} />
  );
}

interface NodeBadgeProps {
  readonly id: string;
  readonly state: NodeState;
}

/** Of the node that a runner works on: that it does. */
export function NodeBadge({ id, state }: NodeBadgeProps): VNode {
  const { value: status } = useStatus();
  return status !== null && atWorkIn(status) === id ? (
    <Badge name="at_work" label="at work" />
  ) : (
    <Badge name={state} label={stateWords[state]} />
  );
}

export function StateSign({ state }: { readonly state: NodeState }): VNode {
  return (
    <span class={`sign is-${state}`} aria-hidden="true">
      {signs[state]}
    </span>
  );
}

/** Before the first iteration: how to begin, which depends on whether a run was started. */
export function NoIterations(): VNode {
  const { value: status } = useStatus();
  const state = status?.situation.state;
  if (state === 'stopped' || state === 'fresh') {
    return (
      <Empty title="No iterations yet">
        {state === 'fresh' ? 'No run was started here' : 'The run has stopped'}:{' '}
        <a href="#/now">why, and what to do</a>
      </Empty>
    );
  }
  return (
    <Empty title="No iterations yet">
      <code>runner loop</code> works on the tree; each iteration appears here by itself.
    </Empty>
  );
}

interface EmptyProps {
  readonly title: string;
  readonly children?: ComponentChildren;
}

export function Empty({ title, children }: EmptyProps): VNode {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children !== undefined && <p>{children}</p>}
    </div>
  );
}

export function Failed({ failure }: { readonly failure: Failure }): VNode {
  return (
    <div class="empty" role="alert">
      <p class="empty-title">
        <Words text={failure.message} />
      </p>
      {failure.hint !== '' && (
        <p>
          <Words text={failure.hint} />
        </p>
      )}
    </div>
  );
}

/** Shows nothing for very short waits, but keeps the space. */
export function Loading(): VNode {
  return <div class="loading" role="status" aria-label="Loading" />;
}

export interface BarPart {
  readonly name: string;
  readonly value: number;
}

/** Parts of a whole next to each other. */
export function Bar({
  parts,
  total,
  label,
}: {
  parts: readonly BarPart[];
  total: number;
  label: string;
}): VNode {
  return (
    <div class="bar" role="img" aria-label={label}>
      {parts.map(({ name, value }) => (
        <span
          class={`bar-part is-${name}`}
          key={name}
          style={{ width: `${(100 * Math.min(value, total)) / Math.max(total, 1e-9)}%` }}
        />
      ))}
    </div>
  );
}

interface FactProps {
  readonly name: string;
  /** The colour of its part in a bar. */
  readonly swatch?: string;
  readonly children: ComponentChildren;
}

export function Fact({ name, swatch, children }: FactProps): VNode {
  return (
    <div class="fact">
      <dt>
        {swatch !== undefined && <span class={`swatch is-${swatch}`} aria-hidden="true" />} {name}
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

export function Card({
  title,
  extra,
  children,
}: {
  title: string;
  extra?: ComponentChildren;
  children: ComponentChildren;
}): VNode {
  return (
    <section class="card">
      <header class="card-head">
        <h2>{title}</h2>
        {extra}
      </header>
      {children}
    </section>
  );
}

/**
 * Tells the transitions of a run apart on the first-parent line of its branch (§15). Commits between B and an iteration's own commit
 * are the session's: what they say is never read. Decides what is compared with what, not whether it follows.
 */
import { parseIterationSubject } from '../iteration/commit-message.ts';
import { parseStrictJson } from '../text/strict-json.ts';
import type { SourceText } from '../types.ts';
import { parseTrailers, trailer } from './trailers.ts';
import type { Trailers } from './trailers.ts';
import type { IterationTransition, LineCommit, Transition } from './transition.ts';

export interface TraceInput {
  readonly runId: string;
  /** Newest first. */
  readonly line: readonly LineCommit[];
  /** Id of the run that a commit's run state names; null: none. */
  readonly runAt: (commit: string) => string | null;
  /** Null: all of them. */
  readonly iterationsMax: number | null;
  /** Whether git hides the parents of some commits (a shallow clone). */
  readonly isShallow: boolean;
}

export interface Trace {
  /** Oldest first. */
  readonly transitions: readonly Transition[];
  /** Whether the oldest is where the run begins; false: the line ends before, or was cut. */
  readonly isWhole: boolean;
  readonly isCut: boolean;
  /** The clone has no commits below the oldest. */
  readonly isShallow: boolean;
}

type Ending = Partial<Omit<Trace, 'transitions'>>;

export function traceRun(input: TraceInput): Trace {
  const { runId, line, runAt, iterationsMax } = input;
  const places = new Map(line.map(({ id }, at) => [id, at]));
  const found: Transition[] = [];
  let iterations = 0;
  const end = (flags: Ending): Trace => ({
    transitions: withOwn(found.toReversed()),
    ...{ isWhole: false, isCut: false, isShallow: false },
    ...flags,
  });
  for (let at = 0; ;) {
    const commit = line[at];
    if (commit === undefined || runAt(commit.id) !== runId) return end({});
    const { transition, next } = read({ runId, commit, at, places });
    found.push(transition);
    if (input.isShallow && commit.parents.length === 0) return end({ isShallow: true });
    if (transition.kind === 'start' && (transition.from === null || runAt(transition.from) !== runId)) {
      found[found.length - 1] = { ...transition, isFirst: true };
      return end({ isWhole: true });
    }
    if (transition.kind === 'iteration') iterations += 1;
    if (iterations === iterationsMax) return end({ isCut: true });
    at = next;
  }
}

interface Place {
  readonly runId: string;
  readonly commit: LineCommit;
  readonly at: number;
  readonly places: ReadonlyMap<string, number>;
}

function read({ runId, commit, at, places }: Place): {
  readonly transition: Transition;
  readonly next: number;
} {
  const [subject = ''] = commit.message.split('\n', 1);
  const trailers = parseTrailers(commit.message);
  const iteration = parseIterationSubject(subject);
  const from = commit.parents[0] ?? null;
  const common = { commit, trailers, from };
  const next = at + 1;
  if (iteration?.run_id === runId) {
    const known = { ...common, kind: 'iteration', subject: iteration, own: null } as const;
    const baseline = trailer(trailers, 'Baseline');
    const control = trailer(trailers, 'Control') ?? baseline;
    const [base, ground] = [placeBelow(places, baseline, at), placeBelow(places, control, at)];
    if (base === null || ground === null || control === null || ground > base)
      return { transition: { ...known, baseline: null }, next };
    return { transition: { ...known, baseline, from: control }, next: ground };
  }
  return { transition: { ...common, ...kindOf(subject, trailers, runId) }, next };
}

function placeBelow(places: ReadonlyMap<string, number>, commit: string | null, at: number): number | null {
  const place = commit === null ? undefined : places.get(commit);
  return place === undefined || place <= at ? null : place;
}

type OtherKind =
  | { readonly kind: 'start'; readonly isFirst: boolean }
  | { readonly kind: 'person'; readonly command: string }
  | { readonly kind: 'plain' };

function kindOf(subject: string, trailers: Trailers, runId: string): OtherKind {
  const command = trailer(trailers, 'Person');
  if (command !== null) return { kind: 'person', command };
  const isStart = subject === `chore(loop): start run ${runId}` && trailer(trailers, 'Run') === runId;
  return isStart ? { kind: 'start', isFirst: false } : { kind: 'plain' };
}

/** The commit that references of the guard's own files come from (§14): the iteration before, or where the run began. */
function withOwn(transitions: readonly Transition[]): readonly Transition[] {
  let own: string | null = null;
  let hasIterated = false;
  return transitions.map((transition) => {
    const told = transition.kind === 'iteration' ? { ...transition, own } : transition;
    const isOwn = transition.kind === 'iteration' || (transition.kind === 'start' && !hasIterated);
    if (isOwn) own = transition.commit.id;
    hasIterated ||= transition.kind === 'iteration';
    return told;
  });
}

/**
 * The commit before the first iteration on an iteration's node, by the commit of the iteration: an empty change is one since then (§9).
 * `hasRecord`: whether the run state at a commit has a record of a node.
 */
export function findNodeBases(
  transitions: readonly Transition[],
  hasRecord: (commit: string, node: string) => boolean,
): ReadonlyMap<string, string> {
  const bases = new Map<string, string>();
  const open = new Map<string, string>();
  for (const { commit, baseline, subject } of transitions.filter(isIteration)) {
    if (baseline === null) continue;
    if (!hasRecord(baseline, subject.node_id)) open.set(subject.node_id, baseline);
    const base = open.get(subject.node_id);
    if (base !== undefined) bases.set(commit.id, base);
  }
  return bases;
}

export function isIteration(transition: Transition): transition is IterationTransition {
  return transition.kind === 'iteration';
}

/** Of a run state, whatever else is wrong with it. */
export function runIdOf(source: SourceText): string | null {
  const json = source.kind === 'text' ? parseStrictJson(source.text) : null;
  if (json?.ok !== true || typeof json.value !== 'object' || json.value === null) return null;
  const id = Array.isArray(json.value) ? undefined : json.value['run_id'];
  return typeof id === 'string' ? id : null;
}

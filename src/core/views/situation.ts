/**
 * The state of a run, for people: at work, waiting or stopped, why, and the command that helps. `runner status` prints it and the
 * pages show it, so both say the same. It only describes; what comes next is the selector's.
 */
import type { FailureKind } from '../agents/failure.ts';
import { describeEnd } from '../runs/loop-end.ts';
import type { EndText, LoopEnd } from '../runs/loop-end.ts';
import type { Refusal } from '../runs/start-plan.ts';
import type { RunNote } from '../runs/run-note.ts';
import { listCommands } from '../text/hint-commands.ts';
import { cleanLine } from '../text/terminal-text.ts';
import type { OpenIteration } from './overview.ts';

export type SituationState = 'fresh' | 'working' | 'waiting' | 'crashed' | EndText['state'];

export interface Situation {
  readonly state: SituationState;
  /** One or two words. */
  readonly title: string;
  readonly sentence: string;
  /** Of the error that ended the last `step` or `loop`; null: none did. */
  readonly code: EndText['code'];
  /** What a person can do, as the commands print it; empty: nothing. */
  readonly hint: string;
  /** The commands in it, to be copied. */
  readonly commands: readonly string[];
  /** Since when it is so; null: not known. */
  readonly since: string | null;
  /** The end of a wait; null: it does not wait. */
  readonly until: string | null;
  /** What the agent itself says about it, or what an error names, such as paths. */
  readonly details: readonly string[];
  /** A person asked for a pause: it stops after this iteration. */
  readonly is_pausing: boolean;
  /** How long the open iteration has waited, which does not count towards its time: while it waits, until `since`. */
  readonly waited_ms: number;
}

export interface SituationInput {
  readonly run_id: string | null;
  /** GOAL.md says what a run would be for; matters only before one. */
  readonly hasGoal: boolean;
  readonly holder: {
    readonly command: string;
    readonly pid: number;
    readonly started_at: string;
    readonly is_here: boolean;
  } | null;
  readonly iteration: OpenIteration | null;
  /** Of the node that is worked on or comes next; empty: none. */
  readonly title: string;
  readonly note: RunNote | null;
  /** The flag that asks a loop to pause is set. */
  readonly isPausing: boolean;
  /** Nothing in the work tree is uncommitted; false also where nobody looked. */
  readonly isClean: boolean;
  /** How the next step would end before it begins; null: it would work. */
  readonly end: (LoopEnd & { readonly run_id: string }) | null;
  /** A hint that helps under the settings in force. */
  readonly fit: (hint: string, least: number | null) => string;
}

const titles: Readonly<Record<SituationState, string>> = {
  fresh: 'No run yet',
  ready: 'Ready',
  working: 'Working',
  waiting: 'Waiting',
  paused: 'Paused',
  stopped: 'Stopped',
  limit: 'Limit reached',
  stuck: 'Stuck',
  crashed: 'Crashed',
  complete: 'Complete',
};

type Told = Pick<Situation, 'state' | 'sentence'> &
  Partial<Omit<Situation, 'state' | 'sentence' | 'commands'> & Pick<EndText, 'least'>>;

export function describeSituation(input: SituationInput): Situation {
  const { code = null, hint = '', least = null, since = null, until = null, ...told } = tell(input);
  const { title = titles[told.state], details = [], is_pausing = false, waited_ms = 0 } = told;
  // A note in the git folder may be anybody's: nothing in it acts on a terminal, or as a second line of a copied command.
  const fitted = cleanLine(withWayOn(input, told.state, input.fit(hint, least)));
  return {
    state: told.state,
    sentence: cleanLine(told.sentence),
    title,
    code,
    hint: fitted,
    commands: listCommands(fitted),
    since,
    until,
    details: details.map(cleanLine),
    is_pausing,
    waited_ms,
  };
}

const unknownTimes = { since: null, until: null, details: [], is_pausing: false, waited_ms: 0 };

/** What stops every command, in whatever state the run is. */
export function describeRefusal({ code, message, hint }: Refusal): Situation {
  const told = { state: 'stopped', title: titles.stopped, sentence: cleanLine(message), code } as const;
  return { ...told, hint: cleanLine(hint), commands: listCommands(hint), ...unknownTimes };
}

/** What a person does outside of the runner (log in, install, commit) is half of it: nothing goes on by itself then. */
function withWayOn({ end }: SituationInput, state: SituationState, hint: string): string {
  const isHalf = state === 'stopped' && end === null && !/\brunner [a-z]/u.test(hint);
  return isHalf ? `${hint}, then: runner loop` : hint;
}

const notStarted: Told = { state: 'fresh', sentence: 'no run was started here', hint: 'runner start' };

const noGoal: Told = {
  state: 'fresh',
  title: 'No goal yet',
  sentence: 'no run was started here, and GOAL.md has no goal yet',
  hint: 'describe the goal in .runner/GOAL.md, then: runner start',
};

function tell(input: SituationInput): Told {
  const { run_id, holder, iteration } = input;
  const note = input.note?.run_id === run_id ? input.note : null;
  if (holder !== null) return tellWork({ ...input, holder }, note);
  if (run_id === null) return input.hasGoal ? notStarted : noGoal;
  if (iteration !== null) {
    const { iter, phase, started_at: since } = iteration;
    const sentence = `the runner ended in iteration ${iter} while ${phaseWords[phase]}; runner loop finishes it`;
    return { state: 'crashed', sentence, hint: 'runner loop', since };
  }
  return tellRest(input, note);
}

/** Nobody is at work and nothing is open. What the tree and the limits say now counts more than how it ended. */
function tellRest({ end, title, isClean }: SituationInput, note: RunNote | null): Told {
  const ended = note?.kind === 'ended' ? note : null;
  const since = note?.at ?? null;
  // A complete run whose branch did not reach its remote is not where it was promised to be.
  const isUnpushed = ended?.code === 'PUSH_FAILED' || ended?.code === 'PUSH_REJECTED';
  if (end !== null && !isUnpushed) return { ...describeEnd(end), since };
  if (note !== null && ended === null) {
    const sentence = 'the runner ended between two iterations without a reason; nothing is lost';
    return { state: 'crashed', sentence, hint: 'runner loop', since };
  }
  // What has been answered by a change of the tree or the settings since is no longer so.
  if (ended !== null && isStillSo(ended, isClean)) {
    const { state, code, sentence, hint, details } = ended;
    return { state, code, sentence, hint, details, since };
  }
  return { state: 'ready', sentence: `no runner is running; next: ${title}`, hint: 'runner loop', since };
}

/** A limit that the file does not set was one of a flag or a variable, which only that command knew. */
function isStillSo({ state, code, hint }: Extract<RunNote, { kind: 'ended' }>, isClean: boolean): boolean {
  if (code === 'GIT_DIRTY' && isClean) return false;
  if (state === 'limit') return !hint.startsWith('runner config set ');
  return state === 'stopped' || state === 'paused';
}

const phaseWords: Readonly<Record<OpenIteration['phase'], string>> = {
  agent: 'the agent was at work',
  ended: 'the work was being collected',
  guard: 'the guard was running',
  review: 'the review was running',
  persisting: 'it was being recorded',
};

const workWords: Readonly<Record<OpenIteration['phase'], string>> = {
  agent: 'the agent works on',
  ended: 'collecting the work on',
  guard: 'the guard checks',
  review: 'the reviewer reads',
  persisting: 'recording',
};

type AtWork = SituationInput & { readonly holder: NonNullable<SituationInput['holder']> };

function tellWork(input: AtWork, note: RunNote | null): Told {
  const { isPausing: is_pausing, iteration } = input;
  const told = note?.kind === 'waiting' ? tellWait(note) : tellBusy(input);
  // A note from before the iteration began is about another one.
  const isOfIteration = note !== null && iteration !== null && note.at >= iteration.started_at;
  const waited_ms = isOfIteration && note.kind !== 'ended' ? note.waited_ms : 0;
  if (!is_pausing) return { ...told, waited_ms };
  const when = told.state === 'waiting' ? 'now' : iteration === null ? 'next' : 'after this iteration';
  return {
    ...told,
    waited_ms,
    is_pausing,
    title: 'Pausing',
    sentence: `${told.sentence}; it pauses ${when}`,
  };
}

const waitWords: Readonly<Partial<Record<FailureKind, (agent: string) => string>>> = {
  rate_limited: (agent) => `the service of ${agent} is not taking requests right now`,
  overloaded: (agent) => `the service of ${agent} is overloaded`,
  network: (agent) => `the service of ${agent} cannot be reached`,
};

function tellWait({ until, reason, agent, failure, at: since }: Extract<RunNote, { kind: 'waiting' }>): Told {
  const words = failure === null ? undefined : waitWords[failure];
  const sentence = words?.(agent ?? 'the agent') ?? 'the agent is not available';
  return { state: 'waiting', sentence, since, until, details: reason === '' ? [] : [reason] };
}

function tellBusy({ holder, iteration, title }: AtWork): Told {
  if (iteration !== null) {
    const { iter, phase, started_at: since } = iteration;
    return { state: 'working', sentence: `iteration ${iter}: ${workWords[phase]} "${title}"`, since };
  }
  const where = holder.is_here ? '' : ' on another host or in another container';
  const sentence = `${holder.command} is at work (pid ${holder.pid}${where})`;
  return { state: 'working', sentence, since: holder.started_at };
}

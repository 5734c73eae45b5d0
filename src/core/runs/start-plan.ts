/** Decides which run `start` begins or continues (§11, §12). Pure: known runs, ids and the goal in, one plan or one refusal out. */
import type { ErrorCode } from '../errors.ts';
import type { HeldIds, IdHolder } from './free-id.ts';
import { chooseFreeId, findHolder } from './free-id.ts';

export interface KnownRun {
  readonly run_id: string;
  /** `elsewhere`: of another project folder of the repository. */
  readonly state: 'open' | 'complete' | 'finished' | 'abandoned' | 'elsewhere';
  /**
   * Where its files are: on its branch; in a work tree of its own, in the background, where its process may be at work; at HEAD after its
   * branch was deleted; or where no `start` can go on with them.
   */
  readonly place: 'branch' | 'background' | 'at-work' | 'head' | 'none';
  /** Hashes of the goal it works for, or has done. */
  readonly goals: readonly string[];
}

export interface StartInput {
  readonly goalId: string | null;
  /** Hash of the body that GOAL.md holds now. */
  readonly goal: string;
  readonly branch: string;
  readonly shortHead: string;
  readonly known: readonly KnownRun[];
  readonly held: HeldIds;
  readonly isNew: boolean;
}

export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
}

export type StartPlan =
  /** On the run's branch already. */
  | { readonly kind: 'resume'; readonly runId: string }
  | { readonly kind: 'switch'; readonly runId: string; readonly notes: readonly string[] }
  /** The run's branch was deleted, but this branch holds its files. */
  | { readonly kind: 'revive'; readonly runId: string; readonly notes: readonly string[] }
  | { readonly kind: 'begin'; readonly runId: string; readonly notes: readonly string[] }
  | ({ readonly kind: 'refuse' } & Refusal);

const namedMax = 3;

export function planStart(input: StartInput): StartPlan {
  const own = input.known.find(({ run_id, state }) => run_id === input.goalId && state === 'open');
  if (own !== undefined && canGoOn(input, own)) return goOn(input, own);
  const same = input.isNew ? null : checkSameGoal(input, 'runner start');
  if (same !== null) return { kind: 'refuse', ...same };

  const wanted = input.goalId ?? `run-${input.shortHead}`;
  const runId = chooseFreeId(wanted, input.held);
  return { kind: 'begin', runId, notes: [...renderOtherId(input, runId), ...renderLeftBehind(input)] };
}

/** A branch that has a work tree of its own cannot be checked out here as well. */
function canGoOn({ branch, isNew }: StartInput, { run_id, place }: KnownRun): boolean {
  const isHere =
    place === 'branch' || place === 'head' || (place !== 'none' && branch === `runner/${run_id}`);
  return isHere && !isNew;
}

function goOn(input: StartInput, { run_id: runId, place, goals }: KnownRun): StartPlan {
  if (place === 'head')
    return { kind: 'revive', runId, notes: [`branch runner/${runId} was gone and is made again from here`] };
  if (input.branch === `runner/${runId}`) return { kind: 'resume', runId };
  const notes = goals.includes(input.goal)
    ? []
    : [`run '${runId}' works for another goal than the one that .runner/GOAL.md held on '${input.branch}'`];
  return { kind: 'switch', runId, notes };
}

export type GoalInput = Pick<StartInput, 'goalId' | 'goal' | 'branch' | 'known'>;

/** Null: no run has this goal. `command`: what begins another one. */
export function checkSameGoal(
  input: GoalInput,
  command: 'runner start' | 'runner run start',
): Refusal | null {
  const same = findSameGoal(input);
  return same === undefined ? null : refuseSameGoal(input, same, command);
}

/** The run of this branch comes first, then that of the id: they are the likely choice. An abandoned run is in nobody's way. */
function findSameGoal(input: GoalInput): KnownRun | undefined {
  const same = input.known.filter(
    ({ state, goals }) => state !== 'elsewhere' && state !== 'abandoned' && goals.includes(input.goal),
  );
  return (
    same.find(({ run_id }) => input.branch === `runner/${run_id}`) ??
    same.find(({ run_id }) => run_id === input.goalId) ??
    same[0]
  );
}

function refuseSameGoal(input: GoalInput, run: KnownRun, command: string): Refusal {
  const { run_id: runId, state } = run;
  if (state === 'open') {
    const isHere = input.branch === `runner/${runId}` && command === 'runner run start';
    return {
      code: 'RUN_UNFINISHED',
      message: `run '${runId}' has this goal and is unfinished`,
      hint: `${isHere ? 'runner loop' : wayTo(input, run)}, or leave '${runId}' behind and begin another run: ${command} --new`,
    };
  }
  return {
    code: 'RUN_COMPLETE',
    message: `run '${runId}' is ${state}: it has done this goal`,
    hint:
      state === 'complete'
        ? `runner finish ${runId}, or do the goal once more: ${command} --new`
        : `write the next goal into .runner/GOAL.md, then: ${command} (or do this one once more: ${command} --new)`,
  };
}

function wayTo({ branch }: Pick<StartInput, 'branch'>, { run_id: runId, place }: KnownRun): string {
  if (branch === `runner/${runId}` || place === 'head') return `put 'id: ${runId}' back into .runner/GOAL.md`;
  return place === 'branch' ? `${commandTo(runId, place)} && runner loop` : commandTo(runId, place);
}

function commandTo(runId: string, place: KnownRun['place']): string {
  if (place === 'branch') return `git switch runner/${runId}`;
  if (place === 'background') return `runner run resume ${runId}`;
  return `runner run ${place === 'at-work' ? 'attach' : 'show'} ${runId}`;
}

const holders: Readonly<Record<IdHolder, string>> = {
  branch: 'a branch has it',
  record: 'a background run has it',
  archive: 'a finished or abandoned run had it',
  history: 'a run in the history of this branch had it',
};

function renderOtherId({ goalId, held }: StartInput, runId: string): readonly string[] {
  const holder = goalId === null ? null : findHolder(goalId, held);
  return holder === null
    ? []
    : [`the id '${goalId}' is not free (${holders[holder]}): this run is '${runId}'`];
}

function renderLeftBehind({ known, branch }: StartInput): readonly string[] {
  const open = known
    .filter(isOnBranch)
    .toSorted((a, b) => Number(`runner/${b.run_id}` === branch) - Number(`runner/${a.run_id}` === branch));
  const more = open.length > namedMax ? ` and ${open.length - namedMax} more` : '';
  const named = open
    .slice(0, namedMax)
    .map(({ run_id, place }) => `'${run_id}' (${commandTo(run_id, place)})`);
  return open.length === 0 ? [] : [`left unfinished: run ${named.join(', ')}${more}`];
}

/** Not ended, and somebody can go on with it. */
function isOnBranch({ state, place }: KnownRun): boolean {
  return state === 'open' && place !== 'head' && place !== 'none';
}

/** There is nothing to work for: GOAL.md is missing, empty, or as `init` made it. */
export function refuseNoGoal(known: readonly KnownRun[], isMissing: boolean): Refusal {
  const open = known.find(isOnBranch);
  const complete = known.find(({ state }) => state === 'complete');
  const another = 'describe a goal in .runner/GOAL.md, then: runner start';
  const refusal = { code: 'GOAL_PLACEHOLDER', message: 'there is no goal yet in .runner/GOAL.md' } as const;
  if (open !== undefined)
    return { ...refusal, hint: `${wayTo({ branch: '' }, open)} continues that run; or ${another}` };
  if (complete !== undefined) return { ...refusal, hint: `runner finish ${complete.run_id}; or ${another}` };
  const first = isMissing ? 'runner init, then ' : '';
  return { ...refusal, hint: `${first}${another} (or: runner start --goal <file>)` };
}

/** Decides which run `start` begins or continues (§11). Pure: branches, ids and the tree's state in, one plan or one refusal out. */
import type { ErrorCode } from '../errors.ts';
import { chooseRunId } from './run-id.ts';

export interface KnownRun {
  readonly run_id: string;
  /** Null: the branch holds no tree of this project folder. */
  readonly complete: boolean | null;
}

export interface StartInput {
  readonly goalId: string | null;
  readonly branch: string;
  readonly shortHead: string;
  readonly known: readonly KnownRun[];
  readonly isNew: boolean;
}

export type StartPlan =
  /** On the run's branch already. */
  | { readonly kind: 'resume'; readonly runId: string }
  | { readonly kind: 'switch'; readonly runId: string }
  | { readonly kind: 'begin'; readonly runId: string }
  | { readonly kind: 'refuse'; readonly code: ErrorCode; readonly message: string; readonly hint: string };

export function planStart(input: StartInput): StartPlan {
  return input.goalId === null ? planWithoutId(input) : planWithId(input, input.goalId);
}

function planWithId(input: StartInput, runId: string): StartPlan {
  const known = input.known.find((run) => run.run_id === runId);
  if (known === undefined) return { kind: 'begin', runId };
  if (known.complete === true) {
    return {
      kind: 'refuse',
      code: 'RUN_COMPLETE',
      message: `run '${runId}' is complete`,
      hint: "give .runner/GOAL.md a new id (or remove its 'id:' line) and the new goal, then: runner start",
    };
  }
  if (known.complete === null || input.isNew) {
    return {
      kind: 'refuse',
      code: 'RUN_UNFINISHED',
      message:
        known.complete === null
          ? `the id '${runId}' belongs to a run of another project folder`
          : `run '${runId}' is known already, so it is not a new one`,
      hint: "give .runner/GOAL.md a new id, then: runner start (or remove its 'id:' line, then: runner start --new)",
    };
  }
  return { kind: input.branch === `runner/${runId}` ? 'resume' : 'switch', runId };
}

function planWithoutId(input: StartInput): StartPlan {
  const open = input.known.filter((run) => run.complete === false).map((run) => run.run_id);
  // The run of this branch comes first: it is the likely choice.
  const unfinished = open.toSorted(
    (a, b) => Number(b === runOfBranch(input)) - Number(a === runOfBranch(input)),
  );
  const [first] = unfinished;
  if (first !== undefined && !input.isNew) {
    const isHere = input.branch === `runner/${first}`;
    const goOn = isHere
      ? `put 'id: ${first}' back into .runner/GOAL.md`
      : `git switch runner/${first} && runner loop`;
    return {
      kind: 'refuse',
      code: 'RUN_UNFINISHED',
      message: `there is an unfinished run: ${unfinished.join(', ')}`,
      hint: `${goOn}, or begin another run: runner start --new`,
    };
  }
  const taken = new Set(input.known.map((run) => run.run_id));
  return { kind: 'begin', runId: chooseRunId({ shortHead: input.shortHead, taken }) };
}

function runOfBranch(input: StartInput): string {
  return input.branch.replace(/^runner\//, '');
}

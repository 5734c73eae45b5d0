/**
 * What of `.runner/` the target has when a run is finished (§12): people's files three ways, memory as a union, nothing of the run
 * itself. So runs that are finished one after the other never conflict there. Tree and run state come from `freshState`.
 */
import { memoryFiles } from '../iteration/initial-files.ts';
import { ownerOf } from '../iteration/ownership.ts';
import { compareCodePoints } from '../tree/tree-walk.ts';
import { withoutGoalId } from './goal-without-id.ts';
import { unionText } from './union-text.ts';

/** A file of `.runner/` in a commit; the path is relative to it. */
export interface RunnerFile {
  readonly path: string;
  readonly oid: string;
  readonly mode: string;
}

/** As in a commit, or with a text of its own. */
export type IdleFile = RunnerFile | { readonly path: string; readonly text: string };

export interface IdleInput {
  readonly run_id: string;
  /** Where the run began, what it is merged into, and its last commit. */
  readonly base: readonly RunnerFile[];
  readonly target: readonly RunnerFile[];
  readonly run: readonly RunnerFile[];
  /** Texts by blob id, of the files that `needsText` names. */
  readonly texts: ReadonlyMap<string, string>;
}

const templates: ReadonlyMap<string, string> = new Map([
  ...Object.entries(memoryFiles),
  ['state/answers.md', ''],
]);
const ofTheRun = ['state/tree.json', 'state/run_state.json', 'state/tree.rejected.json'];

export function needsText(path: string): boolean {
  return path === 'GOAL.md' || path === 'state/config.toml' || templates.has(path);
}

/** By path. */
export function idleFiles(input: IdleInput): readonly IdleFile[] {
  const all = [...input.base, ...input.target, ...input.run].map(({ path }) => path);
  const paths = [...new Set(all)].toSorted(compareCodePoints);
  return paths.flatMap((path) => {
    const file = selectFile(input, path);
    return file === null ? [] : [file];
  });
}

interface Three {
  readonly base: RunnerFile | undefined;
  readonly target: RunnerFile | undefined;
  readonly run: RunnerFile | undefined;
}

/** Null: the target does not have it. */
function selectFile(input: IdleInput, path: string): IdleFile | null {
  const owner = ownerOf(path);
  const isNodes = path.startsWith('nodes/');
  if (ofTheRun.includes(path) || owner === 'local' || (isNodes && owner === 'runner')) return null;
  const versions: Three = {
    base: find(input.base, path),
    target: find(input.target, path),
    run: find(input.run, path),
  };
  // What agents left beside a node belongs to the run's tree, which the target does not get.
  if (isNodes && owner === 'agent') return versions.target ?? null;
  return selectUnion(input, versions) ?? selectPersons(input, versions);
}

/** Links inside `.runner/` are refused everywhere (§2). */
function find(files: readonly RunnerFile[], path: string): RunnerFile | undefined {
  return files.find((file) => file.path === path && file.mode.startsWith('100'));
}

function selectUnion({ texts }: IdleInput, { base, target, run }: Three): IdleFile | null {
  const template = run === undefined ? undefined : templates.get(run.path);
  if (run === undefined || target === undefined || template === undefined) return null;
  const [ours, theirs] = [texts.get(target.oid), texts.get(run.oid)];
  if (ours === undefined || theirs === undefined) return null;
  const began = base === undefined ? undefined : texts.get(base.oid);
  return { path: run.path, text: unionText({ base: began ?? template, target: ours, run: theirs }) };
}

/** The target's version if it differs from where the run began, else the run's. */
function selectPersons({ texts, run_id }: IdleInput, { base, target, run }: Three): IdleFile | null {
  const isSame = target?.oid === base?.oid && target?.mode === base?.mode;
  const chosen = isSame ? run : target;
  if (chosen === undefined) return null;
  const text = chosen.path === 'GOAL.md' ? texts.get(chosen.oid) : undefined;
  const plain = text === undefined ? undefined : withoutGoalId(text, run_id);
  return plain === undefined || plain === text ? chosen : { path: chosen.path, text: plain };
}

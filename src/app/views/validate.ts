/** All checks of layout, config, tree and identity, read-only (§10); fit for a pre-commit hook, so the staged tree is checked too. */
import { RunnerError } from '../../core/errors.ts';
import { gitignoreText, memoryFiles } from '../../core/iteration/initial-files.ts';
import { checkRunIdentity } from '../../core/iteration/run-id.ts';
import { withPath } from '../../core/text/text-place.ts';
import { checkGoalShare } from '../../core/prompt/goal-share.ts';
import type { GoalWarning } from '../../core/prompt/goal-share.ts';
import { parseRunState } from '../../core/iteration/run-state-schema.ts';
import { checkPassedByHand } from '../../core/tree/immutability.ts';
import { parseTree } from '../../core/tree/tree-schema.ts';
import type { Config, SourceText } from '../../core/types.ts';
import type { GitPort } from '../../ports/git.ts';
import type { ConfigStore, GoalStore, RunStateStore, TreeStore, Workspace } from '../../ports/stores.ts';

const treePath = '.runner/state/tree.json';
const statePath = '.runner/state/run_state.json';

export interface CheckPorts {
  readonly workspace: Workspace;
  readonly configs: ConfigStore;
  readonly trees: TreeStore;
  readonly runStates: RunStateStore;
  readonly goals: GoalStore;
  /** Null outside a git repository. */
  readonly git: Pick<GitPort, 'headBranch'> | null;
}

type StagedGit = Pick<GitPort, 'headBranch' | 'loadStaged' | 'loadText'>;
type StagedPorts = Pick<ValidatePorts, 'isOwnCommit'> & { readonly git: StagedGit };

export interface ValidatePorts extends CheckPorts {
  readonly git: StagedGit | null;
  /** Contract: throws when the settings name a script of the scripted agent that is missing or not valid. */
  readonly checkScript: (config: Config) => Promise<void>;
  /** Contract: true inside a hook of the commit that the runner itself makes. */
  readonly isOwnCommit: () => Promise<boolean>;
}

export type RunIdentity =
  | { readonly kind: 'not-started' }
  /** Not on a `runner/*` branch: identity is information, not an error. */
  | { readonly kind: 'inactive'; readonly run_id: string; readonly branch: string | null }
  | { readonly kind: 'ok'; readonly run_id: string; readonly branch: string };

export interface Validated {
  readonly run: RunIdentity;
  /** What is valid and still worth a word. */
  readonly warnings: readonly GoalWarning[];
}

/** `allowPassedEdits`: a person means it. */
export async function validate(
  ports: ValidatePorts,
  { allowPassedEdits }: { readonly allowPassedEdits: boolean },
): Promise<Validated> {
  await checkLayout(ports.workspace);
  await ports.checkScript(await ports.configs.load());
  await ports.trees.load();
  const { git } = ports;
  if (git !== null) {
    const staged = await git.loadStaged(treePath);
    await checkStagedTree(ports, staged);
    if (!allowPassedEdits) await checkStagedPasses({ ...ports, git }, staged);
  }
  const run = await checkIdentity(ports);
  const warning = await findLongGoal(ports);
  return { run, warnings: warning === null ? [] : [warning] };
}

/** A goal that prompts will have to cut (§6). */
export async function findLongGoal({
  goals,
  configs,
}: Pick<CheckPorts, 'goals' | 'configs'>): Promise<GoalWarning | null> {
  const { prompt_budget_bytes } = await configs.load();
  return checkGoalShare((await goals.load()).body, prompt_budget_bytes);
}

const requiredFiles = [
  '.gitignore',
  '.gitattributes',
  'GOAL.md',
  'state/tree.json',
  'state/schema.json',
  'state/agent_output.schema.json',
  'state/config.toml',
  'state/run_state.json',
  // A run that began before there were answers is still valid.
  ...Object.keys(memoryFiles).filter((path) => path !== 'state/answers.md'),
];

/** The ignored folders may be missing: a fresh clone is valid (§2). */
export async function checkLayout(workspace: Workspace): Promise<void> {
  const kind = await workspace.kind();
  if (kind !== 'folder') {
    throw new RunnerError({
      code: 'LAYOUT_MISSING',
      message: kind === 'missing' ? 'there is no .runner/ here' : '.runner exists but is not a folder',
      hint: 'runner init',
    });
  }
  const problems: string[] = (await workspace.listLinks()).map(
    (path) => `.runner/${path} is a symbolic link`,
  );
  for (const path of requiredFiles) {
    const source = await workspace.load(path);
    if (source.kind === 'missing') problems.push(`.runner/${path} is missing`);
    if (source.kind === 'unreadable') problems.push(`.runner/${path}: ${source.message}`);
  }
  const ignore = await workspace.load('.gitignore');
  const lines = ignore.kind === 'text' ? ignore.text.split('\n').map((line) => line.trim()) : [];
  for (const line of gitignoreText.trim().split('\n')) {
    if (ignore.kind === 'text' && !lines.includes(line))
      problems.push(`.runner/.gitignore lacks the line '${line}'`);
  }
  if (problems.length === 0) return;
  throw new RunnerError({
    code: 'LAYOUT_INVALID',
    message: `.runner/ is not complete: ${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`,
    details: problems,
    hint: 'runner start (or: git checkout -- .runner)',
  });
}

async function checkStagedTree({ trees }: ValidatePorts, staged: SourceText): Promise<void> {
  if (staged.kind === 'missing') return;
  // The text on disk has just been checked; most often nothing else is staged.
  const onDisk = await trees.loadSource();
  if (isSameText(staged, onDisk)) return;
  const parsed = parseTree(staged);
  if (parsed.ok) return;
  throw new RunnerError({
    code: 'TREE_INVALID',
    message: 'the staged .runner/state/tree.json is not a valid tree',
    details: parsed.violations.map(({ path, message }) =>
      path === '' ? withPath('.runner/state/tree.json', message) : `${path}: ${message}`,
    ),
    hint: 'correct the file, then: git add .runner/state/tree.json',
  });
}

/** Against the last commit, for a person's commit of the same run: nothing passes, and no passed node changes, by hand (§10). */
async function checkStagedPasses({ git, isOwnCommit }: StagedPorts, staged: SourceText): Promise<void> {
  // A branch without a commit has nothing that passed.
  const atHead = (path: string): Promise<SourceText> =>
    git.loadText({ commit: 'HEAD', path }).catch(() => ({ kind: 'missing' }));
  const last = await atHead(treePath);
  if (isSameText(staged, last)) return;
  const [before, next] = [parseTree(last), parseTree(staged)];
  if (!before.ok || !next.ok) return;
  const violations = checkPassedByHand({ before: before.tree, next: next.tree });
  if (violations.length === 0) return;
  const run = runOf(await git.loadStaged(statePath));
  if (run === null || runOf(await atHead(statePath)) !== run || (await isOwnCommit())) return;
  throw new RunnerError({
    code: 'PASSED_EDITED',
    message: `the staged ${treePath} changes what has passed; only the runner does that`,
    details: violations.map(({ path, message }) => `${path}: ${message}`),
    hint: `git restore --staged --worktree -- ${treePath}, or if you mean it: runner validate --allow-passed-edits`,
  });
}

function isSameText(one: SourceText, other: SourceText): boolean {
  return one.kind === 'text' && other.kind === 'text' && one.text === other.text;
}

function runOf(source: SourceText): string | null {
  const parsed = source.kind === 'text' ? parseRunState(source.text) : null;
  return parsed?.ok === true ? parsed.state.run_id : null;
}

export async function checkIdentity(ports: CheckPorts): Promise<RunIdentity> {
  const { run_id } = await ports.runStates.load();
  const goal = await ports.goals.load();
  if (run_id === null) return { kind: 'not-started' };
  const branch = ports.git === null ? null : await ports.git.headBranch();
  if (branch === null || !branch.startsWith('runner/')) return { kind: 'inactive', run_id, branch };
  const identity = checkRunIdentity({ goalId: goal.id, stateId: run_id, branch });
  if (!identity.ok) throw new RunnerError(identity);
  return { kind: 'ok', run_id, branch };
}

/** All checks of layout, config, tree and identity, read-only (§10); fit for a pre-commit hook, so the staged tree is checked too. */
import { RunnerError } from '../../core/errors.ts';
import { gitignoreText, memoryFiles } from '../../core/iteration/initial-files.ts';
import { checkRunIdentity } from '../../core/iteration/run-id.ts';
import { withPath } from '../../core/text/text-place.ts';
import { parseTree } from '../../core/tree/tree-schema.ts';
import type { GitPort } from '../../ports/git.ts';
import type { ConfigStore, GoalStore, RunStateStore, TreeStore, Workspace } from '../../ports/stores.ts';

export interface CheckPorts {
  readonly workspace: Workspace;
  readonly configs: ConfigStore;
  readonly trees: TreeStore;
  readonly runStates: RunStateStore;
  readonly goals: GoalStore;
  /** Null outside a git repository. */
  readonly git: Pick<GitPort, 'headBranch'> | null;
}

export interface ValidatePorts extends CheckPorts {
  readonly git: GitPort | null;
}

export type RunIdentity =
  | { readonly kind: 'not-started' }
  /** Not on a `runner/*` branch: identity is information, not an error. */
  | { readonly kind: 'inactive'; readonly run_id: string; readonly branch: string | null }
  | { readonly kind: 'ok'; readonly run_id: string; readonly branch: string };

export async function validate(ports: ValidatePorts): Promise<RunIdentity> {
  await checkLayout(ports.workspace);
  await ports.configs.load();
  await ports.trees.load();
  await checkStagedTree(ports);
  return checkIdentity(ports);
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

async function checkStagedTree({ git, trees }: ValidatePorts): Promise<void> {
  if (git === null) return;
  const staged = await git.loadStaged('.runner/state/tree.json');
  if (staged.kind === 'missing') return;
  // The text on disk has just been checked; most often nothing else is staged.
  const onDisk = await trees.loadSource();
  if (staged.kind === 'text' && onDisk.kind === 'text' && staged.text === onDisk.text) return;
  const parsed = parseTree(staged);
  if (parsed.ok) return;
  throw new RunnerError({
    code: 'TREE_INVALID',
    message: 'the staged .runner/state/tree.json is not a valid tree',
    details: parsed.violations.map(({ path, message }) =>
      path === '' ? withPath('.runner/state/tree.json', message) : `${path}: ${message}`,
    ),
    hint: 'mend the file, then: git add .runner/state/tree.json',
  });
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

/** Creates `.runner/`, or completes one that a crash left half made (§2). Keeps every text a person wrote. */
import { renderDefaultConfig } from '../core/config/config-template.ts';
import { detectGuard } from '../core/config/detect-guard.ts';
import type { DetectedGuard } from '../core/config/detect-guard.ts';
import { detectSetup } from '../core/config/detect-setup.ts';
import type { DetectedSetup } from '../core/config/detect-setup.ts';
import { RunnerError } from '../core/errors.ts';
import { defaultConfig } from '../core/config/default-config.ts';
import {
  freshState,
  goalTemplate,
  ignoreAllText,
  localFolders,
  memoryFiles,
  withLines,
} from '../core/iteration/initial-files.ts';
import { parseRunState } from '../core/iteration/run-state-schema.ts';
import { runnerFiles } from '../core/iteration/runner-files.ts';
import type { ConfigStore, Workspace } from '../ports/stores.ts';

export interface InitPorts {
  readonly workspace: Workspace;
  readonly configs: ConfigStore;
}

/** Files that a run needs; all others are created again as shipped. */
export const neededFiles = ['GOAL.md', 'state/config.toml', 'state/tree.json', 'state/run_state.json'];

export interface InitOutcome {
  readonly guardCommand: readonly string[];
  /** What was found for `automation.setup`, and by which file; none when the settings were there already. */
  readonly setup: readonly DetectedSetup[];
  readonly warning: string | null;
  readonly files: readonly string[];
}

export async function init(ports: InitPorts, options: { readonly force: boolean }): Promise<InitOutcome> {
  const { workspace } = ports;
  await requireFolder(workspace);
  if (!options.force && (await isInitialised(workspace))) {
    throw new RunnerError({
      code: 'LAYOUT_EXISTS',
      message: '.runner/ already exists',
      hint: 'runner init --force rewrites tree, run state and schemas; GOAL.md, config and memory stay',
    });
  }
  await requireTree(workspace, options);
  const guard = await guardInForce(ports);
  const kept = {
    'GOAL.md': goalTemplate,
    'state/config.toml': renderDefaultConfig({
      guardCommand: guard.command,
      setup: guard.setup.map(({ command }) => command),
    }),
    ...memoryFiles,
  };
  const files: string[] = [];
  const save = async (path: string, text: string): Promise<void> => {
    await workspace.save(path, text);
    files.push(path);
  };
  for (const folder of localFolders) await save(`${folder}/.gitignore`, ignoreAllText);
  for (const [path, text] of Object.entries(runnerFiles()))
    await save(path, await extended(workspace, path, text));
  for (const [path, text] of Object.entries(kept))
    if ((await workspace.load(path)).kind === 'missing') await save(path, text);

  // run_state.json comes last: it marks the layout as complete.
  const { max_attempts_default } = options.force ? await ports.configs.load() : defaultConfig;
  if (options.force) await keepTree(workspace);
  for (const [path, text] of Object.entries(freshState({ runId: null, maxAttempts: max_attempts_default })))
    if (options.force || (await workspace.load(path)).kind === 'missing') await save(path, text);

  if (options.force) await workspace.remove('state/tree.rejected.json');
  return { guardCommand: guard.command, setup: guard.setup, warning: guard.warning, files };
}

/** People may add lines to the two git files; everything else of ours is as shipped. */
export async function extended(workspace: Workspace, path: string, text: string): Promise<string> {
  if (!path.startsWith('.git')) return text;
  const source = await workspace.load(path);
  return source.kind === 'text' ? withLines(source.text, text) : text;
}

/** What is replaced may be in no commit: it is kept with the logs (§1). `by`: the text that comes in its place, which needs no keeping. */
export async function keepReplaced(
  workspace: Workspace,
  path: string,
  { name, ending, by }: { readonly name: string; readonly ending: string; readonly by: string | null },
): Promise<void> {
  const source = await workspace.load(path);
  if (source.kind !== 'text' || source.text === by) return;
  for (let k = 1; ; k += 1) {
    const place = `iterations/replaced-${name}-${k}.${ending}`;
    const kept = await workspace.load(place);
    if (kept.kind === 'text' && kept.text === source.text) return;
    if (kept.kind === 'missing') return workspace.save(place, source.text);
  }
}

export function keepTree(workspace: Workspace): Promise<void> {
  return keepReplaced(workspace, 'state/tree.json', { name: 'tree', ending: 'json', by: null });
}

async function requireFolder(workspace: Workspace): Promise<void> {
  if ((await workspace.kind()) === 'other') {
    throw new RunnerError({
      code: 'LAYOUT_INVALID',
      message: '.runner exists but is not a folder',
      hint: 'mv .runner .runner.old && runner init',
    });
  }
}

/** A run that has begun needs its tree; a new tree would start the run over. */
async function requireTree(workspace: Workspace, { force }: { readonly force: boolean }): Promise<void> {
  const state = await workspace.load('state/run_state.json');
  const parsed = state.kind === 'text' ? parseRunState(state.text) : null;
  const runId = parsed?.ok === true ? parsed.state.run_id : null;
  if (force || runId === null || (await workspace.load('state/tree.json')).kind !== 'missing') return;
  throw new RunnerError({
    code: 'LAYOUT_INVALID',
    message: `.runner/state/tree.json of run '${runId}' is missing`,
    hint: 'runner start puts it back where the last commit has it; else: git log --oneline --all -- .runner/state/tree.json',
  });
}

/** The guard of existing settings; else the detected one, which goes into new settings. */
async function guardInForce({ workspace, configs }: InitPorts): ReturnType<typeof findGuard> {
  const isThere = (await workspace.load('state/config.toml')).kind !== 'missing';
  if (!isThere) return findGuard(workspace);
  return { command: (await configs.load()).guard.command, setup: [], warning: null };
}

/** Leaving a run branch keeps the ignored folders; on their own they are no layout (§2). */
export async function isInitialised(workspace: Workspace): Promise<boolean> {
  return (await listMissing(workspace)).length === 0;
}

export async function listMissing(workspace: Workspace): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const path of neededFiles) if ((await workspace.load(path)).kind === 'missing') missing.push(path);

  return missing;
}

async function findGuard(
  workspace: Workspace,
): Promise<DetectedGuard & { readonly setup: readonly DetectedSetup[] }> {
  const names = await workspace.listProject();
  const texts: Record<string, string> = {};
  for (const name of [
    'justfile',
    'Justfile',
    '.justfile',
    'package.json',
    'Makefile',
    'makefile',
    'GNUmakefile',
  ]) {
    if (!names.includes(name)) continue;
    const source = await workspace.loadProject(name);
    if (source.kind === 'text') texts[name] = source.text;
  }
  return { ...detectGuard({ names, texts }), setup: detectSetup(names) };
}

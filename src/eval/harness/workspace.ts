/**
 * The folder of a trial: a fresh git repository with the case's history and files, and the links by which people find it. Nothing
 * outside the folders of trials and links is touched.
 */
import { appendFile, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { diskError, errorCode } from '../../adapters/files/disk-error.ts';
import { saveFile } from '../../adapters/files/files.ts';
import { gitClient } from '../../adapters/git/client.ts';
import type { Git } from '../../adapters/git/client.ts';
import { layout } from '../../adapters/files/layout.ts';
import { stageName } from '../../adapters/files/stage.ts';
import { renderTrialConfig } from '../cases/case-config.ts';
import { latestLinkName, workspaceName } from '../cases/names.ts';
import type { PathMap } from '../cases/path-map.ts';
import type { NameSeed } from '../cases/names.ts';
import type { EvalCase } from '../cases/types.ts';
import { setGoalId } from '../../core/config/goal.ts';
import { layHistory } from './history.ts';
import { layFiles } from './lay-files.ts';

/** The trial's own, whatever the user has set for all repositories: results must not depend on whose machine it is. */
const settings = `[user]
\tname = Runner Eval
\temail = runner-eval@local.invalid
[commit]
\tgpgsign = false
[core]
\tautocrlf = false
\texcludesFile = /dev/null
\tattributesFile = /dev/null
`;

export interface Workspace {
  readonly dir: string;
  readonly git: Git;
}

export interface WorkspaceRequest {
  /** Empty, and there. */
  readonly dir: string;
  readonly evalCase: EvalCase;
  /** Absolute; null: none. */
  readonly fixtureDir: string | null;
  readonly bundle: string | null;
  readonly map: PathMap;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** A repository on `main` with everything the case brings; not committed yet. Throws DISK and what git says. */
export async function makeWorkspace(request: WorkspaceRequest): Promise<Workspace> {
  const { dir, env, evalCase, fixtureDir, bundle, map } = request;
  // No template: it could bring hooks of the user.
  const outside = gitClient({ cwd: dir, gitDir: null, env });
  await outside.run(['init', '--quiet', '--template=', '--initial-branch=main']);
  await appendFile(join(dir, '.git', 'config'), settings);
  const git = gitClient({ cwd: dir, gitDir: join(dir, '.git'), env });
  if (bundle !== null) await layHistory(git, { bundle, env });
  const justfile = evalCase.justfile === null ? {} : { justfile: evalCase.justfile };
  await layFiles({ fixtureDir, files: { ...evalCase.files, ...justfile }, to: dir, map });
  return { dir, git };
}

export function commitStart({ git }: Workspace): Promise<void> {
  return commitAll(git, 'chore(eval): bootstrap workspace');
}

/** `runner init` has made `.runner/`; goal and settings come from the case. */
export async function configureWorkspace(
  { dir }: Workspace,
  given: {
    readonly evalCase: EvalCase;
    readonly agent: Readonly<Record<string, unknown>>;
    readonly settings: Readonly<Record<string, string>>;
  },
): Promise<void> {
  const { evalCase, agent, settings: typed } = given;
  const place = layout(dir);
  const below = { root: dir, isDurable: false };
  await saveFile(place.goal, setGoalId(`${evalCase.goal.trim()}\n`, evalCase.id), below);
  const template = await readFile(place.config, 'utf8');
  await saveFile(place.config, renderTrialConfig(template, { config: evalCase.config, agent, typed }), below);
}

export function commitConfig({ git }: Workspace): Promise<void> {
  return commitAll(git, 'chore(eval): configure runner');
}

/** Links for people; the newest one is replaced in one instant, so that who follows it never finds nothing. Returns the trial's own. */
export async function linkWorkspace(
  workspacesDir: string,
  given: { readonly case_id: string; readonly name: string; readonly dir: string },
): Promise<string> {
  const own = join(workspacesDir, given.name);
  const link = join(workspacesDir, latestLinkName(given.case_id));
  const stage = join(workspacesDir, stageName());
  try {
    await symlink(given.dir, own);
    await symlink(basename(own), stage);
    await rename(stage, link);
    return own;
  } catch (cause) {
    await rm(stage, { force: true });
    throw diskError({ action: 'link', path: link, cause });
  }
}

/** What a trial has on disk beside its results. */
export interface TrialFolder {
  readonly name: string;
  readonly dir: string;
  readonly workspace: string;
  /** What its programs print, until it is in the results. */
  readonly output: string;
}

export async function makeTrialFolder(
  trialsDir: string,
  case_id: string,
  nextSeed: () => NameSeed,
): Promise<TrialFolder> {
  for (;;) {
    const name = workspaceName(case_id, nextSeed());
    const dir = join(trialsDir, name);
    const folder = { name, dir, workspace: join(dir, 'work'), output: join(dir, 'output') };
    try {
      await mkdir(dir, { mode: 0o700 });
      await mkdir(folder.workspace);
      await mkdir(folder.output);
      return folder;
    } catch (cause) {
      if (errorCode(cause) !== 'EEXIST') throw diskError({ action: 'make the folder', path: dir, cause });
    }
  }
}

async function commitAll(git: Git, message: string): Promise<void> {
  await git.run(['add', '--all']);
  await git.run(['commit', '--quiet', '--allow-empty', '--no-verify', '-m', message]);
}

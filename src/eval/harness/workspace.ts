/**
 * The folder of a trial: a fresh git repository with the case's files and a unique name, and the link to the newest one of a
 * case. Nothing outside the workspaces' folder is touched.
 */
import { appendFile, cp, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { diskError, errorCode } from '../../adapters/files/disk-error.ts';
import { saveFile } from '../../adapters/files/files.ts';
import { gitClient } from '../../adapters/git/client.ts';
import type { Git } from '../../adapters/git/client.ts';
import { layout } from '../../adapters/files/layout.ts';
import { stageName } from '../../adapters/files/stage.ts';
import { renderTrialConfig } from '../cases/case-config.ts';
import { latestLinkName, workspaceName } from '../cases/names.ts';
import type { NameSeed } from '../cases/names.ts';
import type { EvalCase } from '../cases/types.ts';
import { setGoalId } from '../../core/config/goal.ts';

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
  readonly workspacesDir: string;
  readonly evalCase: EvalCase;
  /** Absolute; null: none. */
  readonly fixtureDir: string | null;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** A new one at every call. */
  readonly nextSeed: () => NameSeed;
}

/** One commit on `main` with everything the case brings. Throws DISK and what git says. */
export async function makeWorkspace(request: WorkspaceRequest): Promise<Workspace> {
  const { evalCase, fixtureDir } = request;
  const dir = await makeFolder(request);
  // No template: it could bring hooks of the user.
  const outside = gitClient({ cwd: dir, gitDir: null, env: request.env });
  await outside.run(['init', '--quiet', '--template=', '--initial-branch=main']);
  await appendFile(join(dir, '.git', 'config'), settings);
  const git = gitClient({ cwd: dir, gitDir: join(dir, '.git'), env: request.env });
  if (fixtureDir !== null) await copyFixture(fixtureDir, dir);
  const justfile = evalCase.justfile === null ? {} : { justfile: evalCase.justfile };
  for (const [path, text] of Object.entries({ ...evalCase.files, ...justfile }))
    await saveFile(join(dir, path), text, { root: dir, isDurable: false });

  await commitAll(git, 'chore(eval): bootstrap workspace');
  return { dir, git };
}

/** `runner init` has made `.runner/`; goal and settings come from the case. */
export async function configureWorkspace(
  { dir }: Workspace,
  given: { readonly evalCase: EvalCase; readonly agent: Readonly<Record<string, unknown>> },
): Promise<void> {
  const { evalCase, agent } = given;
  const place = layout(dir);
  const below = { root: dir, isDurable: false };
  await saveFile(place.goal, setGoalId(`${evalCase.goal.trim()}\n`, evalCase.id), below);
  const template = await readFile(place.config, 'utf8');
  await saveFile(place.config, renderTrialConfig(template, evalCase.config, agent), below);
}

export function commitConfig({ git }: Workspace): Promise<void> {
  return commitAll(git, 'chore(eval): configure runner');
}

/** Relative, so that the folder can be moved as a whole; replaced in one instant, so that who follows it never finds nothing. */
export async function linkLatest(workspacesDir: string, case_id: string, workspace: string): Promise<void> {
  const link = join(workspacesDir, latestLinkName(case_id));
  const stage = join(workspacesDir, stageName());
  try {
    await symlink(basename(workspace), stage);
    await rename(stage, link);
  } catch (cause) {
    await rm(stage, { force: true });
    throw diskError({ action: 'link', path: link, cause });
  }
}

async function makeFolder({ workspacesDir, evalCase, nextSeed }: WorkspaceRequest): Promise<string> {
  for (;;) {
    const dir = join(workspacesDir, workspaceName(evalCase.id, nextSeed()));
    try {
      await mkdir(dir);
      return dir;
    } catch (cause) {
      if (errorCode(cause) !== 'EEXIST') throw diskError({ action: 'make the folder', path: dir, cause });
    }
  }
}

/** Links stay what they are; a repository inside the fixture would take the place of the workspace's own. */
async function copyFixture(from: string, to: string): Promise<void> {
  try {
    await cp(from, to, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => basename(source) !== '.git',
    });
  } catch (cause) {
    throw diskError({ action: 'copy', path: from, cause });
  }
}

async function commitAll(git: Git, message: string): Promise<void> {
  await git.run(['add', '--all']);
  await git.run(['commit', '--quiet', '--allow-empty', '--no-verify', '-m', message]);
}

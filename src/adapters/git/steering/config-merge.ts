/**
 * What of a changed `config` of the git folder stays (§14): a person fetches, pushes and makes branches while a session runs, so remotes
 * and branches keep their present values, and everything else comes from the copy. git itself reads and writes the files.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Env } from '../../../core/types.ts';
import type { GitLimits } from '../call-limit.ts';
import { gitClient } from '../client.ts';
import type { Git } from '../client.ts';

/** Values by key, in order; null: a key without a value, which means true. */
type Values = ReadonlyMap<string, readonly (string | null)[]>;

export interface ConfigTools {
  readonly env: Env;
  readonly limits: GitLimits | undefined;
}

export interface Merged {
  readonly bytes: Buffer;
  /** What was not kept, for people: `core.bare was set`. */
  readonly undone: readonly string[];
}

const personal =
  /^(?:branch\..+\.[^.]+|submodule\..+\.(?:url|active)|remote\..+\.(?:url|pushurl|fetch|push|tagopt|prune|prunetags|skipdefaultupdate|skipfetchall|mirror))$/s;
/** What a repository that a session made may set for itself: where it is, and where it comes from. */
const harmless =
  /^(?:core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|worktree|ignorecase|precomposeunicode|symlinks)|extensions\.objectformat)$/s;

/** Contract: `before` with the remotes and branches of `now`; exactly `before` when `now` cannot be read. */
export async function mergeConfig(
  tools: ConfigTools,
  { before, now }: { readonly before: Buffer; readonly now: Buffer },
): Promise<Merged> {
  return withScratch(tools, async ({ git, file }) => {
    const [old, changed] = [
      await loadValues(git, file('before', before)),
      await loadValues(git, file('now', now)),
    ];
    if (old === null || changed === null) return { bytes: before, undone: ['git could not read it'] };

    const differing = [...new Set([...old.keys(), ...changed.keys()])].filter(
      (key) => JSON.stringify(old.get(key)) !== JSON.stringify(changed.get(key)),
    );
    const kept = differing.filter((key) => isPersonal(key, old));
    const path = file('before', before);
    for (const key of kept)
      await setValues(git, { path, key, values: changed.get(key) ?? [], has: old.has(key) });
    return {
      bytes: kept.length === 0 ? before : readFileSync(path),
      undone: differing
        .filter((key) => !kept.includes(key))
        .toSorted()
        .map((key) => `${key} was ${old.has(key) ? (changed.has(key) ? 'changed' : 'removed') : 'set'}`),
    };
  });
}

/** Git fetches missing objects from a promisor remote by itself: so a session must not change its address. */
function isPersonal(key: string, old: Values): boolean {
  const [, remote] = /^remote\.(.+)\.[^.]+$/s.exec(key) ?? [];
  return personal.test(key) && (remote === undefined || !old.has(`remote.${remote}.promisor`));
}

/** Contract: the settings of a repository that a session made, without anything that could run a program; null: as it is. */
export async function selectHarmless(tools: ConfigTools, now: Buffer): Promise<Buffer | null> {
  return withScratch(tools, async ({ git, file }) => {
    const values = await loadValues(git, file('now', now));
    const isKept = (key: string): boolean => harmless.test(key) || personal.test(key);
    if (values !== null && [...values.keys()].every(isKept)) return null;

    const path = file('kept', Buffer.alloc(0));
    for (const [key, all] of values ?? [])
      if (isKept(key)) await setValues(git, { path, key, values: all, has: false });

    return readFileSync(path);
  });
}

interface Scratch {
  readonly git: Git;
  readonly file: (name: string, bytes: Buffer) => string;
}

/** Outside any repository: what is wrong with the one at hand must not matter. */
async function withScratch<T>(
  { env, limits }: ConfigTools,
  use: (scratch: Scratch) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'runner-config-'));
  const git = gitClient({
    cwd: folder,
    gitDir: join(folder, 'none'),
    env: { PATH: env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
    ...(limits === undefined ? {} : { limits }),
  });
  const file = (name: string, bytes: Buffer): string => {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    return path;
  };
  try {
    return await use({ git, file });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Null: git cannot read it. */
async function loadValues(git: Git, path: string): Promise<Values | null> {
  const args = ['config', '--file', path, '--no-includes', '--list', '-z'];
  const { code, stdout } = await git.run(args, { accept: [1, 2, 3, 4, 5, 128, 129] });
  if (code !== 0) return null;

  const values = new Map<string, (string | null)[]>();
  for (const pair of stdout
    .toString('utf8')
    .split('\0')
    .filter((text) => text !== '')) {
    const cut = pair.indexOf('\n');
    const key = cut === -1 ? pair : pair.slice(0, cut);
    values.set(key, [...(values.get(key) ?? []), cut === -1 ? null : pair.slice(cut + 1)]);
  }
  return values;
}

async function setValues(
  git: Git,
  request: {
    readonly path: string;
    readonly key: string;
    readonly values: readonly (string | null)[];
    readonly has: boolean;
  },
): Promise<void> {
  const { path, key, values, has } = request;
  if (has) await git.run(['config', '--file', path, '--unset-all', key]);
  for (const value of values) await git.run(['config', '--file', path, '--add', key, value ?? 'true']);
}

/** A short question to the inside of a sandbox, in folders of its own that are gone afterwards. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { planViews } from '../../../core/sandbox/bwrap.ts';
import type { BwrapPlace, BwrapPolicy } from '../../../core/sandbox/bwrap.ts';
import type { Env } from '../../../core/types.ts';
import { installBwrap, requireBwrap } from './bwrap.ts';
import { missing } from './docker.ts';
import { giveTo } from '../../files/owner.ts';
import type { Owner } from '../../files/owner.ts';

const askMs = 20_000;

export interface Ground {
  readonly place: BwrapPlace;
  readonly policy: BwrapPolicy;
  readonly user: Owner | null;
  readonly env: Env;
}

/** What it prints. Throws SANDBOX_MISSING when bubblewrap does not start. */
export async function askInside(
  { place, policy, user, env }: Ground,
  build: (policy: BwrapPolicy) => readonly string[],
): Promise<string> {
  const program = await requireBwrap(env, place.top);
  const folder = mkdtempSync(join(tmpdir(), 'runner-ask-'));
  try {
    const [io, cache, home, empty] = ['io', 'cache', 'home', 'empty'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
      string,
    ];
    for (const path of [io, cache, home]) mkdirSync(path);
    writeFileSync(empty, '');
    chmodSync(folder, 0o711);
    if (user !== null) [io, cache, home, empty].forEach((path) => giveTo(path, user));
    const replaced = place.replaced.map(({ path }) => ({ path, source: home }));
    const views = planViews({ ...place, io, cache, replaced });
    const { execa } = await import('execa');
    const { PATH = '' } = env;
    const result = await execa(program, build({ ...policy, views, emptyFile: empty }), {
      cwd: '/',
      env: { PATH },
      extendEnv: false,
      stdin: 'ignore',
      reject: false,
      timeout: askMs,
      ...user,
    });
    if (result.exitCode === undefined || result.stderr.startsWith('bwrap: '))
      throw missing(`bubblewrap does not start: ${result.stderr.split('\n')[0] ?? ''}`, installBwrap);
    return result.stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

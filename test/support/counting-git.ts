/** A program in front of git that counts how often it is started. */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import type { TestRepo } from './repo.ts';

export function countingEnv(repo: TestRepo): Record<string, string | undefined> {
  const real = repo.env['PATH']?.split(':') ?? [];
  repo.write(
    '../counting/git',
    `#!/bin/sh\necho x >> ${join(repo.base, 'calls')}\nPATH=${real.join(':')} exec git "$@"\n`,
  );
  chmodSync(join(repo.base, 'counting/git'), 0o755);
  return { ...repo.env, PATH: [join(repo.base, 'counting'), ...real].join(':') };
}

/** Since it was last asked. */
export function gitCalls(repo: TestRepo): number {
  const count = repo.has('../calls') ? repo.read('../calls').length / 2 : 0;
  repo.write('../calls', '');
  return count;
}

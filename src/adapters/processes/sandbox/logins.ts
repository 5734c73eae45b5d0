/**
 * Login files of an agent: copied into the folder of a session, and brought back when the agent has renewed its login there (§13.8).
 * A file is replaced only if it is still the one that was copied.
 */
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRenewal } from '../../../core/sandbox/login-renewal.ts';
import { RunnerError } from '../../../core/errors.ts';
import type { Env } from '../../../core/types.ts';
import { systemClock } from '../../files/clock.ts';
import { loadText, saveFile } from '../../files/files.ts';
import { stateHome } from '../../files/state-home.ts';
import { workTreeLock } from '../lock.ts';

export interface LoginFile {
  readonly path: string;
  /** What a session makes of it is brought back. Settings are not: they name programs that would run outside. */
  readonly isRenewed: boolean;
}

export interface LoginCopy {
  /** The user's file, and its copy. */
  readonly path: string;
  readonly copy: string;
  /** Of what was copied. */
  readonly sha256: string;
}

const loginBytesMax = 1024 * 1024;
const retriesMax = 100;
const retryMs = 50;

export function hashLogin(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Contract: no process of the session lives. */
export async function bringBackLogins(
  copies: readonly LoginCopy[],
  { env, root }: { readonly env: Env; readonly root: string },
): Promise<void> {
  const changed: (LoginCopy & { readonly text: string })[] = [];
  for (const copy of copies) {
    const source = await loadText(copy.copy, { bytesMax: loginBytesMax, root });
    if (source.kind === 'text' && hashLogin(source.text) !== copy.sha256)
      changed.push({ ...copy, text: source.text });
  }
  if (changed.length === 0) return;
  const release = await holdLock(env);
  try {
    for (const { path, sha256, text } of changed) {
      const ours = await loadText(path, { bytesMax: loginBytesMax });
      const isOurs = ours.kind === 'text' && hashLogin(ours.text) === sha256;
      if (isOurs && isRenewal(ours.text, text)) await saveFile(path, text, { root: dirname(path) });
    }
  } finally {
    await release();
  }
}

/** Several runs may come back at the same time. */
async function holdLock(env: Env): Promise<() => Promise<void>> {
  const root = dirname(stateHome(env));
  const file = join(stateHome(env), 'logins.lock');
  const quarantineDir = join(stateHome(env), 'quarantine');
  const lock = workTreeLock({ file, root, quarantineDir, clock: systemClock(), onNote: () => undefined });
  for (let left = retriesMax; ; left -= 1) {
    try {
      return await lock.acquire('runner');
    } catch (error) {
      if (left === 0 || !(error instanceof RunnerError) || error.code !== 'LOCKED') throw error;
    }
    await sleep(retryMs);
  }
}

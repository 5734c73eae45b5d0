/** Runs `runner ui` beside a batch: pages that follow the newest workspace of a case, in a separate process that never outlives us. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { lineReader } from '../../adapters/files/line-reader.ts';
import { loadTail } from '../../adapters/files/log-cut.ts';
import { runProcess } from '../../adapters/processes/process.ts';
import { RunnerError } from '../../core/errors.ts';
import { isObject } from '../../core/text/is-object.ts';
import { latestLinkName } from '../cases/names.ts';
import { logDiskBytesMax } from '../../core/limits.ts';
import { parseStrictJson } from '../../core/text/strict-json.ts';
import type { SignalName } from '../../core/types.ts';
import type { Interrupts } from '../../ports/sessions.ts';
import { definedOf } from './hide.ts';
import { cookieMark } from './trial-world.ts';
import type { TrialWorld } from './trial-world.ts';
import { makeTempFolder } from '../../adapters/files/temp-folder.ts';

export interface Pages {
  readonly address: string;
  /** Ends the server; returns when it has. */
  close(): Promise<void>;
}

const graceMs = 5000;
const messageBytes = 4096;

/** Throws INTERNAL with the server's own words when it does not come up. */
export async function startPages(
  world: Pick<TrialWorld, 'place' | 'program' | 'env' | 'clock' | 'hasher' | 'active'>,
  case_id: string,
): Promise<Pages> {
  const folder = await makeTempFolder('runner-eval-ui-');
  const cookie = world.hasher.cookie();
  const switchOff = offSwitch();
  const dir = join(world.place.workspacesDir, latestLinkName(case_id));
  let tell: (address: string) => void = () => {};
  const told = new Promise<string>((resolve) => {
    tell = resolve;
  });
  world.active.add(cookieMark(cookie));
  const ended = runProcess({
    argv: [...world.program, 'ui', '-C', dir, '--port', '0', '--json'],
    cwd: world.place.root,
    env: definedOf(world.env),
    stdinFile: null,
    stdoutFile: join(folder, 'out'),
    stderrFile: join(folder, 'err'),
    deadlineMs: Infinity,
    idleTimeoutMs: null,
    diskBytesMax: logDiskBytesMax,
    cookie,
    graceMs,
    clock: world.clock,
    interrupts: switchOff.interrupts,
    onChunk: lineReader((line) => {
      const address = addressIn(line);
      if (address !== null) tell(address);
    }),
  });
  const close = async (): Promise<void> => {
    switchOff.use();
    await ended.finally(() => world.active.delete(cookieMark(cookie)));
    await rm(folder, { recursive: true, force: true });
  };
  const address = await Promise.race([told, ended.then(() => null)]);
  if (address !== null) return { address, close };
  const words = await loadTail(join(folder, 'err'), messageBytes);
  await close();
  throw new RunnerError({
    code: 'INTERNAL',
    message: `the pages could not be started: ${words.trim().split('\n')[0] ?? ''}`,
    hint: 'runner eval run without --ui',
  });
}

function addressIn(line: string): string | null {
  const json = parseStrictJson(line);
  const value = json.ok ? json.value : null;
  const address = isObject(value) ? value['address'] : null;
  return typeof address === 'string' ? address : null;
}

/** Interrupts of our own: the server ends when we say so, not when the user interrupts a trial. */
function offSwitch(): { readonly interrupts: Interrupts; readonly use: () => void } {
  let current: SignalName | null = null;
  const listeners = new Set<(signal: SignalName) => void>();
  return {
    interrupts: {
      current: () => current,
      subscribe: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    use: () => {
      current = 'SIGTERM';
      for (const listener of listeners) listener(current);
    },
  };
}

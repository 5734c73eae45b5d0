/**
 * Starts the process of a background run (§13): in a session of its own, so that it outlives terminal and caller. No daemon, no pipe:
 * what it prints goes to a file.
 */
import { closeSync, constants, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ProcessOwner } from '../../core/runs/record.ts';
import { RunnerError } from '../../core/errors.ts';
import type { Env } from '../../core/types.ts';
import { diskError } from '../files/disk-error.ts';
import { ensureDir } from '../files/files.ts';
import type { RepositoryLayout } from '../files/layout.ts';
import { processOwner } from './records.ts';

export interface DetachedRequest {
  readonly run_id: string;
  /** Program file of the runner; null: the program is one executable file. */
  readonly entryFile: string | null;
  /** The project folder in a checkout of the repository. */
  readonly directory: string;
  readonly env: Env;
}

/** How the process is named in a record; null: it has ended already. */
export async function startDetached(
  place: RepositoryLayout,
  { run_id, entryFile, directory, env }: DetachedRequest,
): Promise<ProcessOwner | null> {
  const { execa } = await import('execa');
  const log = place.workLog(run_id);
  await ensureDir(dirname(log), { root: place.commonDir });
  const fd = openLog(log);
  try {
    const own = entryFile === null ? [] : [...process.execArgv, entryFile];
    const child = execa(process.execPath, [...own, '-C', directory, 'run', 'work', run_id], {
      cwd: place.commonDir,
      env: { ...env },
      extendEnv: false,
      stdin: 'ignore',
      stdout: fd as 3,
      stderr: fd as 3,
      detached: true,
      cleanup: false,
      reject: false,
    });
    child.unref();
    const { pid } = child;
    if (pid !== undefined) return await processOwner(pid);
    throw new RunnerError({
      code: 'INTERNAL',
      message: `the process of run '${run_id}' could not be started: ${(await child).shortMessage ?? ''}`,
      hint: `runner run resume ${run_id}`,
    });
  } finally {
    closeSync(fd);
  }
}

function openLog(path: string): number {
  try {
    const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
    return openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o644);
  } catch (cause) {
    throw diskError({ action: 'write', path, cause });
  }
}

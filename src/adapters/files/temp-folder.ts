/** Creates a folder in the system's temporary folder. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunnerError } from '../../core/errors.ts';
import { errorText } from './disk-error.ts';

export async function makeTempFolder(prefix: string): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), prefix));
  } catch (cause) {
    throw new RunnerError({
      code: 'DISK',
      message: `cannot make a folder in ${tmpdir()}: ${errorText(cause)}`,
      hint: 'set TMPDIR to an existing folder that you can write to',
      cause,
    });
  }
}

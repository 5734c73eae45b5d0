/** The readable log of a background run, beside its record (§13.6): one line for each thing that happens, without secrets. */
import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';
import { cleanLine } from '../../core/text/terminal-text.ts';
import type { ProgressLog } from '../../ports/run-work.ts';
import type { Clock } from '../../ports/sessions.ts';
import { ensureDir } from '../files/files.ts';
import type { RepositoryLayout } from '../files/layout.ts';

/** Past this only what ends or changes something is written. */
const chatterBytesMax = 10_000_000;
const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Never throws once it is open: a log that cannot be written ends no run. */
export async function openProgressLog(
  place: RepositoryLayout,
  request: { readonly run_id: string; readonly clock: Clock; readonly redact: (text: string) => string },
): Promise<ProgressLog> {
  await ensureDir(place.recordsDir, { root: place.commonDir });
  const fd = openQuietly(place.progress(request.run_id));
  let bytes = fd === null ? 0 : fstatSync(fd).size;
  return {
    write: (line, { isChatter = false } = {}) => {
      if (fd === null || (isChatter && bytes > chatterBytesMax)) return;
      const text = `${request.clock.nowIso()} ${cleanLine(request.redact(line))}\n`;
      try {
        bytes += writeSync(fd, text);
      } catch {
        // A full disk stops the run elsewhere, with its reason.
      }
    },
    close: () => {
      if (fd !== null) closeSync(fd);
    },
  };
}

function openQuietly(path: string): number | null {
  try {
    return openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o644);
  } catch {
    return null;
  }
}

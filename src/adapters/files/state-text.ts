/** Loads a file of `.runner/` that the runner needs. Anything but a plain text is an error that names it; links are never followed. */
import { RunnerError } from '../../core/errors.ts';
import type { ErrorCode } from '../../core/errors.ts';
import { stateFileBytesMax } from '../../core/limits.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import { loadText } from './files.ts';

export interface StateTextRequest {
  readonly path: string;
  /** Trusted folder above the path. */
  readonly root: string;
  readonly code: ErrorCode;
  readonly bytesMax?: number;
}

/** The text, or null when there is no such file. */
export async function loadStateText(request: StateTextRequest): Promise<string | null> {
  const { path, root, code, bytesMax = stateFileBytesMax } = request;
  const source = await loadText(path, { bytesMax, root });
  switch (source.kind) {
    case 'text':
      return source.text;
    case 'missing':
      return null;
    case 'unreadable':
      throw new RunnerError({ code, message: source.message, hint: `git restore -- ${shellWord(path)}` });
    case 'too_large':
      throw new RunnerError({
        code,
        message: `${path} has ${source.bytes} bytes; at most ${source.bytesMax} are read`,
        hint: `git restore -- ${shellWord(path)}`,
      });
  }
}

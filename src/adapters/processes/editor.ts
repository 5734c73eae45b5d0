/** Opens a file in the person's editor, and reads a text given as a file or on stdin. Typed text is never thrown away here. */
import { basename, resolve } from 'node:path';
import { RunnerError } from '../../core/errors.ts';
import { textFileBytesMax } from '../../core/limits.ts';
import type { Env } from '../../core/types.ts';
import { moveAside, loadText, removeFile, saveFile } from '../files/files.ts';
import type { PrivateLayout } from '../files/layout.ts';
import { withWorkTreeLast } from './search-path.ts';

/** Whether a person can work in an editor here. */
export function hasTerminal(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY;
}

export interface EditRequest {
  readonly own: PrivateLayout;
  readonly nodeId: string;
  readonly text: string;
  readonly cwd: string;
  readonly env: Env;
  readonly onNote: (message: string) => void;
}

export interface Edited {
  readonly file: string;
  readonly text: string;
  /** Once the text is safe elsewhere. */
  drop(): Promise<void>;
}

export async function runEditor(request: EditRequest): Promise<Edited> {
  const { own } = request;
  const below = { root: own.gitDir };
  const file = resolve(own.root, `edit-${request.nodeId}.yaml`);
  const kept = await moveAside({ from: file, toDir: own.quarantine('edit'), ...below });
  if (kept !== null) request.onNote(`a form that was not used before is kept as ${kept}`);

  await saveFile(file, request.text, below);
  await openEditor(request, file);
  return { file, text: await loadFile(file, 'runner edit --help'), drop: () => removeFile(file, below) };
}

/** Through a shell, because people put arguments into the variable; the file is given as a word of its own. */
async function openEditor({ env, cwd }: EditRequest, file: string): Promise<void> {
  const editor = [env['VISUAL'], env['EDITOR'], 'vi'].find((name) => name !== undefined && name !== '') ?? '';
  const { execa } = await import('execa');
  const ignore = (): void => {};
  // Ctrl-C in the terminal is the editor's, as it is for git.
  process.on('SIGINT', ignore);
  try {
    const result = await execa('sh', ['-c', `${editor} "$@"`, basename(editor), file], {
      cwd,
      env: withWorkTreeLast(env, cwd),
      extendEnv: false,
      stdio: 'inherit',
      reject: false,
    });
    if (result.exitCode !== 0) {
      throw new RunnerError({
        code: 'USAGE',
        message: `the editor '${editor}' ended with ${result.exitCode === undefined ? 'a signal' : `exit code ${result.exitCode}`}; nothing was changed (your text: ${file})`,
        hint: 'set VISUAL or EDITOR to your editor, or give the texts: --title, --goal, --acceptance, --from-file',
      });
    }
  } finally {
    process.off('SIGINT', ignore);
  }
}

/** A file, relative to the folder, or stdin for `-`. Throws USAGE; `hint`: of the command that was given. */
export async function loadInput(name: string, cwd: string, hint: string): Promise<string> {
  if (name !== '-') return loadFile(resolve(cwd, name), hint);

  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    chunks.push(Buffer.from(chunk as Buffer));
    bytes += chunks.at(-1)?.length ?? 0;
    if (bytes > textFileBytesMax) throw unusable(`stdin has more than ${textFileBytesMax} bytes`, hint);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function loadFile(path: string, hint: string): Promise<string> {
  const source = await loadText(path, { bytesMax: textFileBytesMax });
  switch (source.kind) {
    case 'text':
      return source.text;
    case 'missing':
      throw unusable(`there is no file ${path}`, hint);
    case 'unreadable':
      throw unusable(source.message, hint);
    case 'too_large':
      throw unusable(`${path} has more than ${source.bytesMax} bytes`, hint);
  }
}

function unusable(message: string, hint: string): RunnerError {
  return new RunnerError({ code: 'USAGE', message, hint });
}

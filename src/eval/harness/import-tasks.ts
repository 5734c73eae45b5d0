/** Imports task folders of other benchmarks: reads them, copies what the case needs, writes the case file last. Runs nothing of them. */
import { copyFileSync, lstatSync, mkdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { diskError } from '../../adapters/files/disk-error.ts';
import { listDir, loadText, makeFolders, walkFiles } from '../../adapters/files/files.ts';
import { replaceFile } from '../../adapters/files/replace-file.ts';
import { parseTomlText } from '../../adapters/files/toml-text.ts';
import { RunnerError } from '../../core/errors.ts';
import type { SourceText } from '../../core/types.ts';
import { renderCaseText } from '../tasks/case-text.ts';
import { importTask, taskKind, taskPlace } from '../tasks/task-folder.ts';
import type { TaskCopy, TaskFolder } from '../tasks/task-folder.ts';

const textBytesMax = 4 * 1024 * 1024;

export interface Imported {
  readonly id: string;
  /** The case file. */
  readonly file: string;
  readonly hasOracle: boolean;
  readonly requires: readonly string[];
  /** What of the task the case does not have. */
  readonly notes: readonly string[];
}

/** The task that a folder is, or the tasks in it. Throws EVAL_CASE_INVALID when there is none. */
export async function findTasks(dir: string): Promise<readonly string[]> {
  const isTask = async (folder: string): Promise<boolean> => {
    const files = (await listDir(folder)).map(({ name }) => name);
    return taskKind({ files }) !== null;
  };
  if (await isTask(dir)) return [dir];
  const found: string[] = [];
  for (const { name, kind } of await listDir(dir))
    if (kind === 'folder' && (await isTask(join(dir, name)))) found.push(join(dir, name));

  if (found.length > 0) return found;
  throw invalid(`${dir} is no task folder, and none is in it: task.yaml, or task.toml with instruction.md`);
}

export interface ImportPlace {
  readonly casesDir: string;
  /** A folder above, below which it is made if it is missing; null: it is there. */
  readonly makeBelow: string | null;
  /** Whether a case of the same name is replaced. */
  readonly force: boolean;
}

/** Nothing is written unless the whole task can be imported. Throws EVAL_CASE_INVALID, DISK. */
export async function importFolder(
  dir: string,
  { casesDir, makeBelow, force }: ImportPlace,
): Promise<Imported> {
  const task = importTask(await loadFolder(dir));
  if (!task.ok) throw invalid(`${dir}: ${task.problem}`);
  const { id, notes, oracle, requires } = task.draft;
  const file = join(casesDir, `${id}.toml`);
  const place = join(casesDir, taskPlace(id));
  const isTaken = [file, place].find((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
  if (isTaken !== undefined && !force) throw taken(isTaken);
  if (makeBelow !== null) makeFolders(casesDir, { root: makeBelow });
  try {
    rmSync(place, { recursive: true, force: true });
    for (const copy of task.copies) await copyTask(dir, place, copy);
  } catch (cause) {
    throw diskError({ action: 'import to', path: place, cause });
  }
  await replaceFile(file, renderCaseText(task.draft), { root: casesDir });
  return { id, file, hasOracle: oracle !== null, requires, notes };
}

async function loadFolder(dir: string): Promise<TaskFolder> {
  const { files } = await walkFiles(dir);
  const read = new Map<string, SourceText>();
  for (const path of files.filter((name) => !name.startsWith('tests/') || name === 'tests/test.sh'))
    if (isRead(path)) read.set(path, await loadText(join(dir, path), { bytesMax: textBytesMax }));

  const textOf = (path: string): string | null => {
    const source = read.get(path);
    return source?.kind === 'text' ? source.text : null;
  };
  const toml = textOf('task.toml');
  const parsed = toml === null ? null : parseTomlText(toml);
  return { name: basename(dir), files, read: textOf, toml: parsed?.ok === true ? parsed.value : null };
}

/** Texts that say what the task is; all others are only copied. */
function isRead(path: string): boolean {
  return /^(?:task\.(?:yaml|toml)|instruction\.md|run-tests\.sh|tests\/test\.sh|(?:environment\/)?(?:Dockerfile|docker-compose\.yaml))$/.test(
    path,
  );
}

async function copyTask(dir: string, place: string, { from, to, isInto }: TaskCopy): Promise<void> {
  const source = join(dir, from);
  const target = join(place, to);
  if (!lstatSync(source).isDirectory()) {
    copyOne(source, isInto ? join(target, basename(from)) : target);
    return;
  }
  const found = await walkFiles(source);
  for (const path of [...found.files, ...found.links]) copyOne(join(source, path), join(target, path));
}

function copyOne(source: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true });
  if (lstatSync(source).isSymbolicLink()) symlinkSync(readlinkSync(source), target);
  else copyFileSync(source, target);
}

function invalid(message: string): RunnerError {
  return new RunnerError({ code: 'EVAL_CASE_INVALID', message, hint: 'runner eval import --help' });
}

function taken(path: string): RunnerError {
  return new RunnerError({
    code: 'USAGE',
    message: `${path} is there already`,
    hint: 'runner eval import <dir> --force to replace it',
  });
}

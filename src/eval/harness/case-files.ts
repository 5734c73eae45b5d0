/** The case files of a folder, each with its hash, and every problem with its place. It only reads, and one bad file hides no other. */
import { createHash } from 'node:crypto';
import { readlinkSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { listDir, loadBytes, loadText, walkFiles } from '../../adapters/files/files.ts';
import { isFolder } from '../../adapters/files/look-at.ts';
import { parseTomlText } from '../../adapters/files/toml-text.ts';
import { RunnerError } from '../../core/errors.ts';
import { findCasePlace } from '../cases/case-place.ts';
import { parseEvalCase } from '../cases/case.ts';
import type { CaseProblem as KeyProblem } from '../cases/case.ts';
import { selectCases } from '../cases/plan.ts';
import type { Selection } from '../cases/plan.ts';
import type { EvalCase } from '../cases/types.ts';
import { treeBytesMax, violationsShownMax } from '../../core/limits.ts';
import { parseScript } from '../../core/agents/script.ts';
import { renderProblem, withPath } from '../../core/text/text-place.ts';
import { isBelow } from './place.ts';
import type { EvalFolders } from './place.ts';

export interface LoadedCase {
  readonly case: EvalCase;
  /** Absolute path of the case file. */
  readonly file: string;
  /** sha256 of the file and of all files it names. */
  readonly hash: string;
}

/** A file that is no case. */
export interface CaseProblem {
  readonly file: string;
  /** `path:line:column: key: what is wrong`, one each. */
  readonly lines: readonly string[];
}

export interface LoadedCases {
  readonly cases: readonly LoadedCase[];
  readonly problems: readonly CaseProblem[];
}

const caseBytesMax = 16 * 1024 * 1024;
const scriptBytesMax = treeBytesMax;
const fixtureBytesMax = 256 * 1024 * 1024;

/** Sorted by file name; no folder is the same as an empty one. Throws DISK, LAYOUT_INVALID. */
export async function loadCases({ casesDir }: EvalFolders): Promise<LoadedCases> {
  const cases: LoadedCase[] = [];
  const problems: CaseProblem[] = [];
  const taken = new Map<string, string>();
  for (const { name, kind } of await listDir(casesDir)) {
    if (!name.endsWith('.toml') || kind === 'folder') continue;
    const file = join(casesDir, name);
    const loaded = await loadCase(file);
    const first = loaded.ok ? taken.get(loaded.loaded.case.id) : undefined;
    if (!loaded.ok) {
      problems.push({ file, lines: loaded.lines });
    } else if (first !== undefined) {
      problems.push({ file, lines: [placed(file, loaded.text, twice(loaded.loaded.case.id, first))] });
    } else {
      taken.set(loaded.loaded.case.id, file);
      cases.push(loaded.loaded);
    }
  }
  return { cases, problems };
}

function twice(id: string, first: string): KeyProblem {
  return { key: 'case.id', path: ['case', 'id'], message: `'${id}' is the id of ${first} already` };
}

type Loaded =
  | { readonly ok: true; readonly loaded: LoadedCase; readonly text: string }
  | { readonly ok: false; readonly lines: readonly string[] };

async function loadCase(file: string): Promise<Loaded> {
  const source = await loadText(file, { bytesMax: caseBytesMax });
  if (source.kind !== 'text') return { ok: false, lines: [unreadable(file, source)] };
  const toml = parseTomlText(source.text);
  if (!toml.ok) return { ok: false, lines: [withPath(file, toml.problem)] };
  const parsed = parseEvalCase(toml.value);
  const hash = createHash('sha256').update(source.text);
  const problems = parsed.ok ? await hashParts({ file, item: parsed.case, hash }) : parsed.problems;
  if (parsed.ok && problems.length === 0)
    return { ok: true, text: source.text, loaded: { case: parsed.case, file, hash: hash.digest('hex') } };

  const lines = problems.slice(0, violationsShownMax).map((problem) => placed(file, source.text, problem));
  const more = problems.length - lines.length;
  return { ok: false, lines: more > 0 ? [...lines, `${file}: and ${more} more`] : lines };
}

function unreadable(
  file: string,
  source: Exclude<Awaited<ReturnType<typeof loadText>>, { readonly kind: 'text' }>,
): string {
  switch (source.kind) {
    case 'missing':
      return `${file}: there is no such file`;
    case 'unreadable':
      return source.message;
    case 'too_large':
      return `${file}: the file has ${source.bytes} bytes, more than ${source.bytesMax}`;
  }
}

function placed(file: string, text: string, { key, path, message }: KeyProblem): string {
  const told = key === '' ? message : `${key}: ${message}`;
  const place = findCasePlace(text, path);
  return place === null ? `${file}: ${told}` : withPath(file, renderProblem(place, told));
}

interface Parts {
  readonly file: string;
  readonly item: EvalCase;
  readonly hash: ReturnType<typeof createHash>;
}

/** What else the case consists of; what is not there, or wrong, is a problem of the case. */
async function hashParts({ file, item, hash }: Parts): Promise<readonly KeyProblem[]> {
  const folder = dirname(file);
  const { fixture, history, oracle, hidden } = item;
  const oracleFixture = oracle !== null && 'fixture' in oracle ? oracle.fixture : null;
  const folders = { fixture, 'hidden.fixture': hidden.fixture, 'oracle.fixture': oracleFixture };
  const problems: KeyProblem[] = [];
  for (const [key, named] of Object.entries(folders))
    if (named !== null) problems.push(...(await hashFixture(key, resolve(folder, named), hash)));

  if (history !== null) problems.push(...(await hashHistory(resolve(folder, history), hash)));
  if (oracle !== null && 'script' in oracle)
    problems.push(...(await hashOracle(resolve(folder, oracle.script), hash)));

  return problems;
}

async function hashHistory(file: string, hash: Parts['hash']): Promise<readonly KeyProblem[]> {
  const source = await loadBytes(file, { bytesMax: fixtureBytesMax });
  const isBundle =
    source.kind === 'bytes' && source.bytes.subarray(0, 20).toString('latin1').includes('git bundle');
  if (source.kind !== 'bytes' || !isBundle)
    return [{ key: 'history', path: ['history'], message: `${file} is not a git bundle` }];

  hash.update(`\nhistory\n${source.bytes.length}\n`).update(source.bytes);
  return [];
}

/** A link may lead to another file of the workspace, and nowhere else. */
function isLinkInside(dir: string, path: string): boolean {
  const target = readlinkSync(join(dir, path));
  return !isAbsolute(target) && isBelow(resolve(dir, dirname(path), target), dir);
}

async function hashFixture(key: string, dir: string, hash: Parts['hash']): Promise<readonly KeyProblem[]> {
  const refuse = (message: string): readonly KeyProblem[] => [{ key, path: key.split('.'), message }];
  if (!isFolder(dir)) return refuse(`there is no folder ${dir}`);
  const found = await walkFiles(dir);
  const [strange] = found.others;
  if (strange !== undefined) return refuse(`${join(dir, strange)} is neither a file nor a folder nor a link`);
  const outside = found.links.find((path) => !isLinkInside(dir, path));
  if (outside !== undefined) return refuse(`${join(dir, outside)} is a link that leads out of the fixture`);
  for (const path of found.links) hash.update(`\n${path}\n-> ${readlinkSync(join(dir, path))}\n`);
  for (const path of found.files) {
    const source = await loadBytes(join(dir, path), { bytesMax: fixtureBytesMax });
    if (source.kind !== 'bytes') return refuse(`${join(dir, path)} cannot be read`);
    const isProgram = (statSync(join(dir, path)).mode & 0o100) !== 0;
    hash.update(`\n${path}\n${source.bytes.length}${isProgram ? ' x' : ''}\n`).update(source.bytes);
  }
  return [];
}

async function hashOracle(path: string, hash: Parts['hash']): Promise<readonly KeyProblem[]> {
  const source = await loadText(path, { bytesMax: scriptBytesMax });
  const parsed = parseScript(source);
  if (source.kind === 'text') hash.update(`\noracle\n${source.text}`);
  return parsed.ok
    ? []
    : parsed.problems.map((message) => ({
        key: 'oracle.script',
        path: ['oracle', 'script'],
        message: `${path}: ${message}`,
      }));
}

/** The selected cases. Throws EVAL_CASE_UNKNOWN, or EVAL_CASE_INVALID when a named case may be in one of the invalid files. */
export function chooseCases({ cases, problems }: LoadedCases, selection: Selection): readonly LoadedCase[] {
  const selected = selectCases(cases, selection);
  if (selected.ok) return selected.cases;
  const { unknown, near } = selected;
  if (problems.length > 0 && near === null) throw invalidCases(problems, unknown);
  throw new RunnerError({
    code: 'EVAL_CASE_UNKNOWN',
    message: `there is no case '${unknown}'${near === null ? '' : `; did you mean ${near}?`}`,
    hint: 'runner eval list',
  });
}

function invalidCases(problems: readonly CaseProblem[], wanted: string): RunnerError {
  return new RunnerError({
    code: 'EVAL_CASE_INVALID',
    message: `there is no sound case '${wanted}', and ${problems.length} case ${problems.length === 1 ? 'file has' : 'files have'} problems`,
    details: problems.flatMap(({ lines }) => lines),
    hint: 'correct the case files, then run: runner eval list',
  });
}

/**
 * Finds the files the guard itself is made of, from the words of its command and the texts of what it reads (§14). It is given the
 * texts and asks for those it still needs; it never says what a change of them means.
 */
import { justImports, makeIncludes, makeTargets, moduleFiles, recipeLines } from './guard-texts.ts';
import {
  commandsOf,
  folderOf,
  joinPath,
  optionOf,
  plainWords,
  programWord,
  runWords,
  upwards,
  valueOf,
} from './guard-words.ts';
import { ignoresModules, packageRunners, scriptOf, scriptsOf } from './package-scripts.ts';
import { settingsOf, takeoversOf } from './program-files.ts';

/** A file as far as it matters here; `link`: where a symbolic link leads, as written in it. */
export type KnownFile =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'link'; readonly target: string };

export interface GuardFilesInput {
  readonly command: readonly string[];
  /** Project folder inside the work tree, `''` or ending in `/`. */
  readonly prefix: string;
  /** What was read so far, by path from the top; null: there is no such file. */
  readonly known: ReadonlyMap<string, KnownFile | null>;
}

export interface GuardFile {
  readonly path: string;
  /** Of a package.json only these scripts count; null: the whole file does. */
  readonly scripts: readonly string[] | null;
}

export interface GuardFiles {
  /** Sorted by path. */
  readonly files: readonly GuardFile[];
  /** Where a new file would be taken instead of one of `files`, or would change what they do. */
  readonly absent: readonly string[];
  /** Must be read before the answer is whole. */
  readonly unread: readonly string[];
}

const justNames = ['justfile', 'Justfile', 'JUSTFILE', '.justfile', '.Justfile', '.JUSTFILE'];
/** In the order in which make looks for them. */
const makeNames = ['GNUmakefile', 'makefile', 'Makefile'];
const shells = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh']);
interface Walk {
  readonly known: GuardFilesInput['known'];
  readonly files: Set<string>;
  /** Scripts that count, by the path of their package.json. */
  readonly scripts: Map<string, Set<string>>;
  readonly absent: Set<string>;
  readonly unread: Set<string>;
  readonly seen: Set<string>;
}

interface Call {
  readonly words: readonly string[];
  /** Where it runs, `''` or ending in `/`. */
  readonly folder: string;
  /** Which files among its words count: every one of `guard.command`, of a shell text those it runs, of scripts and recipes none. */
  readonly named: 'all' | 'run' | 'none';
}

export function guardFiles({ command, prefix, known }: GuardFilesInput): GuardFiles {
  const walk: Walk = {
    known,
    files: new Set(),
    scripts: new Map(),
    absent: new Set(),
    unread: new Set(),
    seen: new Set(),
  };
  readCall(walk, { words: command, folder: prefix, named: 'all' });
  const whole = [...walk.files].map((path) => ({ path, scripts: null }));
  const parts = [...walk.scripts]
    .filter(([path]) => !walk.files.has(path))
    .map(([path, names]) => ({ path, scripts: [...names].toSorted() }));
  const files = [...whole, ...parts];
  return {
    files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    absent: [...walk.absent].toSorted(),
    unread: [...walk.unread].toSorted(),
  };
}

/** Any word may be a program: wrappers such as `env`, `npx` and `timeout` come before the real one. */
function readCall(walk: Walk, call: Call): void {
  const { words, folder, named } = call;
  if (named === 'run') for (const word of runWords(words)) addFile(walk, joinPath(folder, word));

  words.forEach((word, at) => {
    if (named === 'all') for (const name of [word, optionOf(word)]) addFile(walk, joinPath(folder, name));
    const program = word.slice(word.lastIndexOf('/') + 1);
    const next: Call = { ...call, words: words.slice(at + 1) };
    for (const path of upwards(folder, settingsOf(program))) addFile(walk, path);
    for (const path of upwards(folder, takeoversOf(program, next.words))) addAbsent(walk, path);
    if (program === 'just') readJust(walk, next);
    else if (program === 'make' || program === 'gmake') readMake(walk, next);
    else if (packageRunners.has(program)) readPackage(walk, next, program);
    else if (shells.has(program)) readShell(walk, next);
  });
}

/** Undefined: not read yet. */
function look(walk: Walk, path: string): KnownFile | null | undefined {
  const file = walk.known.get(path);
  if (file === undefined) walk.unread.add(path);
  return file;
}

/** The text of a file, which is the guard's own from now on; a link leads on to what it names. Null: there is none. */
function addFile(walk: Walk, path: string | null): { readonly path: string; readonly text: string } | null {
  const seen = new Set<string>();
  for (let at = path; at !== null && !seen.has(at);) {
    seen.add(at);
    const file = look(walk, at);
    if (file === undefined || file === null) return null;
    walk.files.add(at);
    if (file.kind === 'text') return { path: at, text: file.text };
    at = joinPath(folderOf(at), file.target);
  }
  return null;
}

/** A file of that name would change what the guard does, if there is none yet. */
function addAbsent(walk: Walk, path: string | null): void {
  if (path !== null && path !== '' && look(walk, path) === null) walk.absent.add(path);
}

/** The first of these files that exists; those before it would be taken instead. Undefined: not all are read. */
function findFirst(walk: Walk, paths: readonly string[]): string | null | undefined {
  // All are asked for at once.
  for (const path of paths) look(walk, path);
  const before: string[] = [];
  for (const path of paths) {
    const file = look(walk, path);
    if (file === undefined) return undefined;
    if (file !== null) {
      for (const other of before) walk.absent.add(other);
      return path;
    }
    before.push(path);
  }
  return null;
}

function readJust(walk: Walk, { words, folder }: Call): void {
  const named = valueOf(words, ['-f', '--justfile']);
  const path = named === null ? findJustfile(walk, words, folder) : joinPath(folder, named);
  readJustfile(walk, path ?? null);
}

/** `just sub/ci` runs the recipe `ci` of the justfile in `sub`. */
function findJustfile(walk: Walk, words: readonly string[], folder: string): string | null | undefined {
  const recipe = plainWords(words)[0] ?? '';
  const inside = joinPath(folder, recipe.slice(0, recipe.lastIndexOf('/') + 1));
  if (inside === null) return null;
  return findFirst(walk, upwards(inside, justNames));
}

function readJustfile(walk: Walk, path: string | null): void {
  const file = addFile(walk, path);
  if (file === null || isSeen(walk, `just ${file.path}`)) return;
  const here = folderOf(file.path);
  for (const { path: imported, isOptional } of justImports(file.text)) {
    const place = joinPath(here, imported);
    if (isOptional) addAbsent(walk, place);
    readJustfile(walk, place);
  }
  for (const candidate of moduleFiles(file.text, justNames)) readJustfile(walk, joinPath(here, candidate));
  readRecipes(walk, file.text, here);
}

function readMake(walk: Walk, { words, folder }: Call): void {
  const inside = joinPath(folder, valueOf(words, ['-C', '--directory']) ?? '');
  if (inside === null) return;
  const here = inside === '' ? '' : `${inside}/`;
  const named = valueOf(words, ['-f', '--file', '--makefile']);
  const path =
    named === null
      ? findFirst(
          walk,
          makeNames.map((name) => here + name),
        )
      : joinPath(here, named);
  const texts = readMakefile(walk, path ?? null, here);
  for (const target of makeTargets(texts)) addAbsent(walk, joinPath(here, target));
}

/** make looks for what a Makefile includes from where it runs. Returns the texts of both. */
function readMakefile(walk: Walk, path: string | null, folder: string): readonly string[] {
  const file = addFile(walk, path);
  if (file === null || isSeen(walk, `make ${folder} ${file.path}`)) return [];
  const included = makeIncludes(file.text).flatMap(({ path: name, isOptional }) => {
    const place = joinPath(folder, name);
    if (isOptional) addAbsent(walk, place);
    return readMakefile(walk, place, folder);
  });
  readRecipes(walk, file.text, folder);
  return [file.text, ...included];
}

/** Recipes may call make, just or a package script; files they name are the project's, not the guard's. */
function readRecipes(walk: Walk, text: string, folder: string): void {
  for (const line of recipeLines(text)) readText(walk, { text: line, folder, named: 'none' });
}

function readShell(walk: Walk, { words, folder, named }: Call): void {
  const at = words.findIndex((word) => /^-[a-z]*c$/.test(word));
  const text = at === -1 ? undefined : words[at + 1];
  if (text !== undefined) readText(walk, { text, folder, named: named === 'none' ? 'none' : 'run' });
}

function readText(
  walk: Walk,
  shell: { readonly text: string; readonly folder: string; readonly named: Call['named'] },
): void {
  let { folder } = shell;
  for (const words of commandsOf(shell.text)) {
    const [program, target = ''] = words;
    const inside = program === 'cd' ? joinPath(folder, target) : null;
    if (inside !== null) folder = inside === '' ? '' : `${inside}/`;
    else readCall(walk, { words, folder, named: shell.named });
  }
}

function readPackage(walk: Walk, { words, folder }: Call, program: string): void {
  const inside = joinPath(folder, valueOf(words, ['--prefix', '-C', '--dir', '--cwd']) ?? '');
  const name = scriptOf(plainWords(words), program);
  if (inside === null || name === null) return;
  const path = findFirst(walk, upwards(inside, ['package.json']));
  const file = path === null || path === undefined ? null : look(walk, path);
  if (path === null || path === undefined || file?.kind !== 'text') return;
  const scripts = scriptsOf(file.text);
  // What npm cannot read, or yarn would take for a command of its own, names no script.
  if (scripts === null || (name.isGuess && !scripts.has(name.script))) return;
  for (const place of upwards(folderOf(path), packageRunners.get(program) as readonly string[])) {
    addFile(walk, place);
    addAbsent(walk, place);
  }
  readScript(walk, { path, scripts, name: name.script });
}

interface Script {
  readonly path: string;
  readonly scripts: ReadonlyMap<string, string>;
  readonly name: string;
}

/** With what runs before and after it, and every script that its words name. */
function readScript(walk: Walk, { path, scripts, name }: Script): void {
  const names = walk.scripts.get(path) ?? new Set<string>();
  walk.scripts.set(path, names);
  for (const script of [`pre${name}`, name, `post${name}`]) {
    const text = scripts.get(script);
    if (names.has(script)) continue;
    names.add(script);
    if (text === undefined) continue;
    readText(walk, { text, folder: folderOf(path), named: 'none' });
    addPrograms(walk, { text, folder: folderOf(path) });
    const words = commandsOf(text).flat();
    for (const word of words.map((part) => part.replace(/^npm:/, '')).filter((part) => scripts.has(part)))
      readScript(walk, { path, scripts, name: word });
  }
}

/**
 * Scripts find programs in node_modules first, the shell among them. Where git ignores that folder, whatever a commit has there comes
 * from no installation.
 */
function addPrograms(walk: Walk, { text, folder }: { readonly text: string; readonly folder: string }): void {
  const ignores = upwards(folder, ['.gitignore']).map((path) => look(walk, path));
  const isIgnored = ignores.some((file) => file?.kind === 'text' && ignoresModules(file.text));
  const programs = isIgnored ? commandsOf(text).flatMap((words) => programWord(words) ?? []) : [];
  const names = ['', '/.bin', ...['sh', ...programs].map((program) => `/.bin/${program}`)];
  for (const place of upwards(folder, ['node_modules']))
    for (const name of names) addAbsent(walk, `${place}${name}`);
}

function isSeen({ seen }: Walk, key: string): boolean {
  if (seen.has(key)) return true;
  seen.add(key);
  return false;
}

/**
 * Decides which check `init` writes into a new config (§10), by the files of the project folder. It reads nothing itself and
 * never says that a program is installed.
 */

export interface ProjectFacts {
  /** Names of the entries of the project folder. */
  readonly names: readonly string[];
  /** Texts of the readable files among them whose content matters, by name. */
  readonly texts: Readonly<Record<string, string>>;
}

export interface DetectedGuard {
  readonly command: readonly string[];
  /** What speaks for it, for people; null: nothing was found. */
  readonly because: string | null;
  /** What is missing when nothing was found. */
  readonly warning: string | null;
}

interface Finding {
  readonly command: readonly string[];
  readonly because: string;
}

const others =
  'package.json test script, Makefile test target, Cargo.toml, go.mod or tests of Python (tox, nox, pytest)';

export function detectGuard(facts: ProjectFacts): DetectedGuard {
  const found = findCheck(facts);
  if (found !== null) return { ...found, warning: null };
  const missing =
    findText(facts, justfiles) === null
      ? `there is no justfile, ${others}`
      : `the justfile has no recipe "ci", and no ${others} was found`;
  return {
    command: ['just', 'ci'],
    because: null,
    warning: `no check found: ${missing}. The guard is "just ci"; add that recipe or set guard.command in .runner/state/config.toml`,
  };
}

/** In the order in which the programs themselves look for them. */
const justfiles = ['justfile', 'Justfile', '.justfile'];
const makefiles = ['GNUmakefile', 'makefile', 'Makefile'];
const pythonFiles = ['pyproject.toml', 'setup.cfg', 'tox.ini'];

/** Files whose texts decide. */
export const guardTexts: readonly string[] = [...justfiles, 'package.json', ...makefiles, ...pythonFiles];

function findText({ texts }: ProjectFacts, names: readonly string[]): string | null {
  const name = names.find((candidate) => texts[candidate] !== undefined);
  return name === undefined ? null : String(texts[name]);
}

/** What the project says of itself comes before what its language usually does. */
function findCheck(facts: ProjectFacts): Finding | null {
  if (hasJustRecipe(findText(facts, justfiles) ?? ''))
    return { command: ['just', 'ci'], because: 'the justfile has a recipe "ci"' };
  if (hasTestScript(findText(facts, ['package.json']) ?? ''))
    return { command: ['npm', 'test'], because: 'package.json has a test script' };
  if (hasTestTarget(findText(facts, makefiles) ?? ''))
    return { command: ['make', 'test'], because: 'the Makefile has a target "test"' };
  if (facts.names.includes('Cargo.toml'))
    return { command: ['cargo', 'test'], because: 'there is a Cargo.toml' };
  if (facts.names.includes('go.mod'))
    return { command: ['go', 'test', './...'], because: 'there is a go.mod' };
  return findPython(facts);
}

function findPython({ names, texts }: ProjectFacts): Finding | null {
  const says = (file: string, words: RegExp): boolean => words.test(texts[file] ?? '');
  const runner = [
    ['uv.lock', ['uv', 'run']],
    ['poetry.lock', ['poetry', 'run']],
  ] as const;
  const through = runner.find(([file]) => names.includes(file))?.[1] ?? [];
  if (says('tox.ini', /^\[(?:tox|testenv)/m) || says('pyproject.toml', /^\[tool\.tox\b/m))
    return { command: [...through, 'tox'], because: 'tox is set up' };
  if (names.includes('noxfile.py')) return { command: [...through, 'nox'], because: 'there is a noxfile.py' };
  const isPytest =
    names.some((name) => ['pytest.ini', 'conftest.py'].includes(name)) ||
    says('pyproject.toml', /^\[tool\.pytest\b|["']pytest\b/m) ||
    says('setup.cfg', /^\[tool:pytest\]/m) ||
    says('tox.ini', /^\[pytest\]/m);
  if (!isPytest) return null;
  const pytest = through.length === 0 ? ['python3', '-m', 'pytest'] : [...through, 'pytest'];
  return { command: pytest, because: 'pytest is set up' };
}

/** A recipe line `ci …:` or `@ci …:` at the start of a line, or an alias; `ci :=` is a variable. */
function hasJustRecipe(text: string): boolean {
  return /^(?:@?ci(?:[ \t][^\n:#]*)?:(?!=)|alias[ \t]+ci[ \t]*:=)/m.test(text);
}

/** What `npm init` writes into a new package; it always fails. */
const placeholder = /no test specified/;

function hasTestScript(text: string): boolean {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // A package.json that npm cannot read has no script either.
    return false;
  }
  const scripts = readKey(value, 'scripts');
  const script = readKey(scripts, 'test');
  return typeof script === 'string' && script.trim() !== '' && !placeholder.test(script);
}

function readKey(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.getOwnPropertyDescriptor(value, key)?.value
    : undefined;
}

/** A rule `test:` (several targets may share it); `test :=` and `test ::=` are variables. */
function hasTestTarget(text: string): boolean {
  return /^(?:[^\s#:=][^\n#:=]*[ \t])?test(?:[ \t][^\n#:=]*)?::?(?![:=])/m.test(text);
}

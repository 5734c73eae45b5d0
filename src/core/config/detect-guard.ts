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
  /** What is missing when nothing was found. */
  readonly warning: string | null;
}

export function detectGuard(facts: ProjectFacts): DetectedGuard {
  const command = findCommand(facts);
  if (command !== null) return { command, warning: null };
  const missing =
    findText(facts, justfiles) === null
      ? 'there is no justfile, package.json test script, Cargo.toml, go.mod or Makefile test target'
      : 'the justfile has no recipe "ci", and no package.json test script, Cargo.toml, go.mod or Makefile test target was found';
  return {
    command: ['just', 'ci'],
    warning: `no check found: ${missing}. The guard is "just ci"; add that recipe or set guard.command in .runner/state/config.toml`,
  };
}

/** In the order in which the programs themselves look for them. */
const justfiles = ['justfile', 'Justfile', '.justfile'];
const makefiles = ['GNUmakefile', 'makefile', 'Makefile'];

function findText({ texts }: ProjectFacts, names: readonly string[]): string | null {
  const name = names.find((candidate) => texts[candidate] !== undefined);
  return name === undefined ? null : String(texts[name]);
}

function findCommand(facts: ProjectFacts): readonly string[] | null {
  if (hasJustRecipe(findText(facts, justfiles) ?? '')) return ['just', 'ci'];
  if (hasTestScript(findText(facts, ['package.json']) ?? '')) return ['npm', 'test'];
  if (facts.names.includes('Cargo.toml')) return ['cargo', 'test'];
  if (facts.names.includes('go.mod')) return ['go', 'test', './...'];
  if (hasTestTarget(findText(facts, makefiles) ?? '')) return ['make', 'test'];
  return null;
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

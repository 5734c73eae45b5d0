/**
 * Decides whether a guard command is able to fail at all, by its words and scripts, without running anything. It reports only
 * commands that can never fail or never succeed; anything it does not understand counts as able.
 */

/** What has to be looked at to judge a guard. */
export type GuardSource =
  /** A program that always succeeds, whatever it is given. */
  | { readonly kind: 'always'; readonly name: string }
  | { readonly kind: 'shell'; readonly text: string; readonly stopsOnError: boolean }
  /** `scripts.<name>` of package.json. */
  | { readonly kind: 'package_script'; readonly name: string }
  | { readonly kind: 'just'; readonly recipe: string }
  /** The program itself, when it is a script of the project. */
  | { readonly kind: 'file' };

const alwaysGreen = new Set(['true', 'echo', 'printf', ':', 'sleep', 'ls', 'pwd', 'date', 'whoami', 'yes']);
const shells = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh']);
const packageRunners = new Set(['npm', 'pnpm', 'yarn', 'bun']);

export function guardSource(command: readonly string[]): GuardSource {
  const [program = '', ...args] = command;
  const name = program.slice(program.lastIndexOf('/') + 1);
  if (alwaysGreen.has(name) && (name !== 'ls' || args.length === 0)) return { kind: 'always', name };
  if (shells.has(name)) return shellSource(args);
  if (packageRunners.has(name)) return packageSource(args);
  const recipe = args[0] ?? '';
  if (name === 'just' && /^[A-Za-z_]/.test(recipe)) return { kind: 'just', recipe };
  return { kind: 'file' };
}

function shellSource(args: readonly string[]): GuardSource {
  const at = args.findIndex((arg) => /^-[a-z]*c$/.test(arg));
  const text = args[at + 1];
  if (at === -1 || text === undefined) return { kind: 'file' };
  const flags = args.slice(0, at + 1);
  const stopsOnError = flags.some((flag) => /^-[a-z]*e/.test(flag) || flag === 'errexit');
  return { kind: 'shell', text, stopsOnError };
}

function packageSource(args: readonly string[]): GuardSource {
  const words = args.filter((arg) => !arg.startsWith('-'));
  const [first = '', second = ''] = words;
  if (['run', 'run-script', 'rum', 'urn'].includes(first)) return { kind: 'package_script', name: second };
  if (['test', 't', 'tst'].includes(first)) return { kind: 'package_script', name: 'test' };
  return { kind: 'file' };
}

export interface GuardJudgement {
  readonly status: 'ok' | 'fail';
  readonly message: string;
}

/** `text`: the script as the adapter found it; null: there is none. */
export function judgeGuard(source: GuardSource, text: string | null): GuardJudgement {
  switch (source.kind) {
    case 'always':
      return cannotFail(`${source.name} always succeeds`);
    case 'shell':
      return judgeScript(source.text, source.stopsOnError);
    case 'package_script':
      return judgePackageScript(source.name, text);
    case 'just':
      if (text === null) return { status: 'fail', message: `the justfile has no recipe '${source.recipe}'` };
      return judgeRecipe(text);
    case 'file':
      return text === null ? able : judgeScript(text, false);
  }
}

const able: GuardJudgement = { status: 'ok', message: 'no sign that it can never fail' };

function cannotFail(why: string): GuardJudgement {
  return { status: 'fail', message: `it cannot fail, so every "done" would pass: ${why}` };
}

function judgePackageScript(name: string, text: string | null): GuardJudgement {
  if (text === null) return { status: 'fail', message: `package.json has no script '${name}'` };
  if (/no test specified/.test(text) && /exit 1\s*$/.test(text)) {
    return {
      status: 'fail',
      message: `the script '${name}' is the placeholder of npm init, which always fails`,
    };
  }
  return judgeScript(text, false);
}

/** The exit code of a script is that of its last statement, unless it stops at the first error. */
function judgeScript(text: string, stopsOnError: boolean): GuardJudgement {
  const lines = codeLines(text);
  const statements = lines
    .flatMap((line) => line.split(';'))
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const last = statements.at(-1);
  if (last === undefined) return cannotFail('the script does nothing');
  const stops = stopsOnError || statements.some((part) => /^set (?:-[a-z]*e|-o errexit)/.test(part));
  const deciding = stops ? statements.filter((part) => !part.startsWith('set ')) : [last];
  return deciding.every(isAlwaysGreen) ? cannotFail(`it ends with '${last}'`) : able;
}

/** Each line of a recipe must succeed; one that begins with `-` may fail. What it depends on can fail too. */
function judgeRecipe(text: string): GuardJudgement {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.trimStart().startsWith('#'));
  const heads = lines.filter((line) => /^\S/.test(line) && /:(?!=)/.test(line) && !line.startsWith('['));
  const hasNeeds = heads.some((line) => /:[^=]*\w/.test(line));
  const body = lines.filter((line) => /^\s/.test(line)).map((line) => line.trim().replace(/^@/, ''));
  if (hasNeeds || text.includes('#!')) return able;
  if (body.length === 0) return cannotFail('the recipe is empty');
  return body.every((line) => line.startsWith('-') || isAlwaysGreen(line))
    ? cannotFail('no line of the recipe can fail')
    : able;
}

function codeLines(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

const green = String.raw`(?:true|:|exit(?: 0)?|echo(?: [^&|]*)?|printf [^&|]*)`;
const wholeGreen = new RegExp(String.raw`^${green}$`);
const rescued = new RegExp(String.raw`\|\|\s*${green}$`);

function isAlwaysGreen(statement: string): boolean {
  return wholeGreen.test(statement) || rescued.test(statement);
}

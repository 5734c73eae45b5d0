/** Writes a case file as a person would: one table after the other, the goal as it reads. It decides nothing about the case. */
import type { PathMeaning } from '../cases/types.ts';

export interface CaseDraft {
  readonly id: string;
  readonly goal: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly timeout_secs: number;
  readonly requires: readonly string[];
  readonly fixture: string | null;
  readonly setup: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly hiddenFixture: string;
  readonly oracle: { readonly fixture: string; readonly command: readonly string[] } | null;
  readonly paths: Readonly<Record<string, PathMeaning>>;
  readonly check: {
    readonly cmd: readonly string[];
    readonly timeout_secs: number;
    readonly env: Readonly<Record<string, string>>;
  };
  /** What of its task the case does not have. */
  readonly notes: readonly string[];
}

export function renderCaseText(draft: CaseDraft): string {
  const { check, oracle, paths } = draft;
  const blocks = [
    draft.notes.map((note) => `# ${oneLine(note)}`).join('\n'),
    draft.fixture === null ? '' : `fixture = ${quote(draft.fixture)}`,
    [
      '[case]',
      `id = ${quote(draft.id)}`,
      `description = ${quote(draft.description)}`,
      `tags = ${list(draft.tags)}`,
      `timeout_secs = ${draft.timeout_secs}`,
      `requires = ${list(draft.requires)}`,
      `goal = """\n${block(draft.goal)}"""`,
    ].join('\n'),
    '# The tests are hidden from the agent, so there is nothing it could be held to.\n[config.guard]\ncommand = ["true"]',
    table('env', draft.env),
    ...draft.setup.map((text) => `[[setup]]\ncmd = ${list(['sh', '-c', text])}`),
    table('paths', paths),
    `[hidden]\nfixture = ${quote(draft.hiddenFixture)}`,
    oracle === null ? '' : `[oracle]\nfixture = ${quote(oracle.fixture)}\ncommand = ${list(oracle.command)}`,
    [
      '[[checks]]',
      'type = "command_succeeds"',
      `cmd = ${list(check.cmd)}`,
      `timeout_secs = ${check.timeout_secs}`,
      ...(Object.keys(check.env).length === 0 ? [] : [`env = ${inline(check.env)}`]),
    ].join('\n'),
  ];
  return `${blocks.filter((text) => text !== '').join('\n\n')}\n`;
}

function table(name: string, values: Readonly<Record<string, string>>): string {
  const lines = Object.entries(values).map(([key, value]) => `${quote(key)} = ${quote(value)}`);
  return lines.length === 0 ? '' : `[${name}]\n${lines.join('\n')}`;
}

function inline(values: Readonly<Record<string, string>>): string {
  return `{ ${Object.entries(values)
    .map(([key, value]) => `${quote(key)} = ${quote(value)}`)
    .join(', ')} }`;
}

function list(values: readonly string[]): string {
  return `[${values.map(quote).join(', ')}]`;
}

function quote(text: string): string {
  return `"${escapeText(text).replaceAll('\n', String.raw`\n`)}"`;
}

/** Lines stay lines. */
function block(text: string): string {
  return escapeText(text.endsWith('\n') ? text : `${text}\n`);
}

function escapeText(text: string): string {
  return (
    text
      .replaceAll('\\', '\\\\')
      .replaceAll('"', String.raw`\"`)
      .replaceAll('\t', String.raw`\t`)
      // oxlint-disable-next-line no-control-regex
      .replaceAll(/[\u0000-\u0009\u000B-\u001F\u007F]/g, (unit) => {
        const code = unit.charCodeAt(0).toString(16).padStart(4, '0');
        return `\\u${code}`;
      })
  );
}

function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/[\u0000-\u001F\u007F]+/g, ' ');
}

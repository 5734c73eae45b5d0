/** What `explain` prints: a stable first line, then sections for people; or all of it as JSON. Renders only. */
import type {
  Explained,
  ExplainedAgent,
  ExplainedNode,
  ExplainedPrompt,
  Now,
} from '../../app/views/explain.ts';
import type { ModelSource } from '../../core/agents/model-choice.ts';
import { renderArgv } from '../../core/text/argv-text.ts';
import { RunnerError } from '../../core/errors.ts';
import type { ErrorCode } from '../../core/errors.ts';
import { stateOf } from '../../core/views/explain.ts';
import type { NodeText } from '../../core/views/explain.ts';
import { byteLength } from '../../core/text/shorten.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import { errorTable } from '../exit-codes.ts';
import { errorOfLimit, printLine, selectionFields } from './report.ts';
import type { Settings } from './streams.ts';

type Rows = readonly (readonly [string, string])[];

/** The bytes a session would read, and nothing else. */
export function printPrompt(settings: Settings, { prompt }: Explained): void {
  if (prompt !== null && !(prompt instanceof RunnerError)) settings.streams.out(prompt.text);
}

export function printExplained(
  settings: Settings,
  explained: Explained,
  { withPrompt }: { readonly withPrompt: boolean },
): void {
  const { node, selection } = explained;
  const fields = node === null ? selectionFields(selection).line : nodeFields(node);
  const lines = [`explain: ${fields}`, ...sectionsOf(explained)];
  printLine(settings, lines.join('\n'), valueOf(explained, withPrompt));
}

function nodeFields({ visit, isNext }: ExplainedNode): string {
  const { node, path } = visit;
  const attempts = `attempts=${node.attempts}/${node.max_attempts}`;
  return `id=${node.id} path=${path} state=${stateOf(node)} next=${isNext ? 'yes' : 'no'} ${attempts}`;
}

function sectionsOf(explained: Explained): readonly string[] {
  const { explanation, node, prompt, agent, config } = explained;
  const { others, others_left_out } = explanation;
  const left = others_left_out === 1 ? '1 more open leaf' : `${others_left_out} more open leaves`;
  const rest: Rows = others_left_out === 0 ? [] : [['', `and ${left}`]];
  const next =
    node === null
      ? [
          ...section('why', nodeRows(explanation.walk)),
          ...section('why not the others', [...nodeRows(others), ...rest]),
        ]
      : nodeSections(node);
  const changes = node === null ? explanation.changes : node.changes;
  return [
    ...next,
    ...section(
      'what would change it',
      changes.map(({ when, effect }) => ['', `${when}: ${effect}`]),
    ),
    ...promptSection(prompt, config.prompt_budget_bytes),
    ...(agent === null ? [] : agentSection(agent)),
    ...section('guard', [['command', renderArgv(config.guard.command)]]),
    ...section('runner step now', [['', nowText(explained.now)]]),
  ];
}

function nodeRows(texts: readonly NodeText[]): Rows {
  return texts.map(({ path, text }) => [path, text]);
}

function nodeSections({ visit, text, last, history }: ExplainedNode): readonly string[] {
  const { node } = visit;
  const past: Rows = history.map(({ iter, status, guard }) => [
    `iteration ${iter}`,
    guard === 'skipped' ? status : `${status}, guard ${guard}`,
  ]);
  const record: Rows =
    last === null
      ? // A node that passed needs no record for the next session.
        node.passes
        ? []
        : [['', 'nothing recorded']]
      : [
          ['iteration', String(last.iter)],
          ['summary', shown(last.summary)],
          ['error', shown(last.error)],
          ['guard', shown(last.guard_output)],
        ];
  return [
    ...section('node', [
      ['title', cleanLine(node.title)],
      ['children', String(node.children.length)],
      ['why', text],
    ]),
    ...section('history', past),
    ...section(
      'last session',
      record.filter(([, value]) => value !== ''),
    ),
  ];
}

/** The first line that says something; the whole text is in `--json`. */
function shown(text: string | null): string {
  const lines = (text ?? '').split('\n').filter((line) => line.trim() !== '');
  const first = cleanLine(lines[0] ?? '');
  return lines.length > 1 ? `${first} […]` : first;
}

function promptSection(prompt: Explained['prompt'], budgetBytes: number): readonly string[] {
  if (prompt === null) return [];
  if (prompt instanceof RunnerError) return section('prompt', [['problem', refusalText(prompt)]]);
  const rows = prompt.sections.map(({ title, text, whole_bytes }) => {
    const bytes = byteLength(text);
    if (bytes === whole_bytes) return [title, `${bytes} bytes`] as const;
    const cut = bytes === 0 ? 'left out' : `${bytes} bytes, shortened`;
    return [title, `${cut} (of ${whole_bytes})`] as const;
  });
  return section('prompt', [
    ['bytes', `${byteLength(prompt.text)} of ${budgetBytes}`],
    ['sha256', prompt.sha256],
    ...rows,
  ]);
}

/** With the table it is from, where that is not the usual one. */
function chosen(value: string | null, from: ModelSource): string {
  if (value === null) return "the agent's own default";
  return cleanLine(from === 'agent' ? value : `${value} (by ${from})`);
}

function agentSection(agent: ExplainedAgent): readonly string[] {
  const names = (list: readonly string[]): string => cleanLine(list.join(' '));
  return section('agent', [
    ['name', agent.name],
    ['model', chosen(agent.model, agent.model_from)],
    ['effort', chosen(agent.effort, agent.model_from)],
    ['command', renderArgv(agent.argv)],
    ['folder', cleanLine(agent.cwd)],
    ['stdin', agent.stdin === 'prompt' ? 'the prompt' : 'nothing'],
    ['sets', names(agent.env_set)],
    ['passes', names(agent.env_passed)],
    ...(agent.problem === null ? [] : [['problem', refusalText(agent.problem)] as const]),
  ]);
}

function nowText(now: Now): string {
  const error = refusalOf(now);
  if (error !== null) return `would be refused: ${refusalText(error)}`;
  if (now.kind === 'recovery') {
    return now.iter === null
      ? 'would first finish or undo a start that was cut off'
      : `would first finish iteration ${now.iter}, which was cut off`;
  }
  if (now.kind === 'complete') return 'has nothing left to do: the tree is complete';
  return now.kind === 'stuck' ? 'would end at once: stuck' : 'would begin';
}

function refusalText({ message, code, hint }: RunnerError): string {
  return cleanLine(`${message} [${code}]; ${hint}`);
}

/** A blank line, a heading, and rows with their first column aligned. */
function section(title: string, rows: Rows): readonly string[] {
  if (rows.length === 0) return [];
  const width = Math.min(40, Math.max(...rows.map(([name]) => name.length)));
  return ['', title, ...rows.map(([name, text]) => `  ${`${name.padEnd(width)}  ${text}`.trim()}`)];
}

function valueOf(explained: Explained, withPrompt: boolean): Record<string, unknown> {
  const { node, selection, explanation, prompt, agent, config, now } = explained;
  const { walk, others, others_left_out, changes } = explanation;
  return {
    command: 'explain',
    kind: node === null ? 'next' : 'node',
    ...(node === null
      ? { ...selectionFields(selection).value, why: walk, others, others_left_out, changes }
      : nodeValue(node)),
    prompt: promptValue(prompt, { withPrompt, budget_bytes: config.prompt_budget_bytes }),
    prompt_problem: errorValue(prompt instanceof RunnerError ? prompt : null),
    agent: agent === null ? null : { ...agent, problem: errorValue(agent.problem) },
    guard_command: config.guard.command,
    now: nowValue(now),
  };
}

function nodeValue({ visit, isNext, text, changes, last, history }: ExplainedNode): Record<string, unknown> {
  const { node, path } = visit;
  return {
    id: node.id,
    path,
    title: node.title,
    state: stateOf(node),
    next: isNext,
    attempts: node.attempts,
    max_attempts: node.max_attempts,
    children: node.children.length,
    why: text,
    changes,
    last,
    history: history.map(({ iter, status, guard }) => ({ iter, status, guard })),
  };
}

function promptValue(
  prompt: ExplainedPrompt | RunnerError | null,
  { withPrompt, budget_bytes }: { readonly withPrompt: boolean; readonly budget_bytes: number },
): Record<string, unknown> | null {
  if (prompt === null || prompt instanceof RunnerError) return null;
  return {
    bytes: byteLength(prompt.text),
    budget_bytes,
    sha256: prompt.sha256,
    sections: prompt.sections.map(({ title, text, whole_bytes }) => ({
      title,
      bytes: byteLength(text),
      whole_bytes,
    })),
    ...(withPrompt ? { text: prompt.text } : {}),
  };
}

function nowValue(now: Now): Record<string, unknown> {
  const error = refusalOf(now);
  return { status: error === null ? now.kind : 'refused', error: errorValue(error) };
}

function refusalOf(now: Now): RunnerError | null {
  if (now.kind === 'refused') return now.error;
  return now.kind === 'limit' || now.kind === 'run_limit' ? errorOfLimit(now) : null;
}

function errorValue(error: RunnerError | null): Record<string, unknown> | null {
  return error === null ? null : { code: error.code, message: error.message, hint: error.hint };
}

export async function printErrorText(settings: Settings, code: ErrorCode): Promise<void> {
  const { errorTexts } = await import('../table/error-texts.ts');
  const { about, causes, help } = errorTexts[code];
  const { exit, meaning } = errorTable[code];
  const list = (lines: readonly string[]): Rows => lines.map((line) => ['', line]);
  const lines = [
    `explain: code=${code} exit=${exit}`,
    ...section('meaning', list([meaning, about])),
    ...section('usual causes', list(causes)),
    ...section('what to do', list(help)),
  ];
  const value = { command: 'explain', kind: 'error', code, exit, meaning, about, causes, help };
  printLine(settings, lines.join('\n'), value);
}

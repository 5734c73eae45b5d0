/** What all model APIs have in common once their requests are read and before their answers are written. Pure. */
import type { Conversation, Reply, Usage } from './scenario.ts';
import { usualUsage } from './scenario.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface OfferedTool {
  readonly name: string;
  /** `custom`: takes free text. `local_shell`: the Responses API's own. */
  readonly kind: 'function' | 'custom' | 'local_shell';
  readonly schema: Json;
  /** Responses: tools can be grouped under a namespace. */
  readonly namespace?: string;
}

/** A request, whatever API it came by. */
export interface Asked extends Conversation {
  readonly model: string;
  readonly stream: boolean;
  readonly tools: readonly OfferedTool[];
  /** The CLI's tool for structured answers was used already. */
  readonly hasAnswered: boolean;
}

export interface ToolCall {
  readonly tool: OfferedTool;
  readonly id: string;
  /** Arguments, or the free text of a custom tool. */
  readonly input: Json | string;
}

/** An answer before it is written in the words of an API. */
export interface Said {
  readonly reasoning: string | null;
  readonly text: string | null;
  readonly call: ToolCall | null;
  readonly usage: Usage;
  readonly id: string;
  readonly chunkBytes: number;
}

export interface ModelApi {
  readonly parse: (body: Json) => Asked;
  /** Frames of a stream, in order. */
  readonly stream: (said: Said, asked: Asked) => readonly string[];
  readonly whole: (said: Said, asked: Asked) => Json;
}

export function asJson(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function asList(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(asJson) : [];
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Text of a message whose content is a string or a list of parts. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return asList(content)
    .map((part) => asText(part['text']))
    .join('\n');
}

export function splitText(text: string, size: number): readonly string[] {
  const parts: string[] = [];
  for (let start = 0; start < text.length; start += size) parts.push(text.slice(start, start + size));
  return parts;
}

const shellNames = [
  'exec_command',
  'shell_command',
  'shell',
  'local_shell',
  'Bash',
  'bash',
  'run_shell_command',
  'Execute',
  'exec',
];
const editNames = ['apply_patch', 'Write', 'write', 'write_file', 'create', 'Create', 'ApplyPatch', 'exec'];
const answerNames = new Set(['StructuredOutput', 'structured_output']);

export function isAnswerTool(name: string): boolean {
  return answerNames.has(name);
}

/** What a scripted reply says to this request, with the tools it offers. */
export function renderReply(reply: Reply, asked: Asked, place: { id: string; chunkBytes: number }): Said {
  const said: Said = {
    reasoning: reply.reasoning ?? null,
    text: 'text' in reply ? (reply.text ?? null) : null,
    call: null,
    usage: reply.usage ?? { ...usualUsage, reasoning: reply.reasoning === undefined ? 0 : 20 },
    ...place,
  };
  const call = (tool: OfferedTool, input: Json | string): Said => ({
    ...said,
    call: { tool, id: `call_${place.id}`, input },
  });
  switch (reply.kind) {
    case 'shell': {
      const tool = findTool(asked, shellNames);
      return call(tool, shellInput(tool, reply.command));
    }
    case 'edit': {
      const tool = findTool(asked, editNames);
      return call(tool, editInput(tool, reply.file, reply.content));
    }
    case 'call':
      return call(findTool(asked, [reply.name]), reply.args);
    case 'final':
      return renderFinal(reply, asked, said);
    case 'big':
      return renderFinal({ text: bigAnswer(reply.bytes) }, asked, said);
    case 'cut':
    case 'stall':
      return { ...said, text: 'This text does not come to its ' + 'end '.repeat(20) };
  }
}

/** The summary of a big answer. No two words of it are alike: some CLIs stop a model that seems to repeat itself. */
export function bigSummary(bytes: number): string {
  const words = Array.from({ length: Math.ceil(bytes / 8) }, (_, index) =>
    ((index * 2_654_435_761) % 2 ** 32).toString(36).padStart(7, '0'),
  );
  return `${words.join(' ')} `.slice(0, bytes);
}

function bigAnswer(bytes: number): string {
  return JSON.stringify({ status: 'done', summary: bigSummary(bytes), children: null });
}

function renderFinal(reply: { text: string; asText?: boolean }, asked: Asked, said: Said): Said {
  const tool = asked.tools.find(({ name }) => isAnswerTool(name));
  const answer = parseObject(reply.text);
  if (tool === undefined || answer === null || reply.asText === true) return { ...said, text: reply.text };
  // The CLI goes on after a structured answer it accepted; a second one would be another turn.
  if (asked.hasAnswered) return { ...said, text: 'That was the answer.' };
  return { ...said, text: null, call: { tool, id: `call_${said.id}`, input: answer } };
}

function parseObject(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;
  } catch {
    return null;
  }
}

function findTool(asked: Asked, names: readonly string[]): OfferedTool {
  for (const name of names) {
    const tool = asked.tools.find((offered) => offered.name === name);
    if (tool !== undefined) return tool;
  }
  return { name: names[0] ?? 'shell', kind: 'function', schema: {} };
}

function shellInput(tool: OfferedTool, command: string): Json | string {
  if (tool.kind === 'local_shell') return { type: 'exec', command: ['bash', '-lc', command], env: {} };
  if (tool.kind === 'custom')
    return `const r = await tools.exec_command({ cmd: ${JSON.stringify(command)} });\ntext(r.output);\n`;

  const properties = asJson(tool.schema['properties']);
  const isList = asJson(properties['command'])['type'] === 'array';
  const given = { command: isList ? ['bash', '-lc', command] : command, cmd: command };
  return fillArguments(tool, given);
}

function editInput(tool: OfferedTool, file: string, content: string): Json | string {
  const lines = content.replace(/\n$/, '').split('\n');
  const patch = [
    '*** Begin Patch',
    `*** Add File: ${file}`,
    ...lines.map((line) => `+${line}`),
    '*** End Patch',
  ];
  if (tool.name === 'exec') return `text(await tools.apply_patch(${JSON.stringify(patch.join('\n'))}));\n`;

  if (tool.kind === 'custom') return `${patch.join('\n')}\n`;
  const places = { file_path: file, filePath: file, path: file };
  return fillArguments(tool, { ...places, content, file_text: content, input: patch.join('\n') });
}

/** What is given and known to the tool, and something plausible for whatever else it demands. */
function fillArguments({ schema }: OfferedTool, given: Json): Json {
  const properties = asJson(schema['properties']);
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const known = Object.entries(given).filter(([name]) => name in properties);
  const rest = required
    .filter((name) => !(name in given))
    .map((name): [string, unknown] => [name, plausible(asJson(properties[name]))]);
  return Object.fromEntries([...known, ...rest]);
}

function plausible(schema: Json): unknown {
  const choices = schema['enum'];
  if (Array.isArray(choices)) return choices[0];
  switch (schema['type']) {
    case 'boolean':
      return false;
    case 'number':
    case 'integer':
      return 60;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return 'scripted';
  }
}

/**
 * Reads tasks that people keep elsewhere (§12): a PRD as JSON, a Markdown checklist, or Markdown headings. What is finished there
 * is left out and named. Never decides where tasks go in the tree.
 */
import { parseStrictJson } from '../text/strict-json.ts';
import { renderProblem } from '../text/text-place.ts';
import { cleanLine } from '../text/terminal-text.ts';
import type { NodeTexts } from '../tree/person-edit.ts';
import { parseMarkdownTasks } from './markdown-tasks.ts';

export interface ImportedTask extends NodeTexts {
  /** What it is called in its file; null: nothing. */
  readonly source_id: string | null;
}

export interface LeftOut {
  readonly source_id: string | null;
  readonly title: string;
  readonly why: string;
}

export type ImportedTasks =
  | { readonly ok: true; readonly tasks: readonly ImportedTask[]; readonly left_out: readonly LeftOut[] }
  | { readonly ok: false; readonly message: string };

const openStatuses: ReadonlySet<string> = new Set(['todo', 'in_progress']);

/** `file`: its name, without folders; it says how to read the text, and the note of each task names it. */
export function parseTasks(text: string, file: string): ImportedTasks {
  const isJson = file.toLowerCase().endsWith('.json') || text.trimStart().startsWith('{');
  const found = isJson ? parseJsonTasks(text) : parseMarkdownTasks(text);
  if (!found.ok) return found;
  const tasks = found.tasks.map((task) => ({ ...task, goal: withNote(task, file) }));
  return { ...found, tasks };
}

const notePattern = /^Imported from .+: (?<id>.+)$/u;

/**
 * The id that a node's task has in its file, by the note that `import` left at the end of its goal; null: none. Sessions see it there,
 * and it lives as long as the node; an agent that rewrites the goal loses the link.
 */
export function sourceIdOf({ goal }: Pick<NodeTexts, 'goal'>): string | null {
  return notePattern.exec(goal.split('\n').at(-1) as string)?.groups?.['id'] ?? null;
}

function withNote({ goal, title, source_id }: ImportedTask, file: string): string {
  const text = goal.trim() === '' ? title : goal.trim();
  return source_id === null ? text : `${text}\n\nImported from ${cleanLine(file)}: ${source_id}`;
}

/** `userStories`, a board's `tasks`, or a bare list of either. */
function listOfPrd(value: unknown): readonly unknown[] | null {
  const { userStories, tasks } = Object(value) as {
    readonly userStories?: unknown;
    readonly tasks?: unknown;
  };
  return [value, userStories, tasks].find((one) => Array.isArray(one)) ?? null;
}

function parseJsonTasks(text: string): ImportedTasks {
  const json = parseStrictJson(text);
  if (!json.ok) return { ok: false, message: renderProblem(json, json.message) };
  const list = listOfPrd(json.value);
  if (list === null) return { ok: false, message: 'it has no list "userStories" or "tasks"' };
  const tasks: ImportedTask[] = [];
  const leftOut: LeftOut[] = [];
  for (const [at, item] of list.entries()) {
    const fields = Object(item) as Readonly<Record<string, unknown>>;
    const task = taskOf(fields);
    if (task.title === '') return { ok: false, message: `entry ${at + 1} has no title` };
    const why = finishedBy(fields);
    if (why === null) tasks.push(task);
    else leftOut.push({ source_id: task.source_id, title: task.title, why });
  }
  return { ok: true, tasks, left_out: leftOut };
}

function finishedBy({ status, passes }: Readonly<Record<string, unknown>>): string | null {
  if (passes === true) return 'passes';
  return typeof status === 'string' && !openStatuses.has(status) ? `status ${cleanLine(status)}` : null;
}

function taskOf(item: Readonly<Record<string, unknown>>): ImportedTask {
  const text = (...keys: readonly string[]): string =>
    keys.map((key) => item[key]).find((value): value is string => typeof value === 'string') ?? '';
  const goal = text('description', 'goal');
  const [firstLine = ''] = goal.split('\n');
  const title = cleanLine(text('title', 'name') || firstLine);
  const acceptance =
    [item['acceptanceCriteria'], item['acceptance'], item['steps']].find(Array.isArray) ?? [];
  return { title, goal, acceptance: acceptance.map(String), source_id: idOf(item['id']) };
}

/** As one line of text, for the note and for comparing. */
export function idOf(id: unknown): string | null {
  const isName = typeof id === 'string' || typeof id === 'number';
  const name = isName ? cleanLine(String(id)) : '';
  return name === '' ? null : name;
}

/** Tasks in Markdown: the items of a checklist, or else the headings of one level. Further bullets become acceptance items. */
import { cleanLine } from '../text/terminal-text.ts';
import type { ImportedTask, ImportedTasks, LeftOut } from './import-tasks.ts';

const fence = /^\s*(?:```|~~~)/u;
const checkItem = /^(?<indent>\s*)(?:[-*+]|\d{1,9}[.)])\s+\[(?<mark>[ xX])\]\s+(?<text>.*)$/u;
const bullet = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?(?<text>.*)$/u;
const heading = /^(?<level>#{1,6})\s+(?:\[(?<mark>[ xX])\]\s+)?(?<text>.*?)(?:\s+#+)?\s*$/u;

interface Line {
  readonly text: string;
  readonly isCode: boolean;
}

interface Begun {
  readonly title: string;
  readonly isDone: boolean;
  readonly goal: string[];
  readonly acceptance: string[];
}

export function parseMarkdownTasks(text: string): ImportedTasks {
  const lines = markCode(text.split(/\r?\n/u));
  const begun = listCheckItems(lines) ?? listHeadings(lines);
  if (begun === null) return { ok: false, message: 'it has no checklist and no headings' };
  const tasks: ImportedTask[] = [];
  const leftOut: LeftOut[] = [];
  for (const { title, isDone, goal, acceptance } of begun.filter((one) => one.title !== '')) {
    if (isDone) leftOut.push({ source_id: null, title, why: 'checked' });
    else tasks.push({ title, goal: goal.join('\n').trim(), acceptance, source_id: null });
  }
  return { ok: true, tasks, left_out: leftOut };
}

function markCode(lines: readonly string[]): readonly Line[] {
  let isInside = false;
  return lines.map((text) => {
    const isFence = fence.test(text);
    const isCode = isInside || isFence;
    if (isFence) isInside = !isInside;
    return { text, isCode };
  });
}

function matchOf(line: Line, pattern: RegExp): Readonly<Record<string, string>> | null {
  const match = line.isCode ? null : pattern.exec(line.text);
  return match === null ? null : (match.groups as Readonly<Record<string, string>>);
}

function begin({ text, mark }: Readonly<Record<string, string>>): Begun {
  return { title: cleanLine(String(text)).trim(), isDone: /x/iu.test(mark ?? ''), goal: [], acceptance: [] };
}

/** Items of the outermost level are tasks; what is indented below one belongs to it. Null: there is no checklist. */
function listCheckItems(lines: readonly Line[]): readonly Begun[] | null {
  const indents = lines.flatMap((line) => matchOf(line, checkItem)?.['indent']?.length ?? []);
  if (indents.length === 0) return null;
  const outermost = Math.min(...indents);
  const tasks: Begun[] = [];
  let isInside = false;
  for (const line of lines) {
    const item = matchOf(line, checkItem);
    if (item !== null && String(item['indent']).length === outermost) {
      tasks.push(begin(item));
      isInside = true;
    } else if (line.text.trim() !== '' && !/^\s/u.test(line.text)) {
      isInside = false;
    } else if (isInside) {
      addLine(tasks.at(-1) as Begun, line);
    }
  }
  return tasks;
}

/** The highest level with two headings or more; a document's own title is no task. Null: there are no headings. */
function listHeadings(lines: readonly Line[]): readonly Begun[] | null {
  const levels = lines.flatMap((line) => matchOf(line, heading)?.['level']?.length ?? []);
  if (levels.length === 0) return null;
  const several = levels.filter((level, at) => levels.indexOf(level) !== at);
  const wanted = several.length > 0 ? Math.min(...several) : Math.max(...levels);
  const tasks: Begun[] = [];
  let current: Begun | null = null;
  for (const line of lines) {
    const found = matchOf(line, heading);
    const level = (found?.['level'] ?? '').length;
    if (found !== null && level === wanted) {
      current = begin(found);
      tasks.push(current);
    } else if (found !== null && level < wanted) {
      current = null;
    } else if (current !== null) {
      addLine(current, line);
    }
  }
  return tasks;
}

function addLine(task: Begun, line: Line): void {
  const item = matchOf(line, bullet);
  if (item === null) task.goal.push(line.text.trim());
  else task.acceptance.push(cleanLine(String(item['text'])));
}

/** Finds the questions in `questions.md` (§2): agents append them in any form, people remove those they have answered. */
import { cleanLine } from '../text/terminal-text.ts';
import { firstLine } from './agent-events.ts';

const listItem = /^(?:[-*+]|\d{1,9}[.)])\s+/u;
const heading = /^#{1,6}(?:\s|$)/u;

/** Clean lines of each entry: every item of a list, or else every paragraph, with what belongs to it. Headings are no questions. */
function listEntries(text: string): readonly string[] {
  const entries: string[][] = [];
  let isInside = false;
  for (const line of text.split(/\r?\n/u)) {
    const isItem = listItem.test(line);
    const isText = line.trim() !== '' && !heading.test(line);
    // What is indented belongs to the item above it.
    const isBegin = isText && !isInside && (entries.length === 0 || !/^\s/u.test(line));
    if (isItem || isBegin) entries.push([cleanLine(line.replace(listItem, '')).trim()]);
    else if (isText) entries.at(-1)?.push(cleanLine(line).trim());
    isInside = isText;
  }
  return entries.map((lines) => lines.join('\n')).filter((entry) => headOf(entry) !== '');
}

function headOf(entry: string): string {
  return firstLine(firstOf(entry)) ?? '';
}

function firstOf(entry: string): string {
  return String(entry.split('\n')[0]);
}

export interface Question {
  /** `<iteration>.<number>`; iteration 0: no iteration of this run asked it. */
  readonly id: string;
  /** Clean lines. */
  readonly text: string;
}

/**
 * Questions with ids that stay (§12): a question belongs to the version of the file it first appears in, and its number counts those
 * that are new there. Its first line names it: what is added below it, and what becomes of others, changes nothing.
 */
export function numberQuestions(
  versions: readonly { readonly iter: number; readonly text: string }[],
): readonly Question[] {
  const counts = new Map<number, number>();
  let current: readonly Question[] = [];
  for (const { iter, text } of versions) {
    const known = [...current];
    current = listEntries(text).map((asked) => {
      const at = known.findIndex((question) => firstOf(question.text) === firstOf(asked));
      const [same] = at === -1 ? [] : known.splice(at, 1);
      if (same !== undefined) return { id: same.id, text: asked };
      const number = (counts.get(iter) ?? 0) + 1;
      counts.set(iter, number);
      return { id: `${iter}.${number}`, text: asked };
    });
  }
  return current;
}

/** One answer of `answers.md`: the question is quoted, so that it is seen whose words are whose. */
export function renderAnswer({ id, text }: Question, answer: string): string {
  const quoted = text.split('\n').map((line) => `> ${line}`);
  return `### ${id}\n\n${quoted.join('\n')}\n\n${answer.trim()}\n`;
}

/** Whether `answers.md` quotes the question's first line. Its id may be that of another run's question, so the words decide. */
export function isAnswered(answers: string, text: string): boolean {
  const lines = answers.split(/\r?\n/u);
  const begins = lines.filter((line, at) => line.startsWith('>') && lines[at - 1]?.startsWith('>') !== true);
  return begins.some((line) => line.replace(/^> ?/u, '') === firstOf(text));
}

/** Questions that nobody has answered, by their first line. */
export function listOpenQuestions(questions: string, answers: string): readonly string[] {
  return listEntries(questions)
    .filter((entry) => !isAnswered(answers, entry))
    .map(headOf);
}

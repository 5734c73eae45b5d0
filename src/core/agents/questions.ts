/** Finds the questions in `questions.md` (§2): agents append them in any form, people remove those they have answered. */
import { cleanLine } from '../text/terminal-text.ts';
import { firstLine } from './agent-events.ts';

const listItem = /^(?:[-*+]|\d{1,9}[.)])\s+/u;
const heading = /^#{1,6}(?:\s+|$)/u;
/** A question mark of any script. */
const asks = /[?？؟]/u;

/**
 * Clean lines of each entry: every item of a list, or else every paragraph, with what belongs to it. A heading that asks is an entry with
 * all below it that does not ask itself. Another one is the topic of the sentence right below it, unless that asks; the first is the title.
 */
function listEntries(text: string): readonly string[] {
  const entries: string[][] = [];
  let isInside = false;
  let above: 'nothing' | 'question' | 'answered' = 'nothing';
  let topic: string | null = null;
  let hasTitle = false;
  for (const line of text.split(/\r?\n/u)) {
    if (heading.test(line)) {
      const title = cleanLine(line.replace(heading, '')).trim();
      above = asks.test(title) ? 'question' : 'nothing';
      topic = hasTitle && above === 'nothing' && title !== '' ? title : null;
      if (above === 'question') entries.push([title]);
      hasTitle = true;
      isInside = false;
      continue;
    }
    const isItem = listItem.test(line);
    const isText = line.trim() !== '';
    // What is indented belongs to the item above it.
    const isPart = isText && !isInside && (entries.length === 0 || !/^\s/u.test(line));
    const isOwn = above === 'nothing' || (asks.test(line) && (isItem || above === 'answered'));
    if ((isItem || isPart) && isOwn) {
      const said = cleanLine(line.replace(listItem, '')).trim();
      entries.push([topic !== null && !isItem && !asks.test(said) ? `${topic}: ${said}` : said]);
      above = 'nothing';
    } else if (isText) {
      entries.at(-1)?.push(cleanLine(line).trim());
      above = above === 'question' ? 'answered' : above;
    }
    if (isText) topic = null;
    isInside = isText;
  }
  return entries.map((lines) => lines.join('\n')).filter((entry) => headOf(entry) !== '');
}

/** The first line of an entry, as a list shows it. */
export function headOf(entry: string): string {
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

/** What `answers.md` says below the first line of the question; null: it does not quote it. Its id may be that of another run's question. */
export function findAnswer(answers: string, text: string): string | null {
  const lines = answers.split(/\r?\n/u);
  const isQuote = (line: string | undefined): boolean => line?.startsWith('>') === true;
  const begin = lines.findIndex(
    (line, at) => isQuote(line) && !isQuote(lines[at - 1]) && line.replace(/^> ?/u, '') === firstOf(text),
  );
  if (begin === -1) return null;
  const below = lines.slice(begin);
  const after = below.findIndex((line) => !isQuote(line));
  const said = after === -1 ? [] : below.slice(after);
  const end = said.findIndex((line) => isQuote(line) || heading.test(line));
  return said
    .slice(0, end === -1 ? said.length : end)
    .join('\n')
    .trim();
}

/** Questions without an answer, by their first line. */
export function listOpenQuestions(questions: string, answers: string): readonly string[] {
  return listEntries(questions)
    .filter((entry) => findAnswer(answers, entry) === null)
    .map(headOf);
}

/** Finds the open questions in `questions.md` (§2): agents append them in any form, people remove those they have answered. */
import { firstLine } from './agent-events.ts';

const listItem = /^(?:[-*+]|\d{1,9}[.)])\s+/u;
const heading = /^#{1,6}(?:\s|$)/u;

/** The first line of each entry, clean and short: every item of a list, or else every paragraph. Headings are no questions. */
export function listQuestions(text: string): readonly string[] {
  const entries: string[] = [];
  let isInside = false;
  for (const line of text.split(/\r?\n/u)) {
    const isItem = listItem.test(line);
    const isText = line.trim() !== '' && !heading.test(line);
    // What is indented belongs to the item above it.
    const isBegin = isText && !isInside && (entries.length === 0 || !/^\s/u.test(line));
    if (isItem || isBegin) entries.push(line.replace(listItem, ''));
    isInside = isText;
  }
  return entries.flatMap((entry) => firstLine(entry) ?? []);
}

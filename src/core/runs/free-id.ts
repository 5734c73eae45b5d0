/** Ids of new runs (§12, §13): a name made of the goal's title, and the first one that nobody has. No time, no chance. */
import { checkGoalId } from '../config/goal-id.ts';

const nameLengthMax = 40;
const nameOfNothing = 'run';
/** What `init` writes above the goal: it says nothing about it. */
const emptyTitle = /^(?:the )?goal[:.]?$/i;

/** The goal in one line: its first heading that says something, else its first line of text. Empty: there is none. */
export function goalTitle(body: string): string {
  const lines = body.split(/\r?\n/).map((line) => line.trim());
  const texts = lines.map((line) => line.replace(/^#+\s*|\s*#+$/g, '').trim());
  const said = texts.filter((text) => text !== '' && !emptyTitle.test(text));
  const headings = texts.filter((text, index) => /^#+\s/.test(lines[index] ?? '') && said.includes(text));
  return headings[0] ?? said[0] ?? '';
}

/** Kebab-case of a title, fit for a branch: `Landing page!` is `landing-page`. */
export function nameOf(title: string): string {
  const words = title
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  let name = '';
  for (const word of words) {
    const longer = name === '' ? word.slice(0, nameLengthMax) : `${name}-${word}`;
    if (longer.length > nameLengthMax) break;
    name = longer;
  }
  return name === '' ? nameOfNothing : name;
}

/** `landing-page-1`, or the first of `-2`, `-3`… that is free. Names that differ only in case are one file on some disks. */
export function freeId(name: string, taken: Iterable<string>): string {
  const known = lowered(taken);
  let k = 1;
  while (known.has(`${name}-${k}`.toLowerCase())) k += 1;
  return `${name}-${k}`;
}

/** What is wrong with an id that a person gave to a new run; null: nothing. */
export function checkNewId(id: string, taken: Iterable<string>): string | null {
  const problem = checkGoalId(id);
  if (problem !== null) return problem;
  return lowered(taken).has(id.toLowerCase()) ? `there is a run '${id}' already` : null;
}

function lowered(ids: Iterable<string>): ReadonlySet<string> {
  return new Set([...ids].map((id) => id.toLowerCase()));
}

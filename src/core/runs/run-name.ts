/** Names of new runs (§13): kebab-case of the goal's title and a counter. No time, no chance. */
import { checkGoalId } from '../config/goal-id.ts';
import { findHolder } from './free-id.ts';
import type { HeldIds } from './free-id.ts';

const nameLengthMax = 40;
const nameOfNothing = 'run';

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

/** `landing-page-1`, or the first of `-2`, `-3`… that is free. */
export function proposeId(name: string, held: HeldIds): string {
  let k = 1;
  while (findHolder(`${name}-${k}`, held) !== null) k += 1;
  return `${name}-${k}`;
}

/** What is wrong with an id that a person gave to a new run; null: nothing. */
export function checkNewId(id: string, held: HeldIds): string | null {
  const problem = checkGoalId(id);
  if (problem !== null) return problem;
  return findHolder(id, held) === null ? null : `there is a run '${id}' already, or there was one`;
}

/** "Did you mean": the nearest of the names there are. Pure; it never decides that a wrong name is meant as another. */

/** A small spelling difference, or the same last part in another table (`max_failures` for `agent.max_failures`). */
export function suggest(word: string, known: readonly string[]): string | null {
  const name = word.slice(word.lastIndexOf('.') + 1);
  let nearest: string | null = null;
  let distanceMax = Math.min(3, Math.floor(word.length / 3));
  for (const candidate of known) {
    const distance = candidate.endsWith(`.${name}`) ? 1 : editDistance(word, candidate);
    if (distance > distanceMax) continue;
    nearest = candidate;
    distanceMax = distance - 1;
  }
  return nearest;
}

/** Levenshtein's distance, one row at a time. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let line = 0; line < from.length; line += 1) {
    const next = [line + 1];
    for (let column = 0; column < to.length; column += 1) {
      const replaced = Number(row[column]) + (from[line] === to[column] ? 0 : 1);
      next.push(Math.min(replaced, Number(row[column + 1]) + 1, Number(next[column]) + 1));
    }
    row = next;
  }
  return Number(row.at(-1));
}

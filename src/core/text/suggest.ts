/** "Did you mean": finds the known word nearest to a mistyped one. It suggests only words it was given, and none that is far off. */

const slipsMax = 3;

/** The first of the nearest known words; null when none is near. Upper and lower case count as the same. */
export function suggest(word: string, known: Iterable<string>): string | null {
  const typed = word.toLowerCase();
  let nearest: string | null = null;
  // One slip in three letters: of a shorter word nothing would be left to recognise.
  let slips = Math.min(slipsMax, Math.floor(word.length / 3));
  for (const candidate of known) {
    const distance = slips < 0 ? null : slipsBetween(typed, candidate.toLowerCase(), slips);
    if (distance === null) continue;
    nearest = candidate;
    slips = distance - 1;
  }
  return nearest;
}

/**
 * How many slips lead from one word to the other: a letter more, a letter less, another letter, or two neighbours exchanged. Null when
 * there are more than `most`, which is mostly known after a few letters.
 */
function slipsBetween(from: string, to: string, most: number): number | null {
  if (Math.abs(from.length - to.length) > most) return null;
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line += 1) {
    const next = [line];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[line - 1] === to[column - 1];
      const isExchanged = from[line - 1] === to[column - 2] && from[line - 2] === to[column - 1];
      next.push(
        Math.min(
          Number(row[column - 1]) + (isSame ? 0 : 1),
          Number(row[column]) + 1,
          Number(next[column - 1]) + 1,
          isExchanged ? Number(before[column - 2]) + 1 : Infinity,
        ),
      );
    }
    if (Math.min(...next) > most) return null;
    before = row;
    row = next;
  }
  const slips = Number(row[to.length]);
  return slips > most ? null : slips;
}

/** Compares versions as programs print them: the first dotted number of a text counts, nothing else. */

/** Whether `20.19.0` is at least `20.19`. */
export function isAtLeast(version: string, wanted: string): boolean {
  const parts = numbersOf(version);
  for (const [at, part] of numbersOf(wanted).entries()) {
    const own = parts[at] ?? 0;
    if (own !== part) return own > part;
  }
  return true;
}

/** Whether it is newer than every one of them; never for a text without a number, nor where none is known. */
export function isNewerThanAll(version: string, known: readonly string[]): boolean {
  if (numbersOf(version).length === 0 || known.length === 0) return false;
  return known.every((one) => !isAtLeast(one, version));
}

function numbersOf(version: string): readonly number[] {
  const found = /\d+(?:\.\d+)*/.exec(version)?.[0];
  return found === undefined ? [] : found.split('.').map(Number);
}

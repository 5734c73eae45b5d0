/** Paths as git quotes them in text (`core.quotePath`); every byte is preserved. Pure. */

const escapes: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  '"': 34,
  '\\': 92,
};

/** The bytes of a path as latin1 text, which can be a key and holds every byte. */
export function unquotePath(text: string): string {
  if (!text.startsWith('"')) {
    // Plain ASCII: git quotes everything else.
    return text;
  }
  return text
    .slice(1, -1)
    .replaceAll(/\\([0-7]{3}|.)/gs, (_whole, code: string) =>
      String.fromCharCode(escapes[code] ?? Number.parseInt(code, 8)),
    );
}

/** For people and for comparing with paths of ours; what is not UTF-8 becomes U+FFFD. */
export function shownPath(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** The lines of an answer. */
export function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}

/** NUL-terminated, as `--stdin -z` wants them. */
export function joinPaths(paths: readonly string[]): Buffer {
  return Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1');
}

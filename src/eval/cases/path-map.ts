/**
 * Puts real paths in the place of those of a container: tasks made for one say `/app` and `/tests` in scripts and tests. It replaces whole
 * paths only, never a part of a longer name.
 */

/** A path as the text says it, and the absolute path it means. */
export type PathMap = readonly (readonly [from: string, to: string])[];

export function mapPaths(text: string, map: PathMap): string {
  if (map.length === 0) return text;
  // The longest first, so that of `/app` and `/app/data` the right one is found.
  const names = map
    .map(([from]) => from)
    .toSorted((a, b) => b.length - a.length)
    .map((from) => from.replaceAll(/[^A-Za-z0-9_]/g, String.raw`\$&`));
  const pattern = new RegExp(`(?<![\\w.~$})/-])(?:${names.join('|')})(?![\\w-]|\\.\\w)`, 'g');
  const targets = new Map(map);
  return text.replaceAll(pattern, (from) => String(targets.get(from)));
}

/** The same for every text of a command. */
export function mapCommand<
  T extends { readonly cmd: readonly string[]; readonly env: Readonly<Record<string, string>> },
>(command: T, map: PathMap): T {
  const env = Object.entries(command.env).map(([name, value]) => [name, mapPaths(value, map)] as const);
  return {
    ...command,
    cmd: command.cmd.map((word) => mapPaths(word, map)),
    env: Object.fromEntries(env),
  };
}

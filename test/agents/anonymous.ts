/** Text of a recording without what belongs to one machine or one moment: folders, ports, the program's place. Pure. */

export interface Traces {
  readonly root: string;
  readonly base: string;
  readonly port: number;
}

/** The same text for every machine. A home folder is never named as such: it would look like a person's. */
export function renderAnonymous(text: string, { root, base, port }: Traces): string {
  const places: readonly (readonly [string, string])[] = [
    [`${base}/project`, '/project'],
    [`${base}/home`, '/user-home'],
    [`${base}/own`, '/own'],
    [`${base}/tmp`, '/tmp'],
    [base, '/base'],
    [`${root}.cache/agents`, '/agents'],
    [root.replace(/\/$/, ''), '/repository'],
  ];
  const named = places.flatMap(([from, to]) => [
    [from, to] as const,
    // Folder names in which slashes became dashes.
    [from.replaceAll(/[/._]/g, '-'), to.replaceAll('/', '-')] as const,
  ]);
  return named
    .reduce((done, [from, to]) => done.replaceAll(from, to), text)
    .replaceAll(`127.0.0.1:${port}`, '127.0.0.1:4000')
    .replaceAll(new RegExp(`\\b${port}\\b`, 'g'), '4000');
}

/** What is wrong with the size; null when nothing is. */
export function checkSize(text: string, bytesMax: number): string | null {
  const bytes = Buffer.byteLength(text);
  return bytes > bytesMax ? `${bytes} bytes are more than ${bytesMax}` : null;
}

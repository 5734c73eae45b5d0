/** Reads the trailers of a commit by their keys (§15). Keys it does not know are allowed; it decides nothing. */

/** Values by key, without `Runner-`, in the order of the message. */
export type Trailers = ReadonlyMap<string, readonly string[]>;

const line = /^Runner-([A-Za-z0-9-]+): /u;

/**
 * From the last paragraph that has any: texts of nodes are in paragraphs above it, and a hook of the user may add one below. The
 * subject is none.
 */
export function parseTrailers(message: string): Trailers {
  const [, ...lines] = message.split('\n');
  let [found, open]: [string[], boolean] = [[], false];
  for (const text of lines) {
    if (text === '') open = false;
    if (!line.test(text)) continue;
    found = open ? [...found, text] : [text];
    open = true;
  }
  const trailers = new Map<string, string[]>();
  for (const text of found) {
    const end = text.indexOf(': ');
    const key = text.slice('Runner-'.length, end);
    trailers.set(key, [...(trailers.get(key) ?? []), text.slice(end + 2)]);
  }
  return trailers;
}

/** Null: it is missing. Of one that is given twice the first. */
export function trailer(trailers: Trailers, key: string): string | null {
  return trailers.get(key)?.[0] ?? null;
}

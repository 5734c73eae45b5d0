/** JSON lines as agents print them. A line that is not a JSON object is not a record; nothing here throws. */

export type JsonRecord = Readonly<Record<string, unknown>>;

export function parseRecord(line: string): JsonRecord | null {
  if (!line.startsWith('{')) {
    return null;
  }
  try {
    return asRecord(JSON.parse(line));
  } catch {
    return null;
  }
}

/** The last record of the text for which the test holds. */
export function findLastRecord(text: string, test: (record: JsonRecord) => boolean): JsonRecord | null {
  for (const line of text.split('\n').toReversed()) {
    const record = parseRecord(line);
    if (record !== null && test(record)) {
      return record;
    }
  }
  return null;
}

export function asRecord(value: unknown): JsonRecord | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : null;
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

const shownLengthMax = 160;

/** The first line that says something, short enough for one line of a terminal; null when there is none. */
export function firstLine(text: string): string | null {
  const line = text
    .split(/\r?\n/)
    .map((part) => part.trim())
    .find((part) => part !== '');
  if (line === undefined) {
    return null;
  }
  return line.length > shownLengthMax ? `${line.slice(0, shownLengthMax)}…` : line;
}

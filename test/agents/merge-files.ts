/** Two sets of files laid over each other: JSON is joined key by key, everything else replaced. Pure. */

type Files = Readonly<Record<string, string>>;

export function mergeFiles(below: Files, above: Files): Files {
  const merged: Record<string, string> = { ...below };
  for (const [file, text] of Object.entries(above)) {
    const known = merged[file];
    const isJoined = known !== undefined && file.endsWith('.json');
    merged[file] = isJoined ? JSON.stringify(joined(JSON.parse(known), JSON.parse(text))) : text;
  }
  return merged;
}

function joined(below: unknown, above: unknown): unknown {
  if (!isRecord(below) || !isRecord(above)) return above;
  const keys = Object.entries(above).map(([key, value]): [string, unknown] => [
    key,
    key in below ? joined(below[key], value) : value,
  ]);
  return { ...below, ...Object.fromEntries(keys) };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

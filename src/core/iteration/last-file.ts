/** Parses a node's `last.json` (§2). Only the runner writes this file, so anything but a valid record is ignored. */
import { parseStrictJson } from '../text/strict-json.ts';
import type { LastRecord } from '../types.ts';

const keys = ['error', 'guard_output', 'iter', 'summary'];

export function parseLastRecord(text: string): LastRecord | null {
  const json = parseStrictJson(text);
  return json.ok && isLastRecord(json.value) ? json.value : null;
}

function isLastRecord(value: unknown): value is LastRecord {
  if (typeof value !== 'object' || value === null || Object.keys(value).toSorted().join() !== keys.join())
    return false;

  const { iter, ...texts } = value as Readonly<Record<string, unknown>>;
  const isNumber = Number.isSafeInteger(iter) && Number(iter) >= 1;
  return isNumber && Object.values(texts).every((item) => item === null || typeof item === 'string');
}

/** Keys in the documented order, whatever order the record was built in. */
export function renderLastFile({ iter, summary, error, guard_output }: LastRecord): string {
  return `${JSON.stringify({ iter, summary, error, guard_output }, null, 2)}\n`;
}

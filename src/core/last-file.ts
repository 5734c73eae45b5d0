/** Text of a node's `last.json` to its record (§2). The file is the runner's own: what is not exactly that is no record. */
import * as z from 'zod';

import { parseStrictJson } from './strict-json.ts';
import type { LastRecord } from './types.ts';

const lastSchema = z.strictObject({
  iter: z.int().min(1),
  summary: z.string().nullable(),
  error: z.string().nullable(),
  guard_output: z.string().nullable(),
});

export function parseLastRecord(text: string): LastRecord | null {
  const json = parseStrictJson(text);
  const parsed = json.ok ? lastSchema.safeParse(json.value) : null;
  return parsed?.success === true ? parsed.data : null;
}

/** Keys in the documented order, whatever order the record was built in. */
export function renderLastFile({ iter, summary, error, guard_output }: LastRecord): string {
  return `${JSON.stringify({ iter, summary, error, guard_output }, null, 2)}\n`;
}

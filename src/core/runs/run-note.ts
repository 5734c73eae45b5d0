/** The runner's note about itself in the git folder: at work, waiting until when, or why it ended. It is shown and decides nothing. Pure. */
import * as z from 'zod';
import { failureKinds } from '../agents/failure.ts';
import { errorCodes } from '../errors.ts';
import { endStates } from './loop-end.ts';

const base = {
  version: z.literal(1),
  run_id: z.string().max(200).nullable(),
  /** Project folder inside the work tree, as in the journal. */
  prefix: z.string(),
  at: z.iso.datetime(),
};
const text = z.string().max(16_384);
/** How long the iteration had waited before. */
const waited_ms = z.int().min(0).default(0);

const schema = z.discriminatedUnion('kind', [
  z.strictObject({ ...base, kind: z.literal('working'), waited_ms }),
  z.strictObject({
    ...base,
    kind: z.literal('waiting'),
    until: z.iso.datetime(),
    /** The agent's own words. */
    reason: text,
    agent: z.string().max(200).nullable().default(null),
    failure: z.enum(failureKinds).nullable().default(null),
    waited_ms,
  }),
  z.strictObject({
    ...base,
    kind: z.literal('ended'),
    state: z.enum(endStates),
    code: z.enum(errorCodes).nullable(),
    sentence: text,
    hint: text,
    /** What the error names: paths, places. */
    details: z.array(text).default([]),
  }),
]);

export type RunNote = Readonly<z.infer<typeof schema>>;

/** Null: nothing that the runner wrote. */
export function parseRunNote(source: string): RunNote | null {
  try {
    return schema.safeParse(JSON.parse(source)).data ?? null;
  } catch {
    return null;
  }
}

export function renderRunNote(note: RunNote): string {
  return `${JSON.stringify(note, null, 2)}\n`;
}

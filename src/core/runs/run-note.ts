/** The runner's note about itself in the git folder: at work, waiting until when, or why it ended. It is shown and decides nothing. Pure. */
import * as z from 'zod';
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

const schema = z.discriminatedUnion('kind', [
  z.strictObject({ ...base, kind: z.literal('working') }),
  z.strictObject({ ...base, kind: z.literal('waiting'), until: z.iso.datetime(), reason: text }),
  z.strictObject({
    ...base,
    kind: z.literal('ended'),
    state: z.enum(endStates),
    code: z.enum(errorCodes).nullable(),
    sentence: text,
    hint: text,
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

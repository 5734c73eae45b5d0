/**
 * Decides which changes a request may ask for: the action that its address names, and the body that fits it. A name here is only
 * compared and checked; it never becomes a path.
 */
import * as z from 'zod';
import { checkGoalId } from '../config/goal-id.ts';
import { parseStrictJson } from '../text/strict-json.ts';
import type { RunAction, StartRequest } from './control-api.ts';

/** Of the whole body. */
export const controlBodyBytesMax = 128 * 1024;

/** What an address that takes POST is for. */
export type ControlTarget =
  | { readonly kind: 'start' }
  | { readonly kind: RunAction; readonly run_id: string }
  | { readonly kind: 'answer'; readonly question: string };

export type ControlRequest =
  | ({ readonly kind: 'start' } & StartRequest)
  | { readonly kind: RunAction; readonly run_id: string }
  | {
      readonly kind: 'answer';
      readonly question: string;
      readonly text: string;
      /** Null: the run of the project folder. */
      readonly run_id: string | null;
    };

export type ParsedControl =
  | { readonly ok: true; readonly request: ControlRequest }
  | { readonly ok: false; readonly problem: string };

const runActions: readonly RunAction[] = ['cancel', 'pause', 'resume'];

/** Null: nothing can be changed by this address. */
export function targetOf(path: string): ControlTarget | null {
  const [, api, list, name = '', verb, ...more] = path.split('/');
  if (api !== 'api' || more.length > 0) return null;
  if (list === 'runs' && name === 'start' && verb === undefined) return { kind: 'start' };
  if (list === 'questions' && verb === 'answer' && questionPattern.test(name))
    return { kind: 'answer', question: name };

  const action = runActions.find((each) => each === verb);
  if (list !== 'runs' || action === undefined || checkGoalId(name) !== null) return null;
  return { kind: action, run_id: name };
}

/** Iteration and number. */
const questionPattern = /^[0-9]{1,9}\.[0-9]{1,9}$/;

/** Only `application/json`, which a form of a foreign page cannot send. */
export function isJsonType(contentType: string | undefined): boolean {
  return /^application\/json(?:;\s*charset=utf-8)?$/i.test(contentType ?? '');
}

/** No control characters, and nothing that a program could take for a flag. */
const plainWord = /^[^-\p{Cc}][^\p{Cc}]*$/u;
const word = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(plainWord, 'must be one line of text that does not begin with -');
const runId = z.string().superRefine((id, context) => {
  const problem = checkGoalId(id);
  if (problem !== null) context.addIssue({ code: 'custom', message: problem });
});

const startSchema = z.strictObject({
  goal: z.string().trim().min(1).nullish(),
  name: runId.nullish(),
  agent: word.nullish(),
  model: word.nullish(),
  max_iterations: z.int().min(1).max(1_000_000).nullish(),
});
const emptySchema = z.strictObject({});
const answerSchema = z.strictObject({ text: z.string().trim().min(1).max(16_384), run_id: runId.nullish() });

export function parseControl(target: ControlTarget, body: string): ParsedControl {
  const json = parseStrictJson(body);
  if (!json.ok) return { ok: false, problem: `the body is not JSON: ${json.message}` };
  switch (target.kind) {
    case 'start': {
      const read = startSchema.safeParse(json.value);
      if (!read.success) return refuse(read.error);
      const { goal = null, name = null, agent = null, model = null, max_iterations = null } = read.data;
      return { ok: true, request: { kind: 'start', goal, name, agent, model, max_iterations } };
    }
    case 'answer': {
      const read = answerSchema.safeParse(json.value);
      if (!read.success) return refuse(read.error);
      const { text, run_id = null } = read.data;
      return { ok: true, request: { ...target, text, run_id } };
    }
    case 'cancel':
    case 'pause':
    case 'resume': {
      const read = emptySchema.safeParse(json.value);
      return read.success ? { ok: true, request: target } : refuse(read.error);
    }
  }
}

function refuse({ issues }: z.ZodError): ParsedControl {
  const problems = issues.map(
    ({ path, message }) => `${path.length === 0 ? 'body' : path.join('.')}: ${message}`,
  );
  return { ok: false, problem: problems.join('; ').slice(0, 500) };
}

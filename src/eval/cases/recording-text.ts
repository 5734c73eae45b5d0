/**
 * What a recording holds, and the script that replays it. A recording is in the user's repository, where anybody can edit it,
 * so an invalid one is refused with the reason. It never looks at the files it names.
 */
import * as z from 'zod';

import type { IterationMeta } from '../../core/agents/session.ts';
import type { Script, ScriptAction, ScriptStep } from '../../core/agents/script.ts';
import { parseStrictJson } from '../../core/text/strict-json.ts';
import { renderProblem } from '../../core/text/text-place.ts';
import type { SourceText } from '../../core/types.ts';

const iterationSchema = z.strictObject({
  iter: z.int().min(1),
  /** `task_sha256` of its meta.json. */
  prompt_sha256: z.string().regex(/^[0-9a-f]{64}$/),
  answer: z.string().nullable(),
  exit_code: z.int().min(0).max(255),
  /** tree.json as the agent left it; null: as the runner had written it, false: the agent had removed it. */
  tree: z.union([z.string(), z.literal(false)]).nullable(),
  /** File beside the recording; null: the session changed no file. */
  patch: z
    .string()
    .regex(/^[1-9][0-9]*\.patch$/)
    .nullable(),
  /** Of the patch; absent: there is none, or nobody kept it. */
  patch_sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
});

const recordingSchema = z.strictObject({
  version: z.literal(1),
  case_id: z.string(),
  variant: z.string(),
  repeat: z.int().min(1),
  recorded_at: z.string(),
  runner_version: z.string(),
  iterations: z.array(iterationSchema).min(1),
});

/** `recording.json`, keys in this order. */
export type Recording = z.infer<typeof recordingSchema>;
export type RecordedIteration = Recording['iterations'][number];

const treePath = '.runner/state/tree.json';

export type RecordingResult =
  | { readonly ok: true; readonly recording: Recording }
  | { readonly ok: false; readonly message: string };

export function parseRecording(source: SourceText): RecordingResult {
  if (source.kind === 'missing') return { ok: false, message: 'there is no recording' };
  if (source.kind === 'unreadable') return { ok: false, message: source.message };
  if (source.kind === 'too_large') return { ok: false, message: `it has ${source.bytes} bytes` };
  const json = parseStrictJson(source.text);
  if (!json.ok) return { ok: false, message: renderProblem(json, json.message) };
  const parsed = recordingSchema.safeParse(json.value);
  if (!parsed.success) {
    const { issues } = parsed.error;
    return {
      ok: false,
      message: issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '),
    };
  }
  const isInOrder = parsed.data.iterations.every(({ iter }, index) => iter === index + 1);
  return isInOrder
    ? { ok: true, recording: parsed.data }
    : { ok: false, message: 'the iterations are not numbered from 1 on' };
}

/** Session number n plays iteration number n: every session of a replay ends by itself and is judged. */
export function replayScript(
  { iterations }: Pick<Recording, 'iterations'>,
  fileOf: (name: string) => string,
): Script {
  return {
    version: 1,
    steps: iterations.map(({ iter, answer, exit_code, tree, patch }): ScriptStep => {
      const actions: ScriptAction[] = [];
      if (patch !== null) actions.push({ apply_patch: fileOf(patch) });
      if (tree === false) actions.push({ delete: treePath });
      else if (tree !== null) actions.push({ tree: { text: tree } });
      if (exit_code !== 0) actions.push({ exit: exit_code });
      return { note: `iteration ${iter}`, actions, answer };
    }),
  };
}

/** An agent that says at once that it is done, as often as it is asked. */
export function idleScript(steps: number): Script {
  const answer = { status: 'done', summary: 'did nothing', children: null };
  return { version: 1, steps: Array.from({ length: steps }, () => ({ actions: [], answer })) };
}

/** Numbers of the iterations that saw another prompt than the recorded one, or that the recording does not have. */
export function replayMisses(
  { iterations }: Pick<Recording, 'iterations'>,
  /** `task_sha256` of the iterations that took place, in order: a prompt also says what its agent may reach and how it answers. */
  prompts: readonly string[],
): readonly number[] {
  return prompts.flatMap((sha256, index) => (sha256 === iterations[index]?.prompt_sha256 ? [] : [index + 1]));
}

/** The exit code that makes a replayed session count as the recorded one did: an agent can fail in other ways than by its code. */
export function playedExit(meta: Pick<IterationMeta, 'failure' | 'exit_codes'>): number {
  const code = meta.exit_codes.agent ?? 1;
  const hasFailed = meta.failure !== null && meta.failure !== 'malformed';
  return hasFailed && code === 0 ? 1 : code;
}

/** Which run a command about whole runs means (§12), and why it may not be ended. Pure: what is known in, one run or one refusal out. */
import type { ErrorCode } from '../errors.ts';

export interface KnownRun {
  readonly run_id: string;
  readonly is_complete: boolean;
}

export interface ChoiceInput {
  readonly command: 'audit' | 'finish' | 'update' | 'abandon';
  /** What the person typed: an id or a branch; null: nothing. */
  readonly word: string | null;
  /** What is checked out where the command was given; null: detached. */
  readonly branch: string | null;
  readonly known: readonly KnownRun[];
}

export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
}

export type Choice = { readonly ok: true; readonly run_id: string } | ({ readonly ok: false } & Refusal);

export function chooseRun({ command, word, branch, known }: ChoiceInput): Choice {
  const wanted = (word ?? branch)?.replace(/^(?:refs\/heads\/)?runner\//u, '');
  if (known.some(({ run_id }) => run_id === wanted)) return { ok: true, run_id: String(wanted) };
  if (word !== null) {
    const message = `there is no run '${word}'`;
    return { ok: false, code: 'RUN_UNKNOWN', message, hint: 'runner runs --all' };
  }
  const ids = (isComplete: boolean): readonly string[] =>
    known.filter(({ is_complete }) => is_complete || !isComplete).map(({ run_id }) => run_id);
  const [first, ...others] = command === 'finish' && ids(true).length > 0 ? ids(true) : ids(false);
  if (first === undefined)
    return { ok: false, code: 'RUN_UNKNOWN', message: 'there is no run here', hint: 'runner start' };
  if (others.length === 0) return { ok: true, run_id: first };
  const words = [first, ...others].map((id) => `runner ${command} ${id}`);
  const message = `there are several runs: ${[first, ...others].join(', ')}`;
  return { ok: false, code: 'RUN_UNKNOWN', message, hint: words.join(', or: ') };
}

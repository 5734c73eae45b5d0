/** What the loop told of an iteration, as the outcome needs it. It decides nothing; what the loop did not tell is not guessed. */
import type { IterationMeta } from '../../core/agents/session.ts';
import type { SessionFact } from './outcome.ts';

/** `step` is a line of `runner loop --json`; the exit code is only in the record of the iteration. */
export function parseSessionFact(
  step: Readonly<Record<string, unknown>>,
  metas: readonly (Pick<IterationMeta, 'iter' | 'exit_codes'> | null)[],
): SessionFact {
  const { iter, failure, message, waited_secs } = step;
  return {
    failure: typeof failure === 'string' ? failure : null,
    message: typeof message === 'string' ? message : '',
    waited_secs: typeof waited_secs === 'number' ? waited_secs : 0,
    exit_code: metas.find((meta) => meta?.iter === iter)?.exit_codes.agent ?? null,
  };
}

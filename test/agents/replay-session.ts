/**
 * A recording played back: a program that prints what the real CLI printed, leaves its answer file and ends as it ended, run as a
 * session of the runner's own adapter. What hung then hangs here too, but its time passes quickly.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { agentSession } from '../../src/adapters/agents/agent-session.ts';
import { systemClock } from '../../src/adapters/files/clock.ts';
import { parseAgentOutput } from '../../src/core/agents/agent-output.ts';
import type { FailureKind } from '../../src/core/agents/failure.ts';
import type { SessionResult } from '../../src/core/agents/session.ts';
import { tokensOf } from '../../src/core/agents/usage.ts';
import type { Clock } from '../../src/ports/sessions.ts';
import { sessionOptions, sessionRequest, stage } from '../support/sessions.ts';
import type { RecordedSession } from './recording-file.ts';

/** What a session came to. */
export interface Outcome {
  readonly end: SessionResult['end']['kind'];
  readonly failure: FailureKind | null;
  /** Seconds from the start of the recording to the stated reset. */
  readonly resetSecs: number | null;
  /** Status of an answer that counts; `no` when there is none. */
  readonly answer: string;
  readonly tokens: number | null;
  readonly denials: number;
}

export async function replay(recorded: RecordedSession): Promise<Outcome> {
  const at = stage();
  const own = path.join(at.top, 'own');
  const bin = at.program('replays', saveProgram(recorded, own));
  const isHanging = recorded.ended_by === 'us';
  const startMs = Date.parse(recorded.started_at);
  const clock = replayClock({ printed: path.join(own, 'printed'), startMs, isHanging });
  const result = await agentSession(sessionOptions(at, { clock })).run(
    sessionRequest(
      { name: recorded.cli, bin, model: 'm', idle_timeout_secs: isHanging ? 600 : 0 },
      { deadlineMs: Number.MAX_SAFE_INTEGER },
    ),
  );
  return outcomeOf(result, startMs);
}

/** Saves what was printed in `folder`, and returns the program that prints it. Codex names the file of its answer after `-o`. */
export function saveProgram(recorded: RecordedSession, folder: string): string {
  mkdirSync(folder, { recursive: true });
  for (const part of ['stdout', 'stderr', 'answer'] as const)
    writeFileSync(path.join(folder, part), recorded[part] ?? '');

  const last = recorded.ended_by === 'us' ? 'exec sleep 600' : `exit ${recorded.exit_code ?? 1}`;
  return `if [ "$1" = --version ]; then echo 'replay 1.0.0'; exit 0; fi
cat >/dev/null
for word in "$@"; do if [ "$before" = -o ]; then target=$word; fi; before=$word; done
cat '${folder}/stdout'
cat '${folder}/stderr' >&2
${recorded.answer === null ? '' : `cat '${folder}/answer' > "$target"`}
: > '${folder}/printed'
${last}`;
}

/** The time of day is that of the recording. For what hangs, it stands still until all is printed and runs then. */
function replayClock(recording: {
  readonly printed: string;
  readonly startMs: number;
  readonly isHanging: boolean;
}): Clock {
  const system = systemClock();
  const beginMs = system.monotonicMs();
  let printedMs: number | null = null;
  const hangingMs = (): number => {
    if (printedMs === null && existsSync(recording.printed)) printedMs = system.monotonicMs();
    return printedMs === null ? beginMs : beginMs + (system.monotonicMs() - printedMs) * 2000;
  };
  return {
    nowIso: () => new Date(recording.startMs).toISOString(),
    monotonicMs: () => (recording.isHanging ? hangingMs() : system.monotonicMs()),
    localNow: () => ({ epochMs: recording.startMs, offsetMinutes: 0 }),
  };
}

function outcomeOf({ end, answer, usage, denials }: SessionResult, startMs: number): Outcome {
  const resetMs = end.kind === 'unavailable' ? end.reset_at_ms : null;
  const parsed = parseAgentOutput(answer);
  return {
    end: end.kind,
    failure: 'failure' in end ? end.failure : null,
    resetSecs: resetMs === null ? null : Math.round((resetMs - startMs) / 1000),
    answer: parsed.ok ? parsed.output.status : 'no',
    tokens: tokensOf(usage),
    denials: denials.length,
  };
}

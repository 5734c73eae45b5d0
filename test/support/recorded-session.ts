/** A recorded session of a real CLI (test/agents/recordings), read as the runner reads it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { judgeSessionEnd, readAnswer } from '../../src/adapters/agents/agent-read.ts';
import type { ExecutorSpec } from '../../src/adapters/agents/executors/spec.ts';
import { parseAgentOutput } from '../../src/core/agents/agent-output.ts';
import type { SessionEnd, Unavailable } from '../../src/core/agents/session.ts';
import { addEvent, emptyTranscript } from '../../src/core/agents/transcript.ts';
import type { Transcript } from '../../src/core/agents/transcript.ts';
import type { AgentStatus } from '../../src/core/types.ts';

export interface RecordedSession {
  readonly transcript: Transcript;
  readonly end: SessionEnd | Unavailable;
  readonly status: AgentStatus | null;
}

/** One that had to be ended was ended for its silence. */
export function readRecorded(spec: ExecutorSpec, name: string): RecordedSession {
  const folder = join('test/agents/recordings', `${spec.name}-${spec.provenVersions[0] ?? ''}`, name);
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const recorded = JSON.parse(read('end.json')) as { exit_code: number | null; ended_by: 'itself' | 'us' };
  const exitCode = recorded.exit_code;
  const transcript = read('stdout.txt').split('\n').flatMap(spec.follow).reduce(addEvent, emptyTranscript);
  const ended = {
    transcript,
    stderr: read('stderr.txt'),
    answerFile: { kind: 'missing' },
    exitCode,
  } as const;
  const answer = parseAgentOutput(readAnswer(spec, ended));
  const how = recorded.ended_by === 'us' ? 'idle' : 'exited';
  const unasked = { signal: null, interruptSignal: null, startError: null, durationMs: 1, leftovers: [] };
  const result = { end: how, exitCode, ...unasked } as const;
  const now = { epochMs: 0, offsetMinutes: 0 };
  const end = judgeSessionEnd({ spec, result, ended, isAnswered: answer.ok, idleSecs: 6, now });
  return { transcript, end, status: answer.ok ? answer.output.status : null };
}

/** Lines that no agent means anything by. */
export const emptyLines: readonly string[] = [
  '',
  'plain words',
  '{',
  '{"type":',
  '[1]',
  'null',
  '{"type":7}',
];

/** How each recording ends, as `<kind> <failure, else status>`: the names of the recordings, with spaces between them. */
export function describeEndings(spec: ExecutorSpec, endings: Readonly<Record<string, string>>): void {
  describe.each(Object.entries(endings))('%s', (how, names) => {
    test.each(names.split(' '))('recorded: %s', (name) => {
      const { end, status, transcript } = readRecorded(spec, name);
      expect([end.kind, 'failure' in end ? end.failure : status].join(' ')).toBe(how);
      expect(transcript.openTools.size).toBe(0);
    });
  });
}

/**
 * Recorded output of the real CLIs (test/agents/recordings), event by event. How each session ends, what it answers and how many
 * tokens it counts is tested in test/agents/replay.test.ts.
 */
import { describe, expect, test } from 'vitest';
import { claude } from '../../../../src/adapters/agents/executors/claude.ts';
import { codex } from '../../../../src/adapters/agents/executors/codex.ts';
import { copilot } from '../../../../src/adapters/agents/executors/copilot.ts';
import { droid } from '../../../../src/adapters/agents/executors/droid.ts';
import { gemini } from '../../../../src/adapters/agents/executors/gemini.ts';
import { opencode } from '../../../../src/adapters/agents/executors/opencode.ts';
import { pi } from '../../../../src/adapters/agents/executors/pi.ts';
import { qwen } from '../../../../src/adapters/agents/executors/qwen.ts';
import type { ExecutorSpec } from '../../../../src/adapters/agents/executors/spec.ts';
import { addEvent, emptyTranscript } from '../../../../src/core/agents/transcript.ts';
import { unknownUsage } from '../../../../src/core/agents/usage.ts';
import { loadRecording, recordedNames } from '../../../agents/recording-file.ts';

function replay(spec: ExecutorSpec, id: string, name: string) {
  const { stdout, stderr } = loadRecording(id, name);
  const events = stdout.split('\n').flatMap((line) => spec.follow(line));
  const transcript = events.reduce(addEvent, emptyTranscript);
  return { events, transcript, denials: [...transcript.denials, ...(spec.denials?.(stderr) ?? [])] };
}

/** What it was refused, and what it could not ask; pi has no permissions and no questions. */
const rows: readonly (readonly [ExecutorSpec, Readonly<Record<string, readonly unknown[]>>])[] = [
  [claude, { denied: ['Bash rm a.txt'], question: ['AskUserQuestion Which one?'] }],
  [
    codex,
    {
      denied: ['patch rejected: writing outside of the project; rejected by user approval settings'],
      question: ['request_user_input is unavailable in Default mode'],
    },
  ],
  [
    copilot,
    {
      denied: ['Permission to run this tool was denied due to the following rules: `shell(rm:*)`'],
      question: ['ask_user Which one?'],
    },
  ],
  [droid, { denied: [], question: ['AskUser Which one?'] }],
  [
    gemini,
    {
      denied: ['Tool execution denied by policy.', expect.stringContaining('Path not in workspace')],
      question: ['ask_user Which one?'],
    },
  ],
  [opencode, { denied: ['bash rm a.txt'], question: ['question'] }],
  [pi, {}],
  [qwen, { denied: ['run_shell_command rm a.txt'], question: ['ask_user_question Which one?'] }],
];
const agents = rows.flatMap(([spec, denials]) =>
  spec.provenVersions.map((version) => ({ id: `${spec.name}-${version}`, spec, denials })),
);

describe.each(agents)('$id', ({ id, spec, denials }) => {
  test('no tool seems open at the end: it would hide a silence', () => {
    const open = recordedNames(id).filter((name) => replay(spec, id, name).transcript.openTools.size > 0);
    expect(open).toEqual([]);
  });

  test('what it used is the sum over the requests of the session', () => {
    const cost = spec === claude ? (expect.closeTo(0.007, 3) as unknown) : null;
    const sum = { input_tokens: 3600, cached_input_tokens: 2400, output_tokens: 180, cost_usd: cost };
    expect(replay(spec, id, 'done').transcript.usage).toEqual(spec === copilot ? unknownUsage : sum);
  });

  test('what it was refused, and what it could not ask', () => {
    for (const [name, expected] of Object.entries({ done: [], ...denials }))
      expect(replay(spec, id, name).denials).toEqual(expected);
  });
});

describe.each(agents.filter(({ spec }) => spec === codex || spec === claude))('$id', ({ id, spec }) => {
  test('what it did', () => {
    const types = (name: string) => replay(spec, id, name).events.map(({ type }) => type);
    const { events } = replay(spec, id, 'done');
    expect(events).toContainEqual({ type: 'message', text: 'I write the file.', partial: false });
    const detail = expect.stringContaining('echo made > made.txt') as unknown;
    expect(events).toContainEqual(expect.objectContaining({ type: 'tool_call', tool: 'shell', detail }));
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool_result', failed: true, exit_code: 7 }),
    );
    expect(replay(spec, id, 'edit').events).toContainEqual({
      type: 'file_edit',
      path: expect.stringMatching(/\/made\.txt$/) as unknown,
      change: 'add',
    });
    expect(types('reasoning')).toContain('reasoning');
    expect(types('transient').filter((type) => type === 'retry').length).toBeGreaterThan(0);
    expect(types('transient')).not.toContain('error');
  });
});

/** Background runs as the pages show them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { liveStatuses, parseRunRecord, runStatuses } from '../../../src/core/runs/record.ts';
import type { RunRecord, RunStatus } from '../../../src/core/runs/record.ts';
import { viewRun, viewRuns } from '../../../src/core/views/run-view.ts';

function record(status: RunStatus, fields: Partial<RunRecord> = {}): RunRecord {
  const least = { version: 1, run_id: 'one-1', branch: 'runner/one-1', base_commit: 'b', status };
  const parsed = parseRunRecord(
    JSON.stringify({ ...least, started_at: '2026-11-18T06:00:00Z', updated_at: '2026-11-18T06:01:00Z' }),
  );
  if (!parsed.ok) throw new Error(parsed.problems.join());
  return { ...parsed.record, ...fields };
}

test.each<readonly [RunStatus, boolean, readonly string[], string | null]>([
  ['queued', true, ['cancel'], null],
  ['running', true, ['cancel', 'pause'], null],
  ['waiting', true, ['cancel', 'pause'], null],
  ['running', false, ['resume'], 'runner finish one-1 --partial'],
  ['paused', false, ['resume'], 'runner finish one-1 --partial'],
  ['stuck', false, ['resume'], 'runner finish one-1 --partial'],
  ['complete', false, [], 'runner finish one-1'],
  ['finished', false, [], null],
  ['abandoned', false, [], null],
])('%s, alive %s', (status, is_alive, actions, finish_command) => {
  const used = record(status, { iterations: { used: 1, max: 5 }, leaves: { passed: 1, all: 2 } });
  expect(viewRun({ kind: 'record', record: used, is_alive })).toMatchObject({ actions, finish_command });
  // An iteration that brought nothing leaves nothing to merge.
  const none = record(status, { iterations: { used: 1, max: 5 }, leaves: { passed: 0, all: 2 } });
  const unused = viewRun({ kind: 'record', record: none, is_alive });
  expect(unused.finish_command).toBe(status === 'complete' ? finish_command : null);
});

test('what lives can be canceled, what rests can be resumed, and nothing both', () => {
  fc.assert(
    fc.property(fc.constantFrom(...runStatuses), fc.boolean(), (status, is_alive) => {
      const { actions, status: shown } = viewRun({ kind: 'record', record: record(status), is_alive });
      expect(actions.includes('cancel')).toBe(liveStatuses.has(shown));
      expect(actions.includes('cancel') && actions.includes('resume')).toBe(false);
      if (!is_alive) expect(liveStatuses.has(shown)).toBe(false);
    }),
  );
});

const resume = 'runner run resume one-1';

test.each<readonly [string, RunRecord, boolean, unknown]>([
  ['at work', record('running'), true, null],
  ['complete', record('complete'), false, null],
  ['ended by a person', record('finished'), false, null],
  [
    'killed',
    record('running', { end: { sentence: 'of before', hint: '' } }),
    false,
    {
      sentence: 'the process of the run ended without a word; nothing is lost',
      hint: resume,
      commands: [resume],
    },
  ],
  [
    'canceled',
    record('canceled', { end: { sentence: 'paused', hint: '' } }),
    false,
    { sentence: 'canceled, as somebody asked', hint: resume, commands: [resume] },
  ],
  [
    'failed',
    record('failed', {
      reason: 'AGENT_FAILING',
      end: { sentence: 'the agent\u001b[2J failed', hint: `runner -C /w log --failed, then: ${resume}` },
    }),
    false,
    {
      sentence: 'the agent failed',
      hint: `runner -C /w log --failed, then: ${resume}`,
      commands: ['runner -C /w log --failed', resume],
    },
  ],
  [
    'failed, as an older version told it',
    record('failed', { reason: 'setup', errors: ['exit code 1', 'more'] }),
    false,
    { sentence: 'exit code 1', hint: resume, commands: [resume] },
  ],
  [
    'stuck, as an older version told it',
    record('stuck', { reason: 'root.2 is stuck' }),
    false,
    { sentence: 'root.2 is stuck', hint: resume, commands: [resume] },
  ],
  ['paused', record('paused'), false, { sentence: 'paused', hint: resume, commands: [resume] }],
])('why it rests and what helps: %s', (_name, found, is_alive, situation) => {
  expect(viewRun({ kind: 'record', record: found, is_alive }).situation).toEqual(situation);
});

test('nothing of the machine is shown, and a broken record is', () => {
  const found = {
    kind: 'record',
    record: record('running', { settings: { RUNNER_X: 'y' } }),
    is_alive: true,
  };
  const text = JSON.stringify(viewRun({ ...found, kind: 'record' }));
  for (const key of ['settings', 'owner', 'worktree', 'slot', 'ticket'])
    expect(text).not.toContain(`"${key}"`);
  const broken = viewRun({ kind: 'broken', run_id: 'two', problems: ['status: wrong'] });
  expect(broken).toMatchObject({ status: 'failed', actions: [], errors: ['status: wrong'] });
});

test('newest first, unknown last', () => {
  const at = (run_id: string, started_at: string) => ({
    kind: 'record' as const,
    record: record('complete', { run_id, started_at }),
    is_alive: false,
  });
  const broken = { kind: 'broken' as const, run_id: 'z', problems: [] };
  const runs = viewRuns([at('a', '2026-11-17'), broken, at('c', '2026-11-18'), at('b', '2026-11-18')]);
  expect(runs.map(({ run_id }) => run_id)).toEqual(['b', 'c', 'a', 'z']);
});

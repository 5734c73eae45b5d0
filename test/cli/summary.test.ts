/** The table a loop ends with: what ran, what it used, what to do next. */
import { expect, test } from 'vitest';
import type { LoopOutcome } from '../../src/app/loop.ts';
import { renderSummary } from '../../src/cli/output/summary.ts';
import { node } from '../support/trees.ts';

const record = {
  run_id: 'demo',
  iter: 1,
  node_id: 'a',
  node_path: 'root/a',
  status: 'done',
  guard: 'pass',
  commit: '',
  message: '',
  tokens: null,
  cost_usd: null,
  failure: null,
  duration_ms: { agent: 61_000, guard: 2000, review: 0 },
  waited_secs: 0,
} as const;
const counts = { run_id: 'demo', steps: 3, started_at_iter: 1 };
const complete: LoopOutcome = { ...counts, kind: 'complete' };

test('everything that is known', () => {
  const records = [
    { ...record, guard: 'fail', tokens: 1000, cost_usd: 0.5 },
    { ...record, status: 'retry', guard: 'skipped', waited_secs: 90, tokens: 200 },
    { ...record, node_id: 'b', duration_ms: { agent: 1000, guard: 0, review: 3000 } },
    { ...record, node_id: 'c', duration_ms: { agent: 500, guard: 0, review: 0 } },
    { ...record, node_id: 'd', duration_ms: { agent: 9000, guard: 0, review: 0 } },
  ] as const;
  expect(renderSummary(records, complete, { tokens: 5000, cost_usd: 2, seconds: 9 })).toEqual([
    'summary: complete',
    '  iterations  5',
    '  passed      3',
    '  failed      1',
    '  retries     1',
    '  agent       02:12',
    '  guard       00:04',
    '  review      00:03',
    '  waits       01:30',
    '  tokens      1,200 tokens (the run so far: 5,000 tokens)',
    '  cost        $0.5000 (the run so far: $2.0000)',
    '  slowest     a 02:06 (1,200 tokens, $0.5000), d 00:09, b 00:04',
    '  next        runner finish demo',
  ]);
});

test('an error names what to do next, if it knows', () => {
  expect(renderSummary([record], 'git stash -u', null).at(0)).toBe('summary: stopped');
  expect(renderSummary([record], 'git stash -u', null).at(-1)).toBe('  next        git stash -u');
  expect(renderSummary([record], '', null).at(-1)).toBe('  slowest     a 01:03');
  expect(renderSummary([], 'git stash -u', null)).toEqual([]);
});

test('nothing reported, nothing mentioned', () => {
  expect(renderSummary([record], complete, null)).toEqual([
    'summary: complete',
    '  iterations  1',
    '  passed      1',
    '  failed      0',
    '  retries     0',
    '  agent       01:01',
    '  guard       00:02',
    '  slowest     a 01:03',
    '  next        runner finish demo',
  ]);
});

test.each<[LoopOutcome, string, string]>([
  [
    { ...counts, kind: 'stuck', leaf: { node: node('a.1'), path: 'root/a.1' } },
    'stuck',
    'runner explain, then: runner retry a.1',
  ],
  [
    { ...counts, kind: 'limit', next_iter: 9, max_iterations: 8 },
    'limit reached',
    'runner config set max_iterations 16, then: runner loop',
  ],
  [
    { ...counts, kind: 'run_limit', limit: 'max_tokens', used: 9, max: 8 },
    'limit reached',
    'runner config set limits.max_tokens 18, then: runner loop',
  ],
  [
    {
      ...counts,
      kind: 'stopped',
      stop: { kind: 'error', code: 'AGENT_BLOCKED', message: 'm', hint: 'codex \u001b[2Jlogin' },
    },
    'stopped',
    'codex login',
  ],
  [
    { ...counts, kind: 'stopped', stop: { kind: 'error', code: 'AGENT_BLOCKED', message: 'm', hint: '' } },
    'stopped',
    'runner loop',
  ],
  [{ ...counts, kind: 'stopped', stop: { kind: 'interrupted', signal: 'SIGINT' } }, 'stopped', 'runner loop'],
  [{ ...counts, kind: 'stopped', stop: { kind: 'stuck' } }, 'stopped', 'runner explain'],
  [{ ...counts, kind: 'paused' }, 'paused', 'runner loop'],
])('what to do after %j', (outcome, end, next) => {
  const lines = renderSummary([record], outcome, null);
  expect([lines.at(0), lines.at(-1)]).toEqual([`summary: ${end}`, `  next        ${next}`]);
  const isTold = outcome.kind === 'stuck';
  expect(renderSummary([], outcome, null)).toEqual(isTold ? [`summary: ${end}`, `  next  ${next}`] : []);
});

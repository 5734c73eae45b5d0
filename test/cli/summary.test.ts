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
  title: 'Make it',
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
const unknown = { totals: null, questions: null };
const counts = { run_id: 'demo', steps: 3, started_at_iter: 1 };
const complete: LoopOutcome = { ...counts, kind: 'complete' };

test('everything that is known', () => {
  const records = [
    { ...record, guard: 'fail', tokens: 1000, cost_usd: 0.5 },
    { ...record, status: 'retry', guard: 'skipped', waited_secs: 90, tokens: 200 },
    {
      ...record,
      node_id: 'b',
      title: 'Do '.repeat(20),
      duration_ms: { agent: 1000, guard: 0, review: 3000 },
    },
    { ...record, node_id: 'c', duration_ms: { agent: 500, guard: 0, review: 0 } },
    { ...record, node_id: 'd', title: null, duration_ms: { agent: 9000, guard: 0, review: 0 } },
  ] as const;
  expect(
    renderSummary(records, complete, { totals: { tokens: 5000, cost_usd: 2, seconds: 9 }, questions: 2 }),
  ).toEqual([
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
    '  slowest     a Make it 02:06 (1,200 tokens, $0.5000), d 00:09, b Do Do Do Do Do Do Do Do Do Do Do Do D… 00:04',
    '  questions   2 open: runner questions',
    '  next        runner finish demo',
  ]);
});

test('an error names what to do next, if it knows', () => {
  expect(renderSummary([record], 'git stash -u', unknown).at(0)).toBe('summary: stopped');
  expect(renderSummary([record], 'git stash -u', unknown).at(-1)).toBe('  next        git stash -u');
  expect(renderSummary([record], '', unknown).at(-1)).toBe('  slowest     a Make it 01:03');
  expect(renderSummary([], 'git stash -u', unknown)).toEqual([]);
});

test('nothing reported, nothing mentioned', () => {
  expect(renderSummary([record], complete, unknown)).toEqual([
    'summary: complete',
    '  iterations  1',
    '  passed      1',
    '  failed      0',
    '  retries     0',
    '  agent       01:01',
    '  guard       00:02',
    '  slowest     a Make it 01:03',
    '  next        runner finish demo',
  ]);
});

test.each<[LoopOutcome, string, string]>([
  [
    { ...counts, kind: 'stuck', leaf: { node: node('a.1', { title: 'Try' }), path: 'root/a.1' } },
    'stuck at a.1 Try',
    'runner explain, then: runner retry a.1, then: runner loop',
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
  const lines = renderSummary([record], outcome, unknown);
  expect([lines.at(0), lines.at(-1)]).toEqual([`summary: ${end}`, `  next        ${next}`]);
  const isTold = outcome.kind === 'stuck';
  expect(renderSummary([], outcome, unknown)).toEqual(isTold ? [`summary: ${end}`, `  next  ${next}`] : []);
});

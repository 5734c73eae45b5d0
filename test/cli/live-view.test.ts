/** The live view as a pure function: events to a state, a state and a size to lines. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { paintFor } from '../../src/cli/output/colour.ts';
import type { LiveState } from '../../src/cli/output/live-view.ts';
import { idleState, renderLive, stateAfter } from '../../src/cli/output/live-view.ts';
import { displayWidth } from '../../src/core/text/display-width.ts';
import type { RunEvent } from '../../src/ports/reporter.ts';
import { fuzzCases } from '../support/fuzz.ts';

const usage = { input_tokens: 100, cached_input_tokens: null, output_tokens: 20, cost_usd: 0.25 };
const started = {
  type: 'iteration_started',
  run_id: 'demo',
  iter: 3,
  node_id: 'root.1',
  node_path: 'root/root.1',
  title: 'Make slugify right',
  attempts: 1,
  max_attempts: 3,
  max_iterations: 50,
  purpose: 'execute',
  agent: { name: 'codex', version: '0.98.0', model: 'gpt-5', effort: null },
  credential: null,
  budget_ms: 1_800_000,
  rings: { sandbox: 'none', guard: 'outside', settings: true, checkout: 'off' },
  progress: { passed: 1, total: 4 },
  totals: { tokens: 1000, cost_usd: 1 },
} as const satisfies RunEvent;
const agentPhase: RunEvent = { type: 'phase', phase: 'agent' };
const says = (line: string): RunEvent => ({ type: 'activity', source: 'agent', line });
const used = (session: number, scope: 'session' | 'turn', role: 'agent' | 'review' = 'agent'): RunEvent => ({
  type: 'agent_event',
  place: { seq: 1, at: '', session, role },
  event: { type: 'usage', scope, usage },
});

function after(...events: readonly RunEvent[]): LiveState {
  return events.reduce((state, event) => stateAfter(state, event, 1000), idleState);
}

function shown(state: LiveState, size: { columns: number; rows: number }, atMs = 13_000): readonly string[] {
  return renderLive(state, { ...size, atMs }).map(({ text }) => text);
}

const screen = { columns: 80, rows: 24 };

test('run, node, phase and clock, activity, progress and what was used', () => {
  expect(shown(after(started, agentPhase, says('$ npm test'), says('thinking')), screen)).toEqual([
    'run demo · iter 3 of 50 · codex gpt-5',
    'root/root.1 · Make slugify right · attempts 1/3',
    'agent · 00:12 of 30:00',
    '  | $ npm test',
    '  | thinking',
    '[#####---------------] 1 of 4 passed · 1,000 tokens, $1.0000',
  ]);
});

describe('parts', () => {
  const foot = (state: LiveState): string => shown(state, screen).at(-1) ?? '';

  test('the last six lines of activity, fewer on a low terminal; a phase begins without', () => {
    const busy = after(started, agentPhase, ...'abcdefgh'.split('').map(says));
    expect(shown(busy, screen).slice(3, -1)).toEqual('cdefgh'.split('').map((line) => `  | ${line}`));
    expect(shown(busy, { columns: 80, rows: 9 }).slice(3, -1)).toEqual(['  | f', '  | g', '  | h']);
    expect(shown(stateAfter(busy, { type: 'phase', phase: 'guard' }, 0), screen)).toHaveLength(4);
    expect(stateAfter(busy, says(' \u001b[2J '), 0).activity).toEqual(busy.activity);
  });

  test('what sessions used is added up: turns, sums, and sessions before', () => {
    expect(foot(after(started, used(1, 'turn'), used(1, 'turn')))).toContain('1,240 tokens, $1.5000');
    expect(foot(after(started, used(1, 'session'), used(1, 'session')))).toContain('1,120 tokens, $1.2500');
    const both = after(started, used(1, 'session'), used(2, 'session'), used(1, 'turn', 'review'));
    expect(foot(both)).toContain('1,360 tokens, $1.7500');
    const unknown = { ...started, totals: { tokens: null, cost_usd: null } };
    expect(foot(after(unknown))).toBe('[#####---------------] 1 of 4 passed');
  });

  test('a wait says how long and why, and is no part of the time', () => {
    const wait = (left_ms: number, reason: string | null): RunEvent => ({ type: 'waiting', reason, left_ms });
    const first = stateAfter(after(started, agentPhase), wait(60_000, 'limit \u001b[2Jhit'), 2000);
    const later = stateAfter(first, wait(50_000, null), 12_000);
    expect(shown(later, screen, 12_000)[2]).toBe(
      'agent · 00:01 of 30:00 · waiting 00:50 (Ctrl-C stops): limit hit',
    );
    expect(shown(later, { columns: 39, rows: 24 }, 12_000)).toEqual([
      'iter 3 root/root.1 (codex) · agent · …',
    ]);
    expect(shown(later, screen, 12_900)[2], 'stands still').toContain('agent · 00:01 of ');
    const over = stateAfter(later, { type: 'waited', waited_ms: 10_000 }, 12_900);
    expect(shown(over, screen, 12_900)[2]).toBe('agent · 00:01 of 30:00');
    expect(shown(over, screen, 13_900)[2]).toBe('agent · 00:02 of 30:00');
  });

  test('a repair without a leaf, and an agent with its own model', () => {
    const repair = {
      ...started,
      purpose: 'repair',
      title: '',
      attempts: null,
      max_attempts: null,
      agent: { name: 'command', version: null, model: null, effort: null },
    } as const;
    expect(shown(after(repair, agentPhase), screen).slice(0, 2)).toEqual([
      'run demo · iter 3 of 50 · command · repair',
      'root/root.1',
    ]);
  });

  test('progress moves when an iteration ends', () => {
    const record = {
      run_id: 'demo',
      iter: 3,
      node_id: 'root.1',
      node_path: 'root/root.1',
      title: null,
      status: 'done',
      guard: 'pass',
      commit: '',
      message: '',
      tokens: null,
      cost_usd: null,
      failure: null,
      duration_ms: { agent: 1, guard: 1, review: 0 },
      waited_secs: 0,
    } as const;
    const ended = after(started, { type: 'iteration_ended', record, progress: { passed: 2, total: 4 } });
    expect(foot(ended)).toContain('2 of 4 passed');
  });
});

test.each([[{ columns: 39, rows: 24 }], [{ columns: 80, rows: 7 }]])(
  'a very small terminal gets one line: %j',
  (size) => {
    expect(shown(after(started, agentPhase, says('x')), size)).toHaveLength(1);
    expect(shown(after(started, agentPhase, says('x')), { columns: 40, rows: 8 }).length).toBeGreaterThan(1);
  },
);

test('the guard before a run has one line', () => {
  const state = after(
    { type: 'baseline_started', command: 'x', budget_ms: 60_000 },
    agentPhase,
    says('checking'),
  );
  expect(shown(state, screen)).toEqual(['baseline · agent · 00:12 · 00:48 left · checking']);
});

test('never wider or higher than the terminal, and nothing in it acts', () => {
  const nasty = fc.string({
    unit: fc.constantFrom(
      'a',
      ' ',
      '漢',
      '😀',
      '\u001b[2J',
      '\u001b]0;x\u0007',
      '\r',
      '\n',
      '\t',
      '\u009b',
      '\u202e',
      'é',
    ),
    maxLength: 120,
  });
  const event: fc.Arbitrary<RunEvent> = fc.oneof(
    nasty.map(says),
    nasty.map((title): RunEvent => ({ ...started, title })),
    nasty.map((reason): RunEvent => ({ type: 'waiting', reason, left_ms: 5000 })),
    fc.constantFrom<RunEvent>(agentPhase, { type: 'phase', phase: 'guard' }, used(1, 'turn')),
  );
  const size = fc.record({
    columns: fc.integer({ min: 1, max: 250 }),
    rows: fc.integer({ min: 1, max: 60 }),
  });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 20 }), size, (events, { columns, rows }) => {
      const lines = shown(after(started, ...events), { columns, rows });
      expect(lines.length).toBeLessThanOrEqual(Math.max(1, rows - 2));
      for (const line of lines) {
        expect(displayWidth(line)).toBeLessThan(Math.max(columns, 1));
        expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/u);
      }
    }),
    fuzzCases(500),
  );
});

test.each([
  [{}, true, true],
  [{}, false, false],
  [{ NO_COLOR: '1' }, true, false],
  [{ NO_COLOR: '' }, true, true],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: '0' }, true, false],
  [{ FORCE_COLOR: 'false' }, true, false],
  [{ FORCE_COLOR: '' }, false, false],
])('colour with %j on a terminal: %j', (env, isTerminal, isPainted) => {
  const paint = paintFor(env, { isTerminal });
  expect(paint('good', 'x')).toBe(isPainted ? '\u001b[32mx\u001b[0m' : 'x');
  expect(paint('bad', '')).toBe('');
});

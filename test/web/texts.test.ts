/** Addresses, activity, numbers and the words for now. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderEventLine } from '../../src/core/agents/agent-events.ts';
import type { AgentEvent } from '../../src/core/agents/agent-events.ts';
import { listActivity, renderSoFar, usageOf } from '../../src/web/iteration/activity.ts';
import { listPhases } from '../../src/web/current.ts';
import {
  renderAge,
  renderBytes,
  renderClock,
  renderCount,
  renderDollars,
  renderMs,
  renderSeconds,
} from '../../src/web/format.ts';
import { hrefOf, parseAddress, parseRoute, pathOfRun, tabNames, treeViews } from '../../src/web/routes.ts';
import type { Route } from '../../src/web/routes.ts';

const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
const arbRoute: fc.Arbitrary<Route> = fc.oneof(
  fc.constantFrom<Route>({ page: 'now' }, { page: 'memory' }),
  fc.record({ page: fc.constant('runs' as const), run: fc.option(name) }),
  fc.record({
    page: fc.constant('tree' as const),
    node: fc.option(name),
    view: fc.constantFrom(...treeViews),
  }),
  fc.record({
    page: fc.constant('iterations' as const),
    run: fc.string(),
    node: fc.string(),
    status: fc.string(),
  }),
  fc.record({
    page: fc.constant('iteration' as const),
    run: name,
    iter: fc.integer({ min: 1 }),
    tab: fc.constantFrom(...tabNames),
  }),
  fc.record({ page: fc.constant('node' as const), id: name }),
);

describe('addresses', () => {
  test('lead back to where they came from', () => {
    fc.assert(
      fc.property(arbRoute, (route) => {
        expect(parseRoute(hrefOf(route))).toEqual(route);
      }),
    );
  });

  test('background runs have paths; a hash in such an address wins', () => {
    const at = (pathname: string, hash = ''): Route => parseAddress({ pathname, hash });
    fc.assert(
      fc.property(fc.option(fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,20}$/)), (run) => {
        expect(at(pathOfRun(run))).toEqual({ page: 'runs', run });
      }),
    );
    expect(at('/runs/one', '#/now')).toEqual({ page: 'now' });
    expect(at('/', '#/runs/one')).toEqual({ page: 'runs', run: 'one' });
    expect(at('/')).toEqual({ page: 'now' });
    expect(at('/runs/one/two')).toEqual({ page: 'now' });
  });

  test('an address nobody made leads to a page', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (hash) => {
        expect(parseRoute(`#/${hash}`)).toHaveProperty('page');
      }),
    );
    expect(parseRoute('')).toEqual({ page: 'now' });
    expect(parseRoute('#/iteration/run/0')).toEqual({ page: 'now' });
    expect(parseRoute('#/iteration/run/x/diff')).toEqual({ page: 'now' });
    expect(parseRoute('#/node/')).toEqual({ page: 'now' });
    expect(parseRoute('#/%E0%A4%A')).toEqual({ page: 'now' });
  });
});

describe('activity', () => {
  const place = { seq: 4, at: '2026-11-16T06:00:00.000Z', session: 1, role: 'agent' } as const;
  const lineOf = (event: AgentEvent): string => renderEventLine(event, place).trimEnd();

  test.each<readonly [AgentEvent, string | null, boolean]>([
    [{ type: 'message', text: 'hello', partial: false }, 'hello', false],
    [{ type: 'message', text: 'hello\nmore', partial: false }, 'hello', true],
    [{ type: 'reasoning', text: 'hm', partial: false }, 'thinking: hm', false],
    [{ type: 'tool_call', id: '1', tool: 'shell', detail: 'npm test' }, '$ npm test', false],
    [{ type: 'tool_result', id: '1', failed: true, exit_code: 2 }, 'failed with exit code 2', false],
    [{ type: 'tool_result', id: '1', failed: false, exit_code: 0 }, null, false],
    [{ type: 'file_edit', path: 'a.ts', change: 'update' }, 'update a.ts', false],
    [{ type: 'denied', what: 'network' }, 'refused: network', false],
    [{ type: 'finished' }, null, false],
  ])('%j', (event, line, hasMore) => {
    const [item] = listActivity([lineOf(event)]);
    expect(item?.line ?? null).toBe(line);
    expect(item === undefined ? false : item.text !== null).toBe(hasMore);
  });

  test('what is no event is passed over', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (line) => {
        for (const item of listActivity([line, line])) expect(typeof item.line).toBe('string');
      }),
    );
    for (const line of [
      '',
      'null',
      '{}',
      '{"v":1,"type":"message","text":3}',
      '{"v":2,"type":"answer","text":"x"}',
    ])
      expect(listActivity([line])).toEqual([]);
  });

  test('without repeats: a tool with its end, an edit with its tool, an answer instead of its message', () => {
    const answer = '{"status":"done","summary":"all of it","children":null}';
    const events: readonly AgentEvent[] = [
      { type: 'tool_call', id: 'a', tool: 'shell', detail: 'npm test' },
      { type: 'tool_call', id: 'b', tool: 'Write', detail: 'src/a.ts' },
      { type: 'file_edit', path: 'src/a.ts', change: 'add' },
      { type: 'tool_result', id: 'b', failed: false, exit_code: null, output: 'made' },
      { type: 'tool_result', id: 'a', failed: true, exit_code: 1, output: '1 failed' },
      { type: 'retry', message: 'overloaded', status: null, reset_at_ms: null },
      { type: 'retry', message: 'overloaded', status: null, reset_at_ms: null },
      { type: 'message', text: answer, partial: false },
      { type: 'answer', text: answer },
    ];
    const lines = events.map((event, seq) =>
      renderEventLine(event, {
        ...place,
        seq,
        at: new Date(Date.UTC(2026, 10, 16) + seq * 1000).toISOString(),
      }),
    );
    const items = listActivity(lines);
    expect(items.map(({ kind, line, times, isBad }) => [kind, line, times, isBad])).toEqual([
      ['tool_call', '$ npm test', 1, true],
      ['file_edit', 'add src/a.ts', 1, false],
      ['retry', 'waiting for the model: overloaded', 2, false],
      ['answer', 'done: all of it', 1, false],
    ]);
    expect(items[0]?.result).toEqual({ ms: 4000, exit_code: 1, output: '1 failed' });
    expect(items[1]?.result).toEqual({ ms: 2000, exit_code: null, output: 'made' });
    expect(new Set(items.map(({ key }) => key)).size).toBe(items.length);
  });

  test('two sessions: nothing is taken for the other, and every key is its own', () => {
    const call: AgentEvent = { type: 'tool_call', id: 'a', tool: 'shell', detail: 'npm test' };
    const ended: AgentEvent = { type: 'tool_result', id: 'a', failed: false, exit_code: 0 };
    const items = listActivity([
      renderEventLine(call, place),
      renderEventLine(call, { ...place, session: 2 }),
      renderEventLine(ended, { ...place, session: 2 }),
    ]);
    expect(items.map(({ result }) => result === null)).toEqual([true, false]);
    expect(new Set(items.map(({ key }) => key)).size).toBe(2);
  });

  test('usage: sums of a session replace each other, turns and sessions add up', () => {
    const usage = (scope: 'session' | 'turn', tokens: number, session: number): string =>
      renderEventLine(
        {
          type: 'usage',
          scope,
          usage: { input_tokens: tokens, cached_input_tokens: null, output_tokens: 1, cost_usd: 0.5 },
        },
        { ...place, session },
      );
    expect(usageOf([])).toEqual({ tokens: null, cost_usd: null });
    expect(usageOf([usage('session', 10, 1), usage('session', 20, 1)])).toEqual({
      tokens: 21,
      cost_usd: 0.5,
    });
    expect(usageOf([usage('turn', 10, 1), usage('turn', 20, 1)])).toEqual({ tokens: 32, cost_usd: 1 });
    const both = usageOf([usage('session', 10, 1), 'usage', usage('session', 20, 2)]);
    expect(both).toEqual({ tokens: 32, cost_usd: 1 });
    expect(renderSoFar(both, true)).toEqual({ tokens: '32', cost: '$1.00' });
    // What was spent before the part that is loaded is not known.
    expect(renderSoFar(both, false)).toEqual({ tokens: '≥ 32', cost: '≥ $1.00' });
    expect(renderSoFar(usageOf([]), false)).toEqual({ tokens: '–', cost: '–' });
  });
});

test('numbers and times', () => {
  expect([0, 999, 1500, 59_600, 61_000, 3_700_000].map(renderMs)).toEqual([
    '0 ms',
    '999 ms',
    '1.5 s',
    '60 s',
    '1m 01s',
    '1h 01m',
  ]);
  expect([0, 1, 90].map(renderSeconds)).toEqual(['under 1 s', '1.0 s', '1m 30s']);
  expect([0, 61_000, 3_661_000].map(renderClock)).toEqual(['00:00', '01:01', '01:01:01']);
  const counts = [5, 12_345, 19_650, 58_950, 123_456, 2_500_000];
  expect(counts.map(renderCount)).toEqual(['5', '12.3k', '19.7k', '59.0k', '123k', '2.5M']);
  expect([0, 0.001, 1.239].map(renderDollars)).toEqual(['$0.00', '<$0.01', '$1.24']);
  expect([5, 2048, 5_000_000].map(renderBytes)).toEqual(['5 B', '2.0 KB', '4.8 MB']);
  const now = Date.parse('2026-11-16T12:00:00Z');
  expect(renderAge('2026-11-16T11:59:40Z', now)).toBe('just now');
  expect(renderAge('2026-11-16T11:00:00Z', now)).toBe('1 h ago');
  expect(renderAge('2026-11-14T11:00:00Z', now)).toBe('2 d ago');
  expect(renderAge('nonsense', now)).toBe('');
});

test('phases: what is over, now and ahead; a review only while there is one', () => {
  expect(listPhases('guard').map(({ name: phase, is }) => `${phase} ${is}`)).toEqual([
    'agent past',
    'collect past',
    'guard now',
    'verdict ahead',
    'commit ahead',
  ]);
  expect(listPhases('review').map(({ name: phase }) => phase)).toContain('review');
});

import { readFileSync } from 'node:fs';

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { defaultRunState, newNodeRecord, renderRunState } from '../../../src/core/iteration/run-state.ts';
import { parseRunState, runStateJsonSchema } from '../../../src/core/iteration/run-state-schema.ts';
import { fullRunState as full } from '../../support/facts.ts';

test('[ancestor: run_state run_state_round_trips] what is written reads back equal', () => {
  const text = renderRunState(full);
  expect(parseRunState(text)).toEqual({ ok: true, state: full });
  const ids = [...text.matchAll(/^ {4}"(.+?)": \{$/gm)].map(([, id]) => id);
  expect(ids).toEqual(['10', '9', 'a', 'b']);
});

test('every state reads back, whatever the ids and texts', () => {
  const text = fc.string({ unit: 'grapheme' });
  const record = fc.record({
    base: fc.option(text, { nil: null }),
    invalid_trees: fc.nat(),
    confirm_asked: fc.boolean(),
    decompose_used: fc.boolean(),
    tokens: fc.option(fc.maxSafeNat()),
    cost_usd: fc.option(fc.double({ min: 0, max: 9e9, noNaN: true })),
  });
  const id = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,12}$/);
  fc.assert(
    fc.property(fc.dictionary(id, record), fc.option(text, { nil: null }), (nodes, summary) => {
      const state = { ...full, last_summary: summary, nodes };
      const rendered = renderRunState(state);
      expect(JSON.parse(rendered)).toEqual(state);
      expect(parseRunState(rendered)).toEqual({ ok: true, state });
    }),
  );
});

test('a five-key file loads with our keys at their defaults', () => {
  const text = '{"run_id":"r","next_iter":3,"last_status":"retry","last_summary":"s","last_guard":"skipped"}';
  expect(parseRunState(text)).toEqual({
    ok: true,
    state: {
      ...defaultRunState,
      run_id: 'r',
      next_iter: 3,
      last_status: 'retry',
      last_summary: 's',
      last_guard: 'skipped',
    },
  });
  expect(parseRunState('{"next_iter":1}')).toEqual({ ok: true, state: defaultRunState });
});

describe('problems', () => {
  test.each([
    ['{', /^line 1, column 2: /],
    ['[]', /expected object/],
    ['{}', /^next_iter: /],
    ['{"next_iter":0}', /^next_iter: /],
    ['{"next_iter":1,"other":1}', /other/],
    ['{"next_iter":1,"last_status":"Done"}', /^last_status: /],
    ['{"next_iter":1,"nodes":{"a":{"bas":null}}}', /^nodes\.a: /],
    ['{"next_iter":1,"nodes":{"a":{"tokens":1.5}}}', /^nodes\.a\.tokens: /],
    ['{"next_iter":1,"nodes":{"a":{"cost_usd":-1}}}', /^nodes\.a\.cost_usd: /],
    ['{"next_iter":1,"repair":{}}', /^repair\./],
    ['{"next_iter":1,"next_iter":2}', /duplicate/],
  ])('%s', (text, expected) => {
    const parsed = parseRunState(text);
    expect(parsed.ok ? '' : parsed.problems[0]).toMatch(expected);
  });

  test('come all at once', () => {
    const parsed = parseRunState('{"next_iter":0,"judged_sessions":-1}');
    expect(parsed.ok ? [] : parsed.problems).toHaveLength(2);
  });
});

test('a node of an older file has no sums, which is not the same as zero', () => {
  const parsed = parseRunState('{"next_iter":1,"nodes":{"a":{"base":"x"}}}');
  expect(parsed.ok && parsed.state.nodes['a']).toEqual({ ...newNodeRecord, base: 'x' });
  expect(newNodeRecord).toMatchObject({ tokens: null, cost_usd: null });
});

test('a node id never finds what objects inherit', () => {
  expect(defaultRunState.nodes['constructor']).toBeUndefined();
  const parsed = parseRunState('{"next_iter":1,"nodes":{"toString":{"base":"x"}}}');
  expect(parsed.ok && parsed.state.nodes['toString']).toMatchObject({ base: 'x' });
  expect(parsed.ok && parsed.state.nodes['valueOf']).toBeUndefined();
});

test('the shipped JSON Schema is what the checks are made of', () => {
  const shipped: unknown = JSON.parse(readFileSync('schemas/run_state/v1.schema.json', 'utf8'));
  expect(shipped).toEqual(JSON.parse(JSON.stringify(runStateJsonSchema())));
});

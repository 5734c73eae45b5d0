import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseMeta } from '../../../src/core/iteration/iteration-meta.ts';
import { parseStrictJson } from '../../../src/core/text/strict-json.ts';
import { metaWith } from '../../support/iteration-metas.ts';

const place = { run_id: 'demo', iter: 2 };

describe('parseMeta', () => {
  test('a whole record comes back as it was', () => {
    const whole = metaWith({
      review: { agent: { name: 'claude', version: null, model: 'm', effort: null }, verdict: 'fail' },
      failure: 'rate_limited',
      notes: ['a note'],
      cost_usd: 0.25,
    });
    expect(parseMeta(JSON.stringify(whole), place)).toEqual(whole);
  });

  test('a record of fewer keys is filled with what is not known', () => {
    const few = { run_id: 'demo', iter: 2, node_id: 'a', status: 'retry', guard: 'skipped', more: 1 };
    expect(parseMeta(JSON.stringify(few), place)).toEqual({
      run_id: 'demo',
      iter: 2,
      node_id: 'a',
      node_path: '',
      title: null,
      mode: 'execute',
      status: 'retry',
      guard: 'skipped',
      outcome: '',
      agent: { name: '', version: null, model: null, effort: null },
      review: null,
      started_at: '',
      ended_at: '',
      duration_ms: { agent: 0, guard: 0, review: 0, total: 0 },
      tokens: null,
      cost_usd: null,
      totals: { node: { tokens: null, cost_usd: null }, run: { tokens: null, cost_usd: null } },
      failure: null,
      sessions: 1,
      waited_secs: 0,
      task_sha256: '',
      prompt_cut: [],
      rings: { sandbox: 'none', guard: 'outside', settings: false, checkout: 'off' },
      counterfactual: null,
      exit_codes: { agent: null, guard: null },
      tree_sha256: { before: '', after: '' },
      commit: '',
      changed_files: 0,
      tool_files: [],
      processes: '',
      notes: [],
      recovered: false,
    });
  });

  test.each([
    ['half-written', JSON.stringify(metaWith()).slice(0, 100)],
    ['empty', ''],
    ['no object', '[]'],
    ['of another run', JSON.stringify(metaWith({ run_id: 'other' }))],
    ['of another iteration', JSON.stringify(metaWith({ iter: 3 }))],
    ['of a node that cannot be', JSON.stringify(metaWith({ node_id: 'a\u001B[2J' }))],
    ['without a status', JSON.stringify({ ...metaWith(), status: 'maybe' })],
  ])('what is %s is none', (_what, text) => {
    expect(parseMeta(text, place)).toBeNull();
  });

  test('wrong values of single keys never make it fail', () => {
    const keys = Object.keys(metaWith()).filter(
      (key) => !['run_id', 'iter', 'node_id', 'status', 'guard'].includes(key),
    );
    const arbValue = fc.jsonValue().filter((value) => parseStrictJson(JSON.stringify(value)).ok);
    fc.assert(
      fc.property(fc.constantFrom(...keys), arbValue, (key, value) => {
        expect(parseMeta(JSON.stringify({ ...metaWith(), [key]: value }), place)).not.toBeNull();
      }),
    );
  });
});

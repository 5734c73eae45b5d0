/** What differs between two sets is told; what is merely not known is no difference. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listDifferences, renderDifferences } from '../../../src/eval/report/differences.ts';
import { arbTrials, codex, trialsOf, trialWith } from '../../support/trials.ts';

test('agent, version, model, runner and case hash', () => {
  const a = [...trialsOf('a', 'SS'), ...trialsOf('b', 'S'), trialWith({ case_id: 'c', agent: null })];
  const b = [
    ...trialsOf('a', 'SS', {
      agent: { name: 'claude', version: null, model: null },
      variant: { ...codex, agent: 'claude' },
      runner_version: '0.2.0',
      case_hash: 'b'.repeat(64),
    }),
    ...trialsOf('b', 'S', { runner_version: '0.2.0' }),
  ];
  expect(listDifferences(a, b)).toEqual([
    { what: 'variant', case_id: null, a: ['codex'], b: ['claude', 'codex'] },
    { what: 'agent', case_id: null, a: ['codex'], b: ['claude', 'codex'] },
    { what: 'agent version', case_id: null, a: ['1.2.3'], b: ['1.2.3', 'unknown'] },
    { what: 'model', case_id: null, a: ['gpt-x'], b: ['gpt-x', 'unknown'] },
    { what: 'runner version', case_id: null, a: ['0.1.0'], b: ['0.2.0'] },
    { what: 'case hash', case_id: 'a', a: ['aaaaaaaaaaaa'], b: ['bbbbbbbbbbbb'] },
  ]);
});

test('settings by their value, once where every case says the same', () => {
  const of = (case_id: string, settings: Record<string, string> | null) => trialWith({ case_id, settings });
  const a = [of('a', { max_iterations: '3', on_stuck: '"stop"' }), of('b', { max_iterations: '3' })];
  const b = [of('a', { max_iterations: '9', on_stuck: '"ask"' }), of('b', { max_iterations: '9' })];
  expect(listDifferences(a, b)).toEqual([
    { what: 'setting max_iterations', case_id: null, a: ['3'], b: ['9'] },
    { what: 'setting on_stuck', case_id: 'a', a: ['"stop"'], b: ['"ask"'] },
  ]);
  expect(listDifferences([of('a', { 'agent.model': 'x', 'agent.bin': 'y' })], [of('a', {})])).toEqual([
    { what: 'setting agent.bin', case_id: null, a: ['y'], b: ['(not set)'] },
  ]);
  expect(listDifferences([of('a', null)], b)).toEqual([]);
  expect(listDifferences([trialWith({ hidden: true })], [trialWith({ hidden: false })])).toEqual([
    { what: 'hidden', case_id: null, a: ['yes'], b: ['no'] },
  ]);
  expect(listDifferences([trialWith({ hidden: null })], [trialWith({ hidden: false })])).toEqual([]);
});

test('for people: no hashes and no riddles, but which cases changed and what is hidden', () => {
  const cases = 'abcdefg'.split('');
  const a = cases.map((case_id) => trialWith({ case_id, settings: { on_stuck: '"stop"' } }));
  const b = cases.map((case_id) =>
    trialWith({ case_id, case_hash: 'b'.repeat(64), hidden: false, settings: { on_stuck: '"ask"' } }),
  );
  expect(renderDifferences(listDifferences(a, b))).toEqual([
    { what: "cases out of the agent's reach", where: 'all', a: 'yes', b: 'no' },
    { what: 'setting on_stuck', where: 'all', a: '"stop"', b: '"ask"' },
    { what: 'the case changed', where: 'a, b, c, d, e and 2 more', a: '–', b: '–' },
  ]);
  const [changed] = renderDifferences(listDifferences(a.slice(0, 1), b.slice(0, 1))).slice(-1);
  expect(changed?.where).toBe('a');
  expect(renderDifferences([])).toEqual([]);
});

test('a side that says nothing does not differ', () => {
  expect(listDifferences([trialWith({ agent: null })], [trialWith()])).toEqual([]);
  expect(listDifferences([], [trialWith()])).toEqual([]);
});

test('a set does not differ from itself, and turned round the same differs', () => {
  fc.assert(
    fc.property(arbTrials, arbTrials, (a, b) => {
      expect(listDifferences(a, a.toReversed())).toEqual([]);
      const turned = listDifferences(b, a).map((one) => ({ ...one, a: one.b, b: one.a }));
      expect(turned).toEqual(listDifferences(a, b));
    }),
  );
});

/** What differs between two sets is told; what is merely not known is no difference. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listDifferences } from '../../../src/eval/report/differences.ts';
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

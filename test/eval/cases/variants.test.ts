/** Agents, models and settings, each with each. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { variantLabel } from '../../../src/eval/cases/names.ts';
import { crossSettings, crossVariants, parseChoice, splitValues } from '../../../src/eval/cases/variants.ts';

test.each([
  ['max_iterations=3', { key: 'max_iterations', values: ['3'] }],
  ['on_stuck=stop, ask', { key: 'on_stuck', values: ['stop', 'ask'] }],
  ['guard.command=["a", "b"],["c"]', { key: 'guard.command', values: ['["a", "b"]', '["c"]'] }],
  ['agent.bin="a,b",c', { key: 'agent.bin', values: ['"a,b"', 'c'] }],
  ['agent.bin="a\\",b",c', { key: 'agent.bin', values: ['"a\\",b"', 'c'] }],
  ['x==,', { key: 'x', values: ['=', ''] }],
  ['max_iterations', null],
  ['=3', null],
])('%s', (text, wanted) => {
  expect(parseChoice(text)).toEqual(wanted);
});

test('every value with every other, in order, each variant with a label of its own', () => {
  const settings = crossSettings([
    { key: 'a', values: ['1', '2'] },
    { key: 'b', values: ['x', 'y'] },
  ]);
  expect(settings).toEqual([
    { a: '1', b: 'x' },
    { a: '1', b: 'y' },
    { a: '2', b: 'x' },
    { a: '2', b: 'y' },
  ]);
  const variants = crossVariants(
    [
      { kind: 'agent', agent: 'codex', model: 'm' },
      { kind: 'null', agent: null, model: null },
    ],
    settings,
  );
  expect(variants.map(variantLabel)).toEqual([
    ...['codex:m+a=1+b=x', 'codex:m+a=1+b=y', 'codex:m+a=2+b=x', 'codex:m+a=2+b=y'],
    ...['null+a=1+b=x', 'null+a=1+b=y', 'null+a=2+b=x', 'null+a=2+b=y'],
  ]);
  const plain = [{ kind: 'oracle', agent: null, model: null }] as const;
  expect(crossVariants(plain, crossSettings([]))).toEqual(plain);
});

test('what was split is the text again, whatever it holds', () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z0-9.]{0,5}$/), { minLength: 1 }), (values) => {
      expect(splitValues(values.join(','))).toEqual(values);
    }),
  );
});

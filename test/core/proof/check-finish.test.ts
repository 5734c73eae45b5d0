import { expect, test } from 'vitest';
import { checkFinish } from '../../../src/core/proof/check-finish.ts';
import { runStateWith, smallTree } from '../../support/facts.ts';
import { base, filesOf, missing } from '../../support/proof-model.ts';

const tree = smallTree();

test('the commit that finishes a run says what the run says', () => {
  const files = filesOf(
    tree,
    runStateWith({ next_iter: 5, totals: { tokens: 7, cost_usd: null, seconds: 1 } }),
  );
  const finish = (message: string, of = files) =>
    checkFinish({ id: base, tree: '', parents: [], message }, of, 'run-1');
  const message =
    'feat: x\n\nRunner-Run: run-1\nRunner-Iterations: 4\nRunner-Passes: 1/3\nRunner-Tokens: 7\n';
  expect(finish(message)).toBeNull();
  for (const [from, to, rule] of [
    ['run-1', 'run-2', 'Runner-Run'],
    ['Iterations: 4', 'Iterations: 5', 'Runner-Iterations'],
    ['1/3', '3/3', 'Runner-Passes'],
    ['Tokens: 7', 'Tokens: 8', 'Runner-Tokens'],
    ['Runner-Tokens: 7', 'Runner-Tokens: 7\nRunner-Cost-USD: 1', 'Runner-Cost-USD'],
  ] as const)
    expect(finish(message.replace(from, to))).toMatchObject({ rule });
  expect(finish(message, { ...files, tree: missing })).toMatchObject({ rule: 'finish' });
});

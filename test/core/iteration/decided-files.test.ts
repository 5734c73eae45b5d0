import { expect, test } from 'vitest';
import { decidedFiles } from '../../../src/core/iteration/decided-files.ts';
import { renderLastFile } from '../../../src/core/iteration/last-file.ts';
import { renderRunState } from '../../../src/core/iteration/run-state.ts';
import { renderTree } from '../../../src/core/tree/canonical-json.ts';
import { journalBase } from '../../support/facts.ts';
import { node } from '../../support/trees.ts';

const tree = node('root');
const runState = journalBase.run_state;
const always = { 'state/tree.json': renderTree(tree), 'state/run_state.json': renderRunState(runState) };
const nothing = {
  tree,
  runState,
  last: { action: 'keep' },
  forgetLast: [],
  rejected: { action: 'keep' },
} as const;

test('tree and state always; what is kept is not named', () => {
  expect(decidedFiles(nothing, 'a')).toEqual(always);
});

test('the record of the node, and those that go; a rejected tree comes or goes', () => {
  const record = { iter: 2, summary: 's', error: null, guard_output: null };
  const last = { action: 'write', record } as const;
  expect(
    decidedFiles({ ...nothing, last, forgetLast: ['b', 'c'], rejected: { action: 'write', text: '{' } }, 'a'),
  ).toEqual({
    ...always,
    'nodes/a/last.json': renderLastFile(record),
    'nodes/b/last.json': null,
    'nodes/c/last.json': null,
    'state/tree.rejected.json': '{',
  });
  expect(decidedFiles({ ...nothing, rejected: { action: 'remove' } }, 'a')).toEqual({
    ...always,
    'state/tree.rejected.json': null,
  });
  // A node that passed leaves no record, whatever was to be written.
  expect(decidedFiles({ ...nothing, last, forgetLast: ['a'] }, 'a')).toEqual({
    ...always,
    'nodes/a/last.json': null,
  });
});

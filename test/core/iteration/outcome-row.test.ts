import { expect, test } from 'vitest';
import { rejectedAfter, runnerError, undone } from '../../../src/core/iteration/outcome-row.ts';
import type { SourceText } from '../../../src/core/types.ts';
import { outcomeInput, sessionWith, textSource } from '../../support/facts.ts';

test('the common ground: baseline, nothing told, nothing counted', () => {
  const input = outcomeInput();
  expect(undone(input, 'blocked')).toEqual({
    name: 'blocked',
    status: 'retry',
    guard: 'skipped',
    tree: input.before,
    summary: null,
    told: null,
    message: '',
    failures: 'same',
    judged: false,
  });
});

test('runner_error.log ends with a newline', () => {
  expect(runnerError('why')).toEqual({ file: 'runner_error.log', text: 'why\n' });
});

const mebibyte = 1024 * 1024;

test.each<[string, SourceText, boolean]>([
  ['a broken text', textSource('{'), true],
  ['an empty text', textSource(''), true],
  ['1 MiB', textSource('é'.repeat(mebibyte / 2)), true],
  ['more than 1 MiB', textSource(`${'é'.repeat(mebibyte / 2)}x`), false],
  ['nothing', { kind: 'missing' }, false],
  ['something unreadable', { kind: 'unreadable', message: 'not UTF-8' }, false],
  ['too much', { kind: 'too_large', bytes: 9, bytesMax: 8 }, false],
])('tree.rejected.json for %s (§5 REPAIR)', (_what, agent_tree, isKept) => {
  expect(rejectedAfter(sessionWith({ agent_tree }))).toEqual(
    isKept && agent_tree.kind === 'text' ? { action: 'write', text: agent_tree.text } : { action: 'remove' },
  );
});

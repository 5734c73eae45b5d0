import { expect, test } from 'vitest';
import { renderHolderHint } from '../../../src/core/runs/holder-hint.ts';

test.each([
  ['runner loop', null, /after its iteration: runner pause --wait$/u],
  ['runner loop', '/a b', /: runner -C '\/a b' pause --wait$/u],
  ['runner step', null, /or stop it: kill 7$/u],
])('%s', (command, at, hint) => {
  expect(renderHolderHint({ command, pid: 7 }, at)).toMatch(hint);
});

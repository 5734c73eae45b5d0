import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isErrorLine, searchError } from '../../../src/core/text/error-line.ts';

function find(text: string): ReturnType<ReturnType<typeof searchError>['found']> {
  const search = searchError();
  for (const line of text.split('\n')) search.add(line);
  return search.found();
}

describe('searchError', () => {
  test.each([
    ['ok\nerror: no\nfailed too', { line: 2, text: 'error: no', isSure: true }],
    ['12 passed, 0 failed\nno errors', null],
    ['failed: 0\nnot ok 2 - it', { line: 2, text: 'not ok 2 - it', isSure: true }],
    ['terror and failover', null],
    ['  TypeError: x', { line: 1, text: '  TypeError: x', isSure: true }],
    ['sh: deps: not found\nno such file\nok', { line: 1, text: 'sh: deps: not found', isSure: false }],
    ['cannot find it\nE   AssertionError', { line: 2, text: 'E   AssertionError', isSure: true }],
    ['', null],
  ])('%j', (text, found) => expect(find(text)).toEqual(found));

  test('the first sure line, whatever follows', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('ok', 'missing x', 'error: y', '0 failed')), (lines) => {
        const at = lines.findIndex(isErrorLine);
        if (at !== -1)
          expect(find(lines.join('\n'))).toEqual({ line: at + 1, text: lines[at], isSure: true });
      }),
    );
  });
});

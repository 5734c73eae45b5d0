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
    ['=== 1 failed in 2 s ===\n___ test_error ___\n--- error ---', null],
    ['--- FAIL: TestX (0.00s)', { line: 1, text: '--- FAIL: TestX (0.00s)', isSure: true }],
  ])('%j', (text, found) => expect(find(text)).toEqual(found));

  test('pytest: what was wrong, not the headline and not the code', () => {
    const head = ['t.py F [100%]', '==== FAILURES ====', '____ test_a ____', '>   raise ValueError("x")'];
    const tail = ['==== short test summary info ====', 'FAILED t.py::test_a - assert 3 == 4'];
    expect(find([...head, 'E       assert 3 == 4', 't.py:3: AssertionError', ...tail].join('\n'))).toEqual({
      line: 5,
      text: 'E       assert 3 == 4',
      isSure: true,
    });
    // Without a traceback (--tb=no), and cut off before the error.
    expect(find([...head.slice(0, 1), ...tail].join('\n'))).toMatchObject({ line: 3, isSure: true });
    expect(find(head.join('\n'))).toEqual({ line: 4, text: head[3], isSure: false });
  });

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

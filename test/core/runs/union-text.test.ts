import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unionText } from '../../../src/core/runs/union-text.ts';

const line = fc.stringMatching(/^[a-z0-9-]{1,6}( [a-z]{1,4})?$/);
const lines = fc.array(line, { maxLength: 6 }).map((all) => all.map((one) => `${one}\n`).join(''));
const linesOf = (text: string): readonly string[] => text.split('\n').filter((one) => one.trim() !== '');

describe('unionText', () => {
  test('has every line of the target, and every line that the run added', () => {
    fc.assert(
      fc.property(lines, lines, lines, (base, ours, theirs) => {
        const [target, run] = [base + ours, base + theirs];
        const united = unionText({ base, target, run });
        expect(linesOf(united)).toEqual(expect.arrayContaining([...linesOf(target), ...linesOf(theirs)]));
        expect(unionText({ base, target: united, run })).toBe(united);
      }),
    );
  });

  test('keeps every line of both also where somebody rewrote the text', () => {
    fc.assert(
      fc.property(lines, lines, lines, (base, target, run) => {
        fc.pre(!run.startsWith(base));
        const united = unionText({ base, target, run });
        expect(linesOf(united)).toEqual(expect.arrayContaining([...linesOf(target), ...linesOf(run)]));
      }),
    );
  });

  test.each([
    ['nothing new', { base: '# A\n', target: '# A\n- x\n', run: '# A\n' }, '# A\n- x\n'],
    ['the target is where it began', { base: '# A\n', target: '# A\n', run: '# A\n- y\n' }, '# A\n- y\n'],
    ['both grew', { base: '# A\n', target: '# A\n- x\n', run: '# A\n- y\n' }, '# A\n- x\n- y\n'],
    ['without a last line end', { base: '# A\n', target: '# A\n- x', run: '# A\n- y\n' }, '# A\n- x\n- y\n'],
    ['the same was added', { base: 'b\n', target: 'b\n- y\n- x\n', run: 'b\n- y\n' }, 'b\n- y\n- x\n'],
    ['added in the middle', { base: 'b\n', target: 'c\n- y\n- x\n', run: 'b\n- y\n' }, 'c\n- y\n- x\n'],
    [
      'rewritten, with entries of several lines',
      {
        base: '# Old\n',
        target: '# A\n\n- x\n  more\n',
        run: '# A\n\n- x\n  more\n- y\n  and more\n\nend\n',
      },
      '# A\n\n- x\n  more\n- y\n  and more\n\nend\n',
    ],
    [
      'rewritten, and the target went on',
      {
        base: '# Old\n',
        target: '# A\n- x\n  more\n- z\n',
        run: '# A\n- x\n  more\n- y\n  and more\n\nend\n',
      },
      '# A\n- x\n  more\n- z\n- y\n  and more\nend\n',
    ],
    ['rewritten, nothing new', { base: 'o\n', target: '- x\n- y\n', run: '- y\n- x\n' }, '- x\n- y\n'],
  ])('%s', (_name, versions, expected) => {
    expect(unionText(versions)).toBe(expected);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkLabel,
  checkResult,
  judgeCompleted,
  judgeFileContains,
  judgeIterations,
  judgeTree,
} from '../../../src/eval/cases/check-rules.ts';
import type { EvalCheck } from '../../../src/eval/cases/types.ts';
import { node } from '../../support/trees.ts';

const anyTree = { type: 'tree', passes: null, min_nodes: null, max_nodes: null, max_depth: null } as const;
const contains = { type: 'file_contains', path: 'a.md', text: null, pattern: null } as const;
const command = { cmd: ['go', 'build', '.'], timeout_secs: 60, env: {} } as const;

describe('what a check is called', () => {
  test.each<[EvalCheck, string]>([
    [{ type: 'file_exists', path: 'main.go' }, 'file_exists(main.go)'],
    [{ ...contains, text: 'a "b"' }, 'file_contains(a.md "a \\"b\\"")'],
    [{ ...contains, pattern: '^x$' }, 'file_contains(a.md /^x$/)'],
    [{ ...contains, pattern: 'y'.repeat(80) }, `file_contains(a.md /${'y'.repeat(59)}…)`],
    [{ type: 'command_succeeds', ...command }, 'command_succeeds(go build .)'],
    [{ type: 'command_fails', ...command, cmd: ['sh', '-c', 'a b'] }, 'command_fails(sh -c "a b")'],
    [
      { type: 'command_succeeds', ...command, cmd: ['node', '-e', `// ${'z'.repeat(90)}`] },
      `command_succeeds(node -e "// ${'z'.repeat(68)}…)`,
    ],
    [{ type: 'runner_completed' }, 'runner_completed'],
    [{ type: 'max_iterations_used', max: 5 }, 'max_iterations_used(5)'],
    [{ ...anyTree, passes: true, max_depth: 3 }, 'tree(passes=true max_depth=3)'],
    [{ ...anyTree, min_nodes: 2, max_nodes: 4 }, 'tree(min_nodes=2 max_nodes=4)'],
  ])('%j', (check, label) => {
    expect(checkLabel(check)).toBe(label);
    expect(checkResult(check, { passed: false, detail: 'why' })).toEqual({
      type: check.type,
      label,
      passed: false,
      detail: 'why',
    });
  });

  test('it is one line, whatever the case says', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (path, text) => {
        for (const check of [
          { type: 'file_exists', path },
          { ...contains, path, text },
          { type: 'command_fails', ...command, cmd: [path, text] },
        ] satisfies EvalCheck[])
          expect(checkLabel(check)).not.toMatch(/[\u0000-\u001F\u007F]/);
      }),
    );
  });
});

describe('file_contains', () => {
  test.each([
    [{ text: 'b.c' }, 'a b.c d', true],
    [{ text: 'b.c' }, 'a bxc d', false],
    [{ pattern: 'b.c' }, 'a bxc d', true],
    [{ pattern: '^two$' }, 'one\ntwo\n', true],
    [{ pattern: '^tw$' }, 'one\ntwo\n', false],
    [{ pattern: '^.$' }, '😀', true],
  ])('%j in %j: %s', (wanted, content, passed) => {
    expect(judgeFileContains({ ...contains, ...wanted }, content).passed).toBe(passed);
  });

  test('says what is not there, or that there is no file', () => {
    expect(judgeFileContains({ ...contains, text: 'x' }, 'y').detail).toBe('a.md does not contain "x"');
    expect(judgeFileContains({ ...contains, text: null, pattern: 'x' }, 'y', () => null)).toEqual({
      passed: false,
      detail: 'it took too long to look for /x/ in a.md',
    });
    expect(judgeFileContains({ ...contains, text: 'x' }, null)).toEqual({
      passed: false,
      detail: 'a.md cannot be read',
    });
    expect(judgeFileContains({ ...contains, text: 'x' }, 'x')).toEqual({ passed: true, detail: null });
  });

  test('a text between any two others is found', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), fc.string(), (before, text, after) => {
        expect(judgeFileContains({ ...contains, text }, before + text + after).passed).toBe(true);
        expect(judgeFileContains({ ...contains, text: `${text}\u0001` }, before + text + after).passed).toBe(
          false,
        );
      }),
    );
  });
});

test.each([
  [4, null],
  [5, null],
  [6, '6 iterations were used, more than 5'],
])('at most 5 iterations, %d used', (used, detail) => {
  expect(judgeIterations({ type: 'max_iterations_used', max: 5 }, used)).toEqual({
    passed: detail === null,
    detail,
  });
});

test.each([
  [0, null],
  [3, 'the loop ended with exit code 3'],
  [null, 'the loop did not end by itself'],
])(
  '[ancestor: eval_judge runner_completed_reflects_exit_code] runner_completed with exit %s',
  (code, detail) => {
    expect(judgeCompleted(code)).toEqual({ passed: detail === null, detail });
  },
);

describe('tree', () => {
  const tree = node('root', { children: [node('a', { children: [node('b')] }), node('c')] });
  test.each([
    [{ passes: false }, null],
    [{ passes: true }, 'the tree has not passed'],
    [{ min_nodes: 4, max_nodes: 4, max_depth: 3 }, null],
    [{ min_nodes: 5 }, '4 nodes are fewer than 5'],
    [{ max_nodes: 3 }, '4 nodes are more than 3'],
    [{ max_depth: 2 }, 'the tree is 3 levels deep, more than 2'],
    [{ passes: true, max_depth: 1 }, 'the tree has not passed; the tree is 3 levels deep, more than 1'],
  ])('%j', (wanted, detail) => {
    expect(judgeTree({ ...anyTree, ...wanted }, tree)).toEqual({ passed: detail === null, detail });
  });

  test('one that has passed although it must not, and one that is not there', () => {
    const passed = node('root', { passes: true });
    expect(judgeTree({ ...anyTree, passes: false }, passed).detail).toBe('the tree has passed');
    expect(judgeTree({ ...anyTree, passes: true }, passed).passed).toBe(true);
    expect(judgeTree({ ...anyTree, passes: true }, null)).toEqual({
      passed: false,
      detail: 'the tree cannot be read',
    });
  });

  test('bounds around the true number hold, those beside it do not', () => {
    fc.assert(
      fc.property(fc.nat({ max: 20 }), (children) => {
        const wide = node('root', {
          children: Array.from({ length: children }, (_, index) => node(`n${index}`)),
        });
        const nodes = children + 1;
        const judge = (wanted: object): boolean => judgeTree({ ...anyTree, ...wanted }, wide).passed;
        expect(judge({ min_nodes: nodes, max_nodes: nodes, max_depth: children === 0 ? 1 : 2 })).toBe(true);
        expect(judge({ min_nodes: nodes + 1 })).toBe(false);
        expect(judge({ max_nodes: nodes - 1 })).toBe(false);
      }),
    );
  });
});

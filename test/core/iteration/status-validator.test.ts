import { describe, expect, test } from 'vitest';
import { checkStatus, textChanged } from '../../../src/core/iteration/status-validator.ts';
import type { AgentOutput, TreeNode } from '../../../src/core/types.ts';
import { child, edited, outputWith, smallTree } from '../../support/facts.ts';
import { node } from '../../support/trees.ts';

function check(output: AgentOutput, next: TreeNode = smallTree()): readonly string[] {
  return checkStatus({ before: smallTree(), next, selectedId: 'a', output }).map(
    ({ path, message }) => `${path}: ${message}`,
  );
}

const withChildren = edited(smallTree(), 'a', (a) => ({ ...a, children: [node('x'), node('y')] }));

describe('decomposed (§5)', () => {
  test('[ancestor: status_validator decomposed_requires_children_added] nowhere is malformed', () => {
    expect(check(outputWith('decomposed'))).toEqual([
      "root/a: status=decomposed, but 'a' gained no children",
    ]);
  });

  test('[ancestor: status_validator decomposed_allows_children_added] in the tree or in the answer', () => {
    expect(check(outputWith('decomposed'), withChildren)).toEqual([]);
    expect(check(outputWith('decomposed', { children: [child('x')] }))).toEqual([]);
  });

  test('in both is malformed', () => {
    expect(check(outputWith('decomposed', { children: [child('x')] }), withChildren)).toEqual([
      'root/a: status=decomposed with children both in the answer and in tree.json',
    ]);
  });

  test('an empty list is malformed, whatever the tree says', () => {
    const message = 'root/a: status=decomposed with an empty list of children';
    expect(check(outputWith('decomposed', { children: [] }))).toEqual([message]);
    expect(check(outputWith('decomposed', { children: [] }), withChildren)).toEqual([message]);
  });

  test('children must be new: a moved node splits nothing', () => {
    const next = edited(
      edited(smallTree(), 'b', () => null),
      'a',
      (a) => ({ ...a, children: [node('b')] }),
    );
    expect(check(outputWith('decomposed'), next)).toEqual([
      "root/a: children of 'a' must be new nodes, not b",
    ]);
  });

  test('texts of the selected node may change with it', () => {
    expect(
      check(
        outputWith('decomposed'),
        edited(withChildren, 'a', (a) => ({ ...a, goal: 'x' })),
      ),
    ).toEqual([]);
  });
});

describe('done and retry (§5)', () => {
  test('[ancestor: status_validator done_rejects_children_added] names them', () => {
    expect(check(outputWith('done'), withChildren)).toEqual([
      "root/a: status=done, but 'a' gained children: x, y",
    ]);
  });

  test('[ancestor: status_validator retry_rejects_children_added] names them', () => {
    expect(check(outputWith('retry'), withChildren)).toEqual([
      "root/a: status=retry, but 'a' gained children: x, y",
    ]);
  });

  test.each(['done', 'retry'] as const)(
    '%s with children in the answer is malformed, an empty list is not',
    (status) => {
      expect(check(outputWith(status, { children: [child('x')] }))).toEqual([
        `root/a: status=${status} with a list of children in the answer`,
      ]);
      expect(check(outputWith(status, { children: [] }))).toEqual([]);
      expect(check(outputWith(status))).toEqual([]);
    },
  );

  test.each<[string, Partial<TreeNode>]>([
    ['title', { title: 'other' }],
    ['goal', { goal: 'other' }],
    ['acceptance', { acceptance: ['other'] }],
  ])('done with a changed %s is malformed, retry is not', (_key, fields) => {
    const next = edited(smallTree(), 'a', (a) => ({ ...a, ...fields }));
    expect(check(outputWith('done'), next)).toEqual([
      "root/a: status=done, but title, goal or acceptance of 'a' changed",
    ]);
    expect(check(outputWith('retry'), next)).toEqual([]);
  });

  test('done with a changed order is fine', () => {
    expect(
      check(
        outputWith('done'),
        edited(smallTree(), 'a', (a) => ({ ...a, order: 7 })),
      ),
    ).toEqual([]);
  });
});

test('id sets are compared, so an exchanged child is a gained one', () => {
  const before = edited(smallTree(), 'a', (a) => ({ ...a, children: [node('x'), node('y')] }));
  const next = edited(before, 'y', (y) => ({ ...y, id: 'z' }));
  const found = checkStatus({ before, next, selectedId: 'a', output: outputWith('retry') });
  expect(found).toEqual([{ path: 'root/a', message: "status=retry, but 'a' gained children: z" }]);
});

test.each(['done', 'retry', 'decomposed'] as const)('%s: a summary may have 8 KiB', (status) => {
  const next = status === 'decomposed' ? withChildren : smallTree();
  expect(check(outputWith(status, { summary: 'é'.repeat(4096) }), next)).toEqual([]);
  expect(check(outputWith(status, { summary: `${'é'.repeat(4096)}x` }), next)).toEqual([
    ': summary is longer than 8192 bytes',
  ]);
});

test('[ancestor: status_validator errors_when_selected_missing] a missing node is left to the rules on structure', () => {
  const gone = edited(smallTree(), 'a', () => null);
  expect(check(outputWith('done'), gone)).toEqual([]);
  const output = outputWith('decomposed');
  expect(checkStatus({ before: gone, next: smallTree(), selectedId: 'a', output })).toEqual([]);
});

test.each<[Partial<TreeNode>, boolean]>([
  [{ order: 4, passes: true, attempts: 2, max_attempts: 9, children: [node('x')] }, false],
  [{ title: '' }, true],
  [{ goal: '' }, true],
  [{ acceptance: [''] }, true],
])('textChanged with %j is %s', (fields, changed) => {
  expect(textChanged(node('a'), node('a', fields))).toBe(changed);
});

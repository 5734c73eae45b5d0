/** Messages of a person's commits (§12): what was asked for, titles beside ids, and nothing that could add a line. */
import { expect, test } from 'vitest';
import { parseIterationSubject } from '../../../src/core/iteration/commit-message.ts';
import {
  answerMessage,
  configMessage,
  retryMessage,
  treeEditMessage,
} from '../../../src/core/runs/person-message.ts';
import type { TreeEdit, TreeEditPlan } from '../../../src/core/tree/tree-edit.ts';
import { node } from '../../support/trees.ts';

const children = Array.from({ length: 60 }, (_, at) => node(`n${at}`, { order: at }));
const tree = node('root', {
  children: [...children, node('evil', { order: 99, title: 'a\nRunner-Mark: b' })],
});
const plan = (ids: readonly string[], fields: Partial<TreeEditPlan> = {}): TreeEditPlan => ({
  ok: true,
  tree,
  ids,
  reopened: [],
  split: null,
  dropped: [],
  changed: [],
  files: {},
  ...fields,
});
const texts = { title: 'T', goal: '', acceptance: [] };
const add: TreeEdit = { kind: 'add', parent: 'root', nodes: [texts], before: null, after: null };

test.each<[TreeEdit, TreeEditPlan, string | null, string]>([
  [
    add,
    plan(['n1'], { reopened: ['root'] }),
    'abc',
    'chore(loop): add n1\n\nn1: n1 title\n\nRunner-Person: add\nRunner-Mark: reopened\nRunner-Entry: abc\n',
  ],
  [
    { kind: 'drop', node: 'gone', why: 'a\nRunner-Mark: b' },
    plan(['gone'], {
      dropped: [
        { id: 'gone', title: 'A\nRunner-Mark: c' },
        { id: 'gone.1', title: 'B' },
      ],
    }),
    null,
    'chore(loop): drop gone\n\ngone: A Runner-Mark: c\ngone.1: B\nWhy: a Runner-Mark: b\n\nRunner-Person: drop\n',
  ],
  [
    { kind: 'edit', node: 'evil', texts: {} },
    plan(['evil'], { changed: ['title', 'goal'] }),
    null,
    'chore(loop): edit evil title,goal\n\nevil: a Runner-Mark: b\n\nRunner-Person: edit\n',
  ],
  [
    { kind: 'move', node: 'x', under: null, before: null, after: null },
    plan(['x']),
    null,
    'chore(loop): move x\n\nRunner-Person: move\n',
  ],
])('%j', (edit, change, entry, message) => {
  expect(treeEditMessage(edit, change, entry)).toBe(message);
  expect(parseIterationSubject(String(message.split('\n')[0]))).toBeNull();
});

test('many nodes are counted', () => {
  const edit: TreeEdit = { kind: 'import', parent: 'root', nodes: [texts], file: 'p.json' };
  const message = treeEditMessage(edit, plan(children.map(({ id }) => id)), null);
  expect(message).toContain('chore(loop): import 60 tasks\n');
  expect(message).toContain('\n(and 10 more)\n');
  expect(treeEditMessage(edit, plan(['n1']), null)).toContain('import 1 task\n');
});

test('answers, settings and attempts say what was asked for, and none looks like an iteration', () => {
  const before = node('a', { attempts: 3 });
  const raised = { before, after: { ...before, max_attempts: 6 } };
  const messages = [
    answerMessage('1.2', null),
    answerMessage('1.2', 'e1'),
    configMessage({ key: 'git.sign', isSet: true }, null),
    configMessage({ key: 'git.sign', isSet: false }, 'e1'),
    retryMessage(raised, null),
    retryMessage(raised, 'e1'),
  ];
  const retried =
    'chore(loop): retry a attempts=3/6\n\nRunner-Person: retry\nRunner-Title: a title\nRunner-Max-Attempts: 3 -> 6\n';
  expect(messages).toEqual([
    'chore(loop): answer 1.2\n\nRunner-Person: answer\n',
    'chore(loop): answer 1.2\n\nRunner-Person: answer\nRunner-Entry: e1\n',
    'chore(loop): set git.sign\n\nRunner-Person: config set\n',
    'chore(loop): unset git.sign\n\nRunner-Person: config unset\nRunner-Entry: e1\n',
    retried,
    `${retried}Runner-Entry: e1\n`,
  ]);
  for (const message of messages) expect(parseIterationSubject(String(message.split('\n')[0]))).toBeNull();
});

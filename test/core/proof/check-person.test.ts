import { describe, expect, test } from 'vitest';
import { checkBetween } from '../../../src/core/proof/check-person.ts';
import type { Facts, Transition } from '../../../src/core/proof/transition.ts';
import { renderTree } from '../../../src/core/tree/canonical-json.ts';
import type { TreeNode } from '../../../src/core/types.ts';
import { edited, runStateWith, smallTree, textSource } from '../../support/facts.ts';
import { base, factsWith, filesOf, missing, plainStep } from '../../support/proof-model.ts';
import { node } from '../../support/trees.ts';

const state = runStateWith({ next_iter: 3 });
const tree = smallTree();
const check = (step: ReturnType<typeof plainStep>, known: TreeNode | null = tree) =>
  checkBetween(step.transition as Exclude<Transition, { kind: 'iteration' }>, step.facts, known);
const factsOf = (after: TreeNode, fields: Partial<Facts> = {}): Facts => {
  const files = filesOf(after, state);
  const touched =
    renderTree(after) === renderTree(tree)
      ? []
      : [{ path: 'state/tree.json', file: { mode: '100644', oid: 'x' } }];
  return factsWith({ before: filesOf(tree, state), after: files, inside: touched, ...fields });
};
const person = (command: string, mark = ''): string =>
  `chore(loop): ${command}\n\nRunner-Person: ${command}\n${mark}`;
const textOf = (id: string, fields: Partial<TreeNode>): TreeNode =>
  edited(tree, id, (old) => ({ ...old, ...fields }));
const more = edited(tree, 'root', (root) => ({
  ...root,
  children: [...root.children, node('new', { order: 9 })],
}));

describe('plain commits', () => {
  test.each([
    ['other files', tree, {}],
    ['an open node', textOf('b', { title: 'other', max_attempts: 9 }), {}],
    ['a new node', more, {}],
    ['where it is merged', tree, { after: filesOf(tree, { ...state, base_branch: 'x' }) }],
    ['a tree that cannot be read', tree, { after: { ...filesOf(tree, state), tree: textSource('{') } }],
  ])('%s: may change', (_, after, fields) =>
    expect(check(plainStep('plain', 'docs: x\n', factsOf(after, fields)))).toBeNull(),
  );

  test.each([
    ['passed nodes', textOf('p', { title: 'other' })],
    ['changed by hand', textOf('b', { attempts: 1 })],
    ['changed by hand', textOf('b', { passes: true })],
    ['changed by hand', edited(more, 'new', (old) => ({ ...old, attempts: 1 }))],
  ])('%s: is listed', (rule, after) =>
    expect(check(plainStep('plain', 'docs: x\n', factsOf(after)))).toMatchObject({ rule }),
  );

  test('the run state is the runner’s', () => {
    const other = factsOf(tree, { after: filesOf(tree, { ...state, next_iter: 9 }) });
    expect(check(plainStep('plain', 'x\n', other))).toMatchObject({ rule: 'run_state.next_iter' });
    const gone = factsOf(tree, { after: { ...filesOf(tree, state), runState: missing } });
    expect(check(plainStep('plain', 'x\n', gone))).toMatchObject({ rule: 'run_state.json' });
  });

  test('nothing to compare with', () =>
    expect(check(plainStep('plain', 'x\n', factsOf(tree)), null)).toBeNull());
});

const done = node('root', { passes: true, children: [node('one', { passes: true })] });
const again = { ...done, passes: false, children: [...done.children, node('two', { order: 1 })] };
const dropped = { path: 'nodes/b/dropped.json', file: { mode: '100644', oid: 'x' } };

describe('people’s commands', () => {
  test('change open nodes, and may open passed ones that have children', () => {
    expect(check(plainStep('person', person('edit'), factsOf(textOf('b', { goal: 'g' }))))).toBeNull();
    expect(
      check(plainStep('person', person('add', 'Runner-Mark: reopened\n'), factsOf(again)), done),
    ).toBeNull();
    expect(
      check(
        plainStep(
          'person',
          person('config set'),
          factsOf(tree, { inside: [{ path: 'state/config.toml', file: null }] }),
        ),
      ),
    ).toBeNull();
    expect(check(plainStep('person', person('update'), factsOf(tree, { outside: ['a.txt'] })))).toBeNull();
    const gone = edited(tree, 'b', () => null);
    const facts = factsOf(gone);
    expect(
      check(plainStep('person', person('drop'), { ...facts, inside: [...facts.inside, dropped] })),
    ).toBeNull();
    expect(
      check(plainStep('person', person('something new'), factsOf(textOf('b', { goal: 'g' })))),
    ).toBeNull();
  });

  test.each([
    ['changed by hand', 'edit', textOf('b', { passes: true }), {}],
    ['changed by hand', 'retry', textOf('b', { attempts: 2 }), {}],
    ['changed by hand', 'unknown', textOf('b', { attempts: 2 }), {}],
    ['passed nodes', 'edit', textOf('p', { goal: 'g' }), {}],
    ['dropped nodes', 'drop', edited(tree, 'b', () => null), {}],
    ['dropped nodes', 'edit', edited(tree, 'b', () => null), { inside: [dropped] }],
    ['.runner/GOAL.md', 'edit', tree, { inside: [{ path: 'GOAL.md', file: { mode: '100644', oid: 'x' } }] }],
    ['a.txt', 'answer', tree, { outside: ['a.txt'] }],
    [
      'tree.json',
      'edit',
      textOf('b', { goal: 'g' }),
      { after: { ...filesOf(tree, state), tree: textSource(JSON.stringify(textOf('b', { goal: 'g' }))) } },
    ],
    ['tree.json', 'edit', tree, { after: { ...filesOf(tree, state), tree: missing } }],
    ['Runner-Mark: reopened', 'edit', tree, {}],
    ['run_state.next_iter', 'edit', tree, { after: filesOf(tree, { ...state, next_iter: 9 }) }],
  ] as const)('%s: not by %s', (rule, command, after, fields) => {
    const facts = factsOf(after, fields);
    const inside = rule === 'dropped nodes' && command === 'edit' ? [] : facts.inside;
    expect(
      check(
        plainStep('person', person(command, rule.startsWith('Runner-Mark') ? `${rule}\n` : ''), {
          ...facts,
          inside,
        }),
      ),
    ).toMatchObject({
      rule,
    });
  });

  test('a passed node that is opened stays where and what it is', () => {
    const moved = { ...again, title: 'another' };
    const step = plainStep('person', person('add', 'Runner-Mark: reopened\n'), factsOf(moved));
    expect(check(step, done)).toMatchObject({ rule: 'passed nodes' });
    expect(check(plainStep('person', person('add'), factsOf(again)), done)).toMatchObject({
      rule: 'Runner-Mark: reopened',
    });
  });
});

describe('the commit that begins a run', () => {
  const fresh = runStateWith({ next_iter: 1, base_commit: base });
  const open = node('root');
  const first = (fields: Partial<Facts> = {}) =>
    check(
      plainStep(
        'start',
        'chore(loop): start run run-1\n\nRunner-Run: run-1\n',
        factsWith({
          before: { tree: missing, runState: missing, rejected: missing },
          after: filesOf(open, fresh),
          ...fields,
        }),
        true,
      ),
      null,
    );

  test('has nothing passed and nothing used up', () => {
    expect(first()).toBeNull();
    expect(
      first({
        after: filesOf(open, { ...fresh, base_commit: 'f'.repeat(40) }),
        before: filesOf(tree, { ...fresh, base_commit: 'f'.repeat(40) }),
      }),
    ).toBeNull();
    expect(first({ outside: ['a.txt'] })).toMatchObject({ rule: 'files outside .runner/' });
    expect(first({ after: { ...filesOf(open, fresh), tree: missing } })).toMatchObject({ rule: 'start' });
    expect(first({ after: filesOf(open, { ...fresh, next_iter: 2 }) })).toMatchObject({
      rule: 'run_state.next_iter',
    });
    expect(first({ after: filesOf(node('root', { attempts: 1 }), fresh) })).toMatchObject({
      rule: 'start',
      found: 'root',
    });
    expect(first({ after: filesOf(open, { ...fresh, base_commit: 'x' }) })).toMatchObject({
      rule: 'run_state.base_commit',
    });
  });

  test('without a parent', () => {
    const step = plainStep(
      'start',
      'x',
      factsWith({ before: filesOf(open, fresh), after: filesOf(open, { ...fresh, base_commit: null }) }),
      true,
    );
    const transition = { ...step.transition, commit: { ...step.transition.commit, parents: [] } };
    expect(check({ ...step, transition }, null)).toBeNull();
  });

  test('start on a run that goes on', () => {
    const next = (after: TreeNode, fields = {}) =>
      check(plainStep('start', 'x', factsOf(after, { after: filesOf(after, { ...state, ...fields }) })));
    expect(next(tree, { guard_baseline: 'green' })).toBeNull();
    expect(next(tree, { judged_sessions: 9 })).toMatchObject({ rule: 'run_state.judged_sessions' });
    expect(next(textOf('b', { passes: true }))).toMatchObject({ rule: 'changed by hand' });
  });
});

/** What a person may change of a node: attempts of open leaves, words of open nodes, nothing else (§1.3, §1.6). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findNamedNode, planEdit, planRetry } from '../../../src/core/tree/person-edit.ts';
import { findNode, walkTree } from '../../../src/core/tree/tree-walk.ts';
import { node } from '../../support/trees.ts';

const tree = node('root', {
  children: [
    node('api', { passes: true }),
    node('ui', {
      order: 1,
      children: [node('ui.1', { attempts: 3 }), node('ui.2', { order: 1, attempts: 1 })],
    }),
  ],
});
const retry = (word: string, maxAttempts: number | null = null) =>
  planRetry({ tree, word, maxAttempts, maxAttemptsDefault: 3 });

describe('a node is named by id or path', () => {
  test.each(['ui.1', 'root/ui/ui.1'])('%s', (word) => {
    expect(findNamedNode(tree, word)).toMatchObject({ ok: true, visit: { path: 'root/ui/ui.1' } });
  });

  test.each([
    ['UI.1', 'did you mean ui.1?'],
    ['ui.3', 'did you mean ui.1?'],
    ['rooot', 'did you mean root?'],
    ['something', "there is no node 'something' in the tree"],
  ])('%s: %s', (word, message) => {
    const found = findNamedNode(tree, word);
    expect(found).toMatchObject({ ok: false, code: 'NODE_UNKNOWN' });
    expect(!found.ok && found.message.endsWith(message), JSON.stringify(found)).toBe(true);
  });
});

describe('retry', () => {
  test.each([
    ['ui.1', null, 6, true],
    ['ui.1', 4, 4, true],
    ['ui.2', null, 4, true],
    ['ui.2', 2, 2, true],
    ['ui.2', 3, 3, false],
  ] as const)('%s with %s: max_attempts %s', (word, maxAttempts, wanted, changed) => {
    const plan = retry(word, maxAttempts);
    expect(plan).toMatchObject({ ok: true, changed, after: { max_attempts: wanted } });
    const before = findNode(tree, word);
    expect(plan.ok && findNode(plan.tree, word)).toEqual({ ...before, max_attempts: wanted });
  });

  test.each([
    ['ui.1', 3, 'USAGE', /has used 3 attempts/],
    ['api', null, 'NODE_CLOSED', /^root\/api has passed/],
    ['ui', null, 'NODE_CLOSED', /^root\/ui has children/],
    ['nobody', null, 'NODE_UNKNOWN', /no node 'nobody'/],
  ] as const)('%s with %s is refused', (word, maxAttempts, code, message) => {
    expect(retry(word, maxAttempts)).toMatchObject({
      ok: false,
      code,
      message: expect.stringMatching(message) as string,
    });
  });

  test('a leaf that has more attempts left than a new one keeps them', () => {
    const free = node('root', { attempts: 1, max_attempts: 9 });
    expect(planRetry({ tree: free, word: 'root', maxAttempts: null, maxAttemptsDefault: 3 })).toMatchObject({
      changed: false,
      after: { max_attempts: 9 },
    });
  });

  test('nothing but max_attempts of that leaf ever changes, and it can be tried again', () => {
    fc.assert(
      fc.property(fc.nat(20), fc.nat(20), fc.integer({ min: 1, max: 20 }), (used, more, standard) => {
        const one = node('root', {
          children: [node('a', { attempts: used, max_attempts: Math.max(1, used + more) }), node('b')],
        });
        const plan = planRetry({ tree: one, word: 'a', maxAttempts: null, maxAttemptsDefault: standard });
        if (!plan.ok) throw new Error(plan.message);
        expect(plan.after.max_attempts - plan.after.attempts).toBeGreaterThanOrEqual(standard);
        const masked = (root: typeof one) =>
          walkTree(root).map(({ node: each }) => ({ ...each, max_attempts: 0, children: [] }));
        expect(masked(plan.tree)).toEqual(masked(one));
      }),
    );
  });
});

describe('edit', () => {
  test('changes only what is given, of leaves and of nodes with children', () => {
    const plan = planEdit(tree, 'ui', { title: 'UI', goal: 'other', acceptance: ['x'] });
    expect(plan).toMatchObject({ ok: true, changed: ['title', 'goal', 'acceptance'] });
    expect(plan.ok && findNode(plan.tree, 'ui')).toMatchObject({
      title: 'UI',
      children: [{ id: 'ui.1' }, { id: 'ui.2' }],
    });
    expect(planEdit(tree, 'ui.1', { goal: 'other' })).toMatchObject({ changed: ['goal'] });
    expect(planEdit(tree, 'ui.1', {})).toMatchObject({ ok: true, changed: [], tree });
  });

  test.each([
    ['api', { goal: 'x' }, 'NODE_CLOSED'],
    ['nobody', { goal: 'x' }, 'NODE_UNKNOWN'],
    ['ui', { title: ' ' }, 'USAGE'],
  ])('%s %j is refused: %s', (id, texts, code) => {
    expect(planEdit(tree, id, texts)).toMatchObject({ ok: false, code });
  });
});

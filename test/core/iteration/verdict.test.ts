import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderTree } from '../../../src/core/tree/canonical-json.ts';
import { findNode, walkTree } from '../../../src/core/tree/tree-walk.ts';
import type { Purpose, SourceText, TreeNode, Violation } from '../../../src/core/types.ts';
import type { JudgeInput } from '../../../src/core/iteration/verdict.ts';
import { judge, renderViolations } from '../../../src/core/iteration/verdict.ts';
import {
  answerSource,
  child,
  edited,
  judgeInput,
  outputWith,
  smallTree,
  textSource,
  treeSource,
} from '../../support/facts.ts';
import { arbTree, node } from '../../support/trees.ts';

/** The kind, and the violations as lines. */
function verdict(fields: Partial<JudgeInput>): readonly string[] {
  const judgement = judge(judgeInput(fields));
  const violations = 'violations' in judgement ? judgement.violations : [];
  const error = judgement.kind === 'no_answer' ? [judgement.error] : [];
  return [judgement.kind, ...violations.map(({ path, message }) => `${path}: ${message}`), ...error];
}

test('a tree that was left as it was is judged as any other with the same words', () => {
  fc.assert(
    fc.property(arbTree({ withPassed: false }), fc.constantFrom('done', 'retry'), (before, status) => {
      const text = renderTree(before);
      const answer = answerSource(status);
      const given = { before, nodeId: walkTree(before).at(-1)?.node.id ?? '', answer };
      const left = judge(judgeInput({ ...given, agentTree: textSource(text) }));
      expect(left.kind).toBe('accepted');
      // A blank more, and nothing is known of the text.
      expect(left).toStrictEqual(judge(judgeInput({ ...given, agentTree: textSource(`${text} `) })));
    }),
  );
});

const broken = textSource('{');
const tooLarge: SourceText = { kind: 'too_large', bytes: 9, bytesMax: 8 };
const missing: SourceText = { kind: 'missing' };

describe('the order of the rows (§5)', () => {
  test('an invalid tree comes before a missing answer', () => {
    expect(judge(judgeInput({ agentTree: broken, answer: missing }))).toMatchObject({
      kind: 'tree_invalid',
      answered: false,
    });
    expect(judge(judgeInput({ agentTree: broken }))).toMatchObject({ kind: 'tree_invalid', answered: true });
  });

  test('a missing answer comes before a tree beyond the limits', () => {
    expect(verdict({ agentTree: tooLarge, answer: missing })).toEqual(['no_answer', 'there is no answer']);
    expect(verdict({ agentTree: tooLarge })).toEqual([
      'malformed',
      ': the file has 9 bytes; at most 8 are allowed',
    ]);
  });

  test('no answer comes before broken rules', () => {
    const agentTree = treeSource(edited(smallTree(), 'p', () => null));
    expect(verdict({ agentTree, answer: textSource('done!') })[0]).toBe('no_answer');
    expect(verdict({ agentTree })).toEqual(['malformed', "root/p: passed node 'p' is missing"]);
  });

  test('all violations come at once: passed nodes, structure, answer', () => {
    const next = edited(
      edited(
        edited(smallTree(), 'p', () => null),
        'b',
        () => null,
      ),
      'a',
      (a) => ({ ...a, title: 'other' }),
    );
    expect(verdict({ agentTree: treeSource(next) })).toEqual([
      'malformed',
      "root/p: passed node 'p' is missing",
      "root/b: open node 'b' was removed (tree.allow_removal in config.toml is false)",
      "root/a: status=done, but title, goal or acceptance of 'a' changed",
    ]);
    expect(verdict({ agentTree: treeSource(next), allowRemoval: true })).toHaveLength(3);
  });
});

describe('accepted', () => {
  test.each(['done', 'retry'] as const)('%s with the unchanged tree', (status) => {
    expect(judge(judgeInput({ answer: answerSource(status) }))).toEqual({
      kind: 'accepted',
      output: outputWith(status),
      tree: smallTree(),
      textChanged: false,
    });
  });

  test('what the agent wrote is sorted, and the runner’s own keys come from the baseline', () => {
    const before = smallTree({ attempts: 2 });
    const root = { ...before, children: before.children.toReversed() };
    const next = edited(root, 'a', (a) => ({ ...a, passes: true, attempts: 0, max_attempts: 1 }));
    expect(judge(judgeInput({ before, agentTree: treeSource(next) }))).toMatchObject({ tree: before });
  });

  test('retry with a changed goal is accepted and says so', () => {
    const next = edited(smallTree(), 'a', (a) => ({ ...a, goal: 'smaller' }));
    const found = judge(judgeInput({ agentTree: treeSource(next), answer: answerSource('retry') }));
    expect(found).toMatchObject({ kind: 'accepted', tree: next, textChanged: true });
  });

  test('decomposed by the tree keeps what the agent wrote', () => {
    const next = edited(smallTree(), 'a', (a) => ({ ...a, children: [node('x', { max_attempts: 9 })] }));
    const found = judge(judgeInput({ agentTree: treeSource(next), answer: answerSource('decomposed') }));
    expect(found).toMatchObject({ kind: 'accepted', textChanged: false });
    expect(found.kind === 'accepted' && findNode(found.tree, 'a')?.children).toEqual([node('x')]);
  });

  test('decomposed by the answer gets new nodes, beside other edits', () => {
    const next = edited(smallTree(), 'b', (b) => ({ ...b, id: 'b', title: 'other' }));
    const answer = answerSource('decomposed', { children: [child('one'), child('two')] });
    const input = judgeInput({
      agentTree: treeSource(next),
      answer,
      takenIds: ['a.1'],
      maxAttemptsDefault: 2,
    });
    const found = judge(input);
    const added = (id: string, title: string, order: number): TreeNode =>
      node(id, { title, goal: `${title} goal`, order, max_attempts: 2 });
    expect(found).toMatchObject({
      kind: 'accepted',
      tree: edited(next, 'a', (a) => ({
        ...a,
        children: [added('a.2', 'one', 0), added('a.3', 'two', 1)],
      })),
    });
  });
});

describe('limits of §3 are malformed', () => {
  test('for children in the answer', () => {
    const children = [child('t'.repeat(201)), child('ok', { acceptance: ['x'.repeat(8200)] })];
    expect(verdict({ answer: answerSource('decomposed', { children }) })).toEqual([
      'malformed',
      'root/a/a.1: title is longer than 200 bytes',
      'root/a/a.2: goal and acceptance together are longer than 8192 bytes',
    ]);
  });

  /** A chain of `depth` nodes; the last one is `n<depth>`. */
  function chain(depth: number): TreeNode {
    let tree = node(`n${depth}`);
    for (let level = depth - 1; level > 0; level -= 1) tree = node(`n${level}`, { children: [tree] });
    return tree;
  }

  test('a tree too deep, by the tree or by the answer', () => {
    const before = chain(64);
    const deeper = edited(before, 'n64', (old) => ({ ...old, children: [node('x')] }));
    const common = { before, nodeId: 'n64' };
    const byTree = verdict({
      ...common,
      agentTree: treeSource(deeper),
      answer: answerSource('decomposed'),
    });
    expect(byTree[0]).toBe('malformed');
    expect(byTree[1]).toMatch(/n64\/x: .*64/);
    const byAnswer = verdict({ ...common, answer: answerSource('decomposed', { children: [child('x')] }) });
    expect(byAnswer[0]).toBe('malformed');
    expect(byAnswer[1]).toMatch(/n64\/n64\.1: the tree is deeper than 64 levels$/);
    expect(byAnswer).toHaveLength(2);
    const fits = { before: chain(63), nodeId: 'n63', agentTree: treeSource(chain(63)) };
    expect(verdict({ ...fits, answer: answerSource('decomposed', { children: [child('x')] }) })).toEqual([
      'accepted',
    ]);
  });

  test('a tree too large, by the answer', () => {
    const many = Array.from({ length: 99_998 }, (_, index) => node(`n${index}`, { order: index + 1 }));
    const before = node('root', { children: [node('a'), ...many] });
    const answer = answerSource('decomposed', { children: [child('x')] });
    expect(verdict({ before, answer })).toEqual(['malformed', ': the tree has more than 100000 nodes']);
  });

  test('a tree that would be larger on disk than can be read again', () => {
    const parent = chain(60);
    const wide = Array.from({ length: 30_000 }, (_, index) => node(`w${index}`, { order: index }));
    const next = edited(parent, 'n59', (old) => ({ ...old, children: [...old.children, ...wide] }));
    const agentTree = textSource(JSON.stringify(next));
    expect(renderTree(next).length).toBeGreaterThan(64 * 1024 * 1024);
    const common = { before: parent, nodeId: 'n60', agentTree };
    expect(verdict({ ...common, answer: answerSource('retry') })[0]).toBe('malformed');
    expect(verdict({ ...common, purpose: 'repair' })[0]).toBe('fruitless');
  });
});

describe('in a repair only the tree is judged (§5 REPAIR)', () => {
  const purpose: Purpose = 'repair';

  test.each<[string, SourceText, boolean]>([
    ['no answer', missing, false],
    ['an answer that would be malformed', answerSource('decomposed', { children: [] }), true],
  ])('the unchanged tree ends it, with %s', (_what, answer, answered) => {
    expect(judge(judgeInput({ purpose, answer }))).toEqual({ kind: 'repaired', tree: smallTree(), answered });
  });

  test('any open leaf may gain children, none may be lost', () => {
    const grown = edited(smallTree(), 'b', (b) => ({ ...b, children: [node('x')] }));
    expect(judge(judgeInput({ purpose, agentTree: treeSource(grown) }))).toMatchObject({
      kind: 'repaired',
      tree: grown,
    });
    const shrunk = edited(smallTree(), 'a', () => null);
    expect(verdict({ purpose, agentTree: treeSource(shrunk) })).toEqual([
      'fruitless',
      "root/a: open node 'a' was removed (tree.allow_removal in config.toml is false)",
    ]);
  });

  test.each<[string, SourceText]>([
    ['invalid', broken],
    ['over a limit', tooLarge],
    ['breaking a rule', treeSource(edited(smallTree(), 'p', (p) => ({ ...p, attempts: 0 })))],
  ])('a tree %s is fruitless', (_what, agentTree) => {
    expect(judge(judgeInput({ purpose, agentTree, answer: missing }))).toMatchObject({
      kind: 'fruitless',
      answered: false,
    });
    expect(verdict({ purpose, agentTree }).length).toBeGreaterThan(1);
  });
});

describe('a plan is judged like any other session (§4)', () => {
  test('what is accepted is the outcome’s business', () => {
    expect(verdict({ purpose: 'plan' })).toEqual(['accepted']);
    expect(verdict({ purpose: 'plan', agentTree: broken })[0]).toBe('tree_invalid');
    expect(verdict({ purpose: 'plan', answer: missing })[0]).toBe('no_answer');
  });
});

describe('renderViolations', () => {
  const many = (count: number): Violation[] =>
    Array.from({ length: count }, (_, index) => ({ path: `root/n${index}`, message: 'is wrong' }));

  test('one line each, with the path when there is one', () => {
    expect(renderViolations([{ path: '', message: 'not JSON' }, ...many(1)])).toBe(
      '- not JSON\n- root/n0: is wrong',
    );
  });

  test('the first 50, and how many more', () => {
    expect(renderViolations(many(50)).split('\n')).toHaveLength(50);
    const lines = renderViolations(many(53)).split('\n');
    expect(lines).toHaveLength(51);
    expect(lines.at(-1)).toBe('- and 3 more');
  });
});

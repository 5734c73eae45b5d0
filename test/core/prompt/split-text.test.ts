import { describe, expect, test } from 'vitest';
import {
  decomposeRules,
  splitRules,
  statusRules,
  treeRules,
  treeShape,
} from '../../../src/core/prompt/split-text.ts';

test('the three statuses', () => {
  for (const words of ['- `done`:', '- `retry`:', '- `decomposed`:']) expect(statusRules).toContain(words);
});

describe('splitRules', () => {
  test.each([
    'by default you do the work yourself',
    'if it will not fit into 30 minutes',
    'with a boundary of their own, each of which can be checked',
    'vertical slice',
    'Never "implement" in one\n  child and "test" or "document" in another',
    'cover every acceptance item',
    'Each fits one session (30 minutes)',
    'No child needs a later one',
  ])('%s', (words) => {
    expect(splitRules('execute', '30 minutes')).toContain(words);
  });

  test('a planning session has no choice, and the same rules for children', () => {
    const text = splitRules('plan', '2 minutes');
    expect(text).toContain('why it did not succeed');
    expect(text).toContain('vertical slice');
    expect(text).not.toContain('by default');
  });
});

test('how children are given', () => {
  for (const words of [
    '{"title": "…", "goal": "…", "acceptance": ["…"]}',
    '`children` of the answer',
    'Never both',
    'at most 200 bytes',
  ])
    expect(decomposeRules).toContain(words);
});

describe('treeRules', () => {
  const rules = treeRules('execute', false);
  test.each([
    'Never change, move or remove a node with `"passes": true`',
    "`passes`, `attempts` and `max_attempts` are the runner's",
    'Never remove an open node',
    'keeps an open node below it',
    'No open leaf but the current node may get children',
  ])('%s', (words) => {
    expect(rules).toContain(words);
  });

  test('removal is told only where it is allowed, and a repair knows no current node', () => {
    expect(treeRules('plan', true)).toContain('edit, reorder and remove open nodes but the current one. ');
    expect(treeRules('plan', true)).not.toContain('Never remove an open node');
    expect(rules).not.toContain('reorder and remove');
    const repair = treeRules('repair', true);
    expect(repair).toContain('edit, reorder and remove open nodes. ');
    expect(repair).not.toContain('current');
  });
});

test('the shape of a node', () => {
  expect(treeShape).toContain('"max_attempts": 3, "children": []}');
});

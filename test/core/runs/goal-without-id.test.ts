import { describe, expect, test } from 'vitest';
import { withoutGoalId } from '../../../src/core/runs/goal-without-id.ts';

describe('withoutGoalId', () => {
  test.each([
    ['---\nid: a\n---\n\n# Goal\n', '# Goal\n'],
    ['---\r\nid: a\r\n---\r\n\r\n# Goal\r\n', '# Goal\r\n'],
    ['---\nowner: me\nid: "a"\n---\n\n# Goal\n', '---\nowner: me\n---\n\n# Goal\n'],
    ['---\nid: b\n---\n# Goal\n', '---\nid: b\n---\n# Goal\n'],
    ['# Goal\n', '# Goal\n'],
    ['---\n{id: a}\n---\n# Goal\n', '---\n{id: a}\n---\n# Goal\n'],
    ['---\nno end\n', '---\nno end\n'],
  ])('%j', (text, expected) => {
    expect(withoutGoalId(text, 'a')).toBe(expected);
  });
});

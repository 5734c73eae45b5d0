import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkGoalId } from '../../../src/core/config/goal-id.ts';
import { checkNewId, nameOf, proposeId } from '../../../src/core/runs/run-name.ts';

const nobody = { branches: [], archives: [], records: [], history: [] };

describe('the name of a run', () => {
  test.each([
    ['Landing page!', 'landing-page'],
    ['Über Café №1', 'uber-cafe-no1'],
    ['日本', 'run'],
    ['', 'run'],
    ['word '.repeat(20), 'word-word-word-word-word-word-word-word'],
    ['a'.repeat(100), 'a'.repeat(40)],
  ])('%j', (title, name) => {
    expect(nameOf(title)).toBe(name);
  });

  test('is the id of a run with any title, and free', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.nat(9)), (title, numbers) => {
        const name = nameOf(title);
        const held = { ...nobody, records: numbers.map((k) => `${name}-${k}`) };
        const id = proposeId(name, held);
        expect(checkGoalId(id)).toBeNull();
        expect(checkNewId(id, held)).toBeNull();
      }),
    );
  });
});

test('a name that a person gives must be free and fit for a branch', () => {
  expect(checkNewId('search', nobody)).toBeNull();
  expect(checkNewId('search', { ...nobody, archives: ['search'] })).toContain('already');
  expect(checkNewId('a/b', nobody)).toContain('id must be');
});

/** "Did you mean": near names are found, far ones are not, and the nearest wins. */
import { expect, test } from 'vitest';
import { suggest } from '../../src/core/suggest.ts';

const known = ['max_iterations', 'agent.name', 'agent.max_failures', 'guard.command', 'agent.command'];

test.each([
  ['max_iteration', 'max_iterations'],
  ['agent.nmae', 'agent.name'],
  ['max_failures', 'agent.max_failures'],
  ['tree.max_failures', 'agent.max_failures'],
  ['guard.comand', 'guard.command'],
  ['command', 'guard.command'],
  ['root', null],
  ['x', null],
  ['', null],
] as const)('%s: %s', (word, nearest) => {
  expect(suggest(word, known)).toBe(nearest);
});

test('the nearest wins, the first of equals; without names there is none', () => {
  expect(suggest('retries', ['retrieves', 'retriex', 'retriey'])).toBe('retriex');
  expect(suggest('retries', [])).toBe(null);
});

/** Ten of the attacks of `npm run test:hostile`, each stopped by another protection; and that the suite has what it must have. */
import { afterAll, expect, test } from 'vitest';
import { allCases } from './cases/all.ts';
import { playCase, problemsOf } from './play.ts';
import { worldStore } from './world.ts';

const store = worldStore();
afterAll(() => {
  store.remove();
});

const sample = [
  'filter-config-gitattributes',
  'text-gitattributes',
  'gitignore',
  'guard-script',
  'journal-persisting-committed',
  'code-hooks-when-on',
  'refs-stash-middle',
  'alternates-new-objects',
  'hard-link-reflog',
  'pipe-gitignore-deep',
];

test('there are enough attacks, each with a name of its own', () => {
  const names = allCases.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(allCases.filter(({ beyond }) => beyond === undefined).length).toBeGreaterThanOrEqual(120);
  expect(sample.filter((name) => !names.includes(name))).toEqual([]);
});

test.each(allCases.filter(({ name }) => sample.includes(name)))('$name', async (hostile) => {
  const played = await playCase(store, hostile, 'every');
  expect(problemsOf(played)).toEqual([]);
});

/** The whole life of runs, as in life.test.ts, in a Node project with its real check. */
import { test } from 'vitest';
import { kinds, playLife } from '../support/life.ts';

test(
  'in a Node project: init, mistakes, a steered run, finish, a second goal, abandon, clean',
  () => playLife(kinds.node),
  900_000,
);

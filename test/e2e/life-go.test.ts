/** The whole life of runs, as in life.test.ts, in a Go project. */
import { test } from 'vitest';
import { kinds, playLife } from '../support/life.ts';

test(
  'in a Go project: init, mistakes, a steered run, finish, a second goal, abandon, clean',
  () => playLife(kinds.go),
  900_000,
);

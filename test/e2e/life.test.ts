/** The whole life of runs in a Python project. The same in a Node and a Go project is in life-node and life-go, to run side by side. */
import { test } from 'vitest';
import { kinds, playLife } from '../support/life.ts';

test(
  'in a Python project: init, mistakes, a steered run, finish, a second goal, abandon, clean',
  () => playLife(kinds.python),
  900_000,
);

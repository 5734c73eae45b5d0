import { expect, test } from 'vitest';
import { selectLaid } from '../../../src/core/runs/laid-files.ts';

test("a run gets people's files as they are, and what was never committed", () => {
  const paths = ['GOAL.md', 'state/config.toml', 'state/tree.json', 'nodes/a/context.md'];
  const others = ['iterations/x/1/meta.json', 'context/goal.md', 'state/.runner-stage-1'];
  expect(selectLaid([...paths, ...others])).toEqual([
    { path: 'GOAL.md', replaces: true },
    { path: 'state/config.toml', replaces: true },
    { path: 'state/tree.json', replaces: false },
    { path: 'nodes/a/context.md', replaces: true },
  ]);
});

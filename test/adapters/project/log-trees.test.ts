/** Trees in the log of a run (§8): only as many as fit are kept beside the commits that hold them. */
import { existsSync, mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { layout } from '../../../src/adapters/files/layout.ts';
import { thinTrees } from '../../../src/adapters/project/log-trees.ts';
import { treeLogBytesMax } from '../../../src/core/limits.ts';
import { metaWith } from '../../support/iteration-metas.ts';
import { tempFolder } from '../../support/project.ts';

const run_id = 'demo';
const names = ['tree.after.json', 'tree.agent.json', 'tree.before.json'];

function logged(iters: readonly number[], bytes: number) {
  const place = layout(tempFolder('trees'));
  for (const iter of iters) {
    const { dir, meta } = place.iteration({ run_id, iter });
    mkdirSync(dir, { recursive: true });
    writeFileSync(meta, JSON.stringify(metaWith({ run_id, iter, commit: 'a'.repeat(40) })));
    for (const name of names) {
      writeFileSync(join(dir, name), '');
      truncateSync(join(dir, name), bytes);
    }
  }
  const treesOf = (iter: number): readonly string[] =>
    readdirSync(place.iteration({ run_id, iter }).dir).filter((name) => name.startsWith('tree.'));
  return { place, treesOf };
}

test('those that do not fit go, the newest first to stay; what only the log has stays', () => {
  const { place, treesOf } = logged([1, 2, 3, 4, 5], Math.ceil(treeLogBytesMax / 7));
  // An agent's tree that no commit has.
  writeFileSync(place.iteration({ run_id, iter: 3 }).treeAgent, '{}');
  thinTrees(place, { run_id, iter: 5 });
  expect([1, 2, 3, 4, 5].map(treesOf)).toEqual([[], [], ['tree.agent.json'], names, names]);
  expect(existsSync(place.iteration({ run_id, iter: 1 }).meta)).toBe(true);
});

test('small ones all stay; one whose iteration has no commit stays', () => {
  const small = logged([1, 2, 3, 4], 100);
  thinTrees(small.place, { run_id, iter: 4 });
  expect([1, 2, 3, 4].map(small.treesOf)).toEqual([names, names, names, names]);
  const open = logged([1, 2, 3], treeLogBytesMax);
  writeFileSync(
    open.place.iteration({ run_id, iter: 1 }).meta,
    JSON.stringify(metaWith({ run_id, iter: 1, commit: '' })),
  );
  thinTrees(open.place, { run_id, iter: 3 });
  expect([1, 2, 3].map(open.treesOf)).toEqual([names, names, names]);
});

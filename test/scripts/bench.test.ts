/** The rows of the benchmark that call functions of `src/` themselves: nothing else notices when these ask for more than they are given. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { bwrapName, hasBwrap } from '../support/bwrap.ts';

const bench = path.join(import.meta.dirname, '../../bench');

function measure(file: string, call: string): unknown {
  const program = `
    import * as row from '${path.join(bench, file)}';
    import { removeScratch } from '${path.join(bench, 'measure.mjs')}';
    process.stdout.write(JSON.stringify(await row.${call}));
    removeScratch();
  `;
  const argv = ['--input-type=module', '-e', program];
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout);
}

test('growth with the tree', { timeout: 60_000 }, () => {
  const { rows } = measure('scale.mjs', 'measureScale({ sizes: [10, 20], repeats: 1 })') as {
    readonly rows: readonly { readonly ms: Readonly<Record<string, number>> }[];
  };
  expect(rows).toHaveLength(2);
  for (const { ms } of rows) expect(Object.values(ms).every((value) => value > 0)).toBe(true);
});

test.skipIf(!hasBwrap)(`the start of ${bwrapName}`, () => {
  const found = measure('sandbox.mjs', 'measureSandbox({ repeats: 3 })');
  expect(found).toMatchObject({ plain_ms: expect.any(Number), bwrap_ms: expect.any(Number) });
});

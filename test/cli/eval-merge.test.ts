/** `runner eval merge` through the built program: shards of a batch become what one machine would have left. */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { planTrials } from '../../src/eval/cases/plan.ts';
import type { Shard } from '../../src/eval/cases/types.ts';
import { codex, oracle, putBatch, putTrial, sampleBatch } from '../support/eval-samples.ts';
import { expectOutput } from '../support/output-schema.ts';
import { bareProject, tempFolder } from '../support/project.ts';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const plan = {
  cases: ['alpha', 'beta', 'gamma', 'delta'].map((id) => ({ id, hash: hashOf(id) })),
  variants: [codex, oracle],
  repeats: 3,
  record: false,
};

/** What `eval run` leaves of the shards; the ids come from the trials, so that two machines give a trial the same. */
function putShards(resultsDir: string, shards: readonly Shard[] | null, batch_id = 'night'): void {
  putBatch(resultsDir, { batch_id, plan, shards });
  for (const key of planTrials(plan, { shards, hashOf })) {
    const name = hashOf(JSON.stringify(key)).slice(0, 6);
    const outcome = name < '8' ? 'success' : 'fail';
    putTrial(
      resultsDir,
      { ...key, batch_id, outcome, eval_run_id: `eval-20260131_235959-${name}` },
      { 'runner.loop.log': name },
    );
  }
}

test('what is missing is counted; a later merge adds it', async () => {
  const p = await bareProject();
  const [one, two] = [1, 2].map((index) => {
    const dir = tempFolder(`shard-${index}`);
    putShards(dir, [{ index, of: 2 }]);
    return dir;
  }) as [string, string];
  const first = JSON.parse((await p.run('eval', 'merge', one, '--json')).out) as unknown;
  expectOutput('eval-merge', first);
  expect(first).toEqual({
    command: 'eval merge',
    batch_id: 'night',
    trials: 12,
    added: 12,
    duplicates: 0,
    missing: 12,
    shards: [{ index: 1, of: 2 }],
  });
  const second = JSON.parse((await p.run('eval', 'merge', two, '--json')).out) as unknown;
  expectOutput('eval-merge', second);
  expect(second).toMatchObject({ trials: 24, added: 12, missing: 0, shards: null });
});

test('batches of other names stay apart, with a note, until they get one name', async () => {
  const p = await bareProject();
  const dirs = [1, 2].map((index) => {
    const dir = tempFolder(`shard-${index}`);
    putShards(dir, [{ index, of: 2 }], `m-${index}`);
    return dir;
  });
  const apart = await p.run('-C', '.', 'eval', 'merge', ...dirs);
  expect(apart.out).toBe(
    'merge: batch=m-1 trials=12 added=12 duplicates=0 missing=12\nmerge: batch=m-2 trials=12 added=12 duplicates=0 missing=12',
  );
  expect(apart.err).toContain('note: these look like shards of one batch; --batch <name> makes them one');
  const other = await bareProject();
  expect((await other.run('eval', 'merge', '--batch', 'all', ...dirs)).out).toBe(
    'merge: batch=all trials=24 added=24 duplicates=0 missing=0',
  );
  // The folders are taken now.
  const again = await p.run('eval', 'merge', '--batch', 'all', ...dirs);
  expect(again).toMatchObject({ code: 1, out: '' });
  expect(again.err).toContain('[EVAL_BATCH_CONFLICT]');
});

test('different plans, folders without results, wrong names', async () => {
  const p = await bareProject();
  const [one, two, empty] = ['one', 'two', 'empty'].map((name) => tempFolder(name)) as [
    string,
    string,
    string,
  ];
  putBatch(one);
  putBatch(two, { plan: { ...sampleBatch().plan, variants: [oracle] } });
  const conflict = await p.run('eval', 'merge', one, two);
  expect(conflict).toMatchObject({ code: 1, out: '' });
  expect(conflict.err).toContain(
    "error: the batch 'night' was made by different plans [EVAL_BATCH_CONFLICT]",
  );
  expect(conflict.err).toContain('variants differ');
  const none = await p.run('eval', 'merge', empty);
  expect(none.code).toBe(1);
  expect(none.err).toContain('[EVAL_BATCH_UNKNOWN]');
  for (const name of ['latest', 'a b', '']) {
    const wrong = await p.run('eval', 'merge', '--batch', name, one);
    expect(wrong).toMatchObject({ code: 64, out: '' });
    expect(wrong.err).toContain('--batch must be up to 64 letters');
  }
  expect(await p.run('eval', 'merge')).toMatchObject({ code: 64 });
  expect(await p.run('eval', 'merge', 'nowhere')).toMatchObject({ code: 64 });
  expect(readdirSync(p.dir)).not.toContain('eval');
});

test('records that cannot be read are warned of', async () => {
  const p = await bareProject();
  const dir = tempFolder('source');
  putBatch(dir);
  putTrial(dir);
  putTrial(dir, { eval_run_id: 'eval-20260131_235959-zzzzzz' }, { 'meta.json': '{' });
  const ran = await p.run('eval', 'merge', dir);
  expect(ran).toMatchObject({ code: 0, out: 'merge: batch=night trials=1 added=1 duplicates=0 missing=0' });
  expect(ran.err).toContain(`warning: skipped ${dir}/alpha/eval-20260131_235959-zzzzzz/meta.json: line 1`);
});

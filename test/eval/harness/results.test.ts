import { mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { evalPlace } from '../../../src/eval/harness/place.ts';
import { evalResults } from '../../../src/eval/harness/results.ts';
import {
  codex,
  oracle,
  putBatch,
  putTrial,
  sampleBatch,
  sampleChecks,
  sampleMeta,
} from '../../support/eval-samples.ts';
import { scratchFolder } from '../../support/scratch.ts';

function emptyPlace() {
  const place = evalPlace({ root: scratchFolder(), cases: null });
  return { place, dir: place.resultsDir, results: evalResults(place) };
}

const id = (letters: string): string => `eval-20260131_235959-${letters}`;

describe('a trial', () => {
  test('[ancestor: eval_results results_dir_is_stable] has the folder of its case and its id, which only one can make', async () => {
    const { dir, results } = emptyPlace();
    const made = await results.makeTrialDir('alpha', id('aaaaaa'));
    expect(made).toBe(join(dir, 'alpha', id('aaaaaa')));
    await expect(results.makeTrialDir('alpha', id('aaaaaa'))).rejects.toMatchObject({ code: 'DISK' });
  });

  test('is read back as it was saved, with nothing else in its folder', async () => {
    const { results } = emptyPlace();
    const meta = sampleMeta({ eval_run_id: id('aaaaaa') });
    const dir = await results.makeTrialDir(meta.case_id, meta.eval_run_id);
    await results.saveBatch(sampleBatch());
    await results.saveTrial({ meta, checks: sampleChecks, dir });
    expect(readdirSync(dir).toSorted()).toEqual(['checks.json', 'meta.json']);
    expect(readFileSync(join(dir, 'meta.json'), 'utf8')).toBe(`${JSON.stringify(meta, null, 2)}\n`);
    expect(await results.loadBatch('night')).toEqual({
      batch: sampleBatch(),
      trials: [{ meta, checks: sampleChecks, dir, logs: [] }],
      warnings: [],
    });
  });

  test('without meta.json has not ended; a record that cannot be read is told, and hides nothing else', async () => {
    const { dir, results } = emptyPlace();
    putBatch(dir);
    const good = putTrial(dir, { eval_run_id: id('aaaaaa') });
    const broken = putTrial(dir, { eval_run_id: id('bbbbbb') }, { 'meta.json': '{"case_id": 3}' });
    const half = putTrial(dir, { eval_run_id: id('cccccc') }, { 'checks.json': '{' });
    const moved = putTrial(dir, { eval_run_id: id('dddddd') }, { 'meta.json': JSON.stringify(sampleMeta()) });
    mkdirSync(join(dir, 'alpha', id('eeeeee')));
    mkdirSync(join(dir, 'alpha', 'notes'));
    mkdirSync(join(dir, 'Not-a-case', id('ffffff')), { recursive: true });
    symlinkSync(good, join(dir, 'alpha', id('gggggg')));
    writeFileSync(join(dir, 'other.batch.json'), JSON.stringify(sampleBatch()));
    writeFileSync(join(dir, 'bad.batch.json'), 'x');
    const { trials, warnings } = await results.loadBatch('latest');
    expect(trials.map((trial) => trial.dir)).toEqual([good]);
    expect(warnings).toEqual([
      expect.stringContaining(`skipped ${dir}/bad.batch.json: line 1, column 1: `),
      `skipped ${dir}/other.batch.json: it is of the batch 'night'`,
      expect.stringContaining(`skipped ${broken}/meta.json: case_id: `),
      expect.stringContaining(`skipped ${half}/checks.json: line 1, column 2: `),
      `skipped ${moved}: it is of alpha/eval-20260131_235959-abc123`,
    ]);
  });

  test('a record that is a link, is too large or has no checks', async () => {
    const { dir, results } = emptyPlace();
    putBatch(dir);
    const linked = putTrial(dir, { eval_run_id: id('aaaaaa') }, { real: JSON.stringify(sampleMeta()) });
    rmSync(join(linked, 'meta.json'));
    symlinkSync(join(linked, 'real'), join(linked, 'meta.json'));
    const large = putTrial(dir, { eval_run_id: id('bbbbbb') });
    writeFileSync(join(large, 'checks.json'), Buffer.alloc(64 * 1024 * 1024 + 1, ' '));
    const bare = putTrial(dir, { eval_run_id: id('cccccc') });
    rmSync(join(bare, 'checks.json'));
    const { trials, warnings } = await results.loadBatch('night');
    expect(trials).toEqual([]);
    expect(warnings).toEqual([
      expect.stringContaining('symbolic link'),
      expect.stringContaining('it has 67108865 bytes, more than 67108864'),
      `skipped ${bare}/checks.json: there is no such file`,
    ]);
  });
});

describe('a batch', () => {
  test('the newest is the latest; of one instant the id decides', async () => {
    const { dir, results } = emptyPlace();
    putBatch(dir, { batch_id: 'zeta', created_at: '2026-01-01T00:00:00.000Z' });
    putBatch(dir, { batch_id: 'beta', created_at: '2026-01-02T00:00:00.000Z' });
    putBatch(dir, { batch_id: 'alpha', created_at: '2026-01-02T00:00:00.000Z' });
    expect((await results.listBatches()).map(({ batch_id }) => batch_id)).toEqual(['zeta', 'alpha', 'beta']);
    expect((await results.loadBatch('latest')).batch.batch_id).toBe('beta');
  });

  test('has its own trials, by case, variant, repeat and id; one variant can be asked for', async () => {
    const { dir, results } = emptyPlace();
    const plan = { ...sampleBatch().plan, variants: [codex, oracle] };
    putBatch(dir, { plan });
    putBatch(dir, { batch_id: 'other' });
    putTrial(dir, { case_id: 'beta', eval_run_id: id('aaaaaa') });
    putTrial(dir, { eval_run_id: id('bbbbbb'), repeat: 10 });
    putTrial(dir, { eval_run_id: id('cccccc'), repeat: 2 });
    putTrial(dir, { eval_run_id: id('eeeeee'), variant: oracle });
    putTrial(dir, { eval_run_id: id('dddddd'), variant: oracle });
    putTrial(dir, { eval_run_id: id('ffffff'), batch_id: 'other' });
    const lastLetters = async (selector: string): Promise<readonly string[]> =>
      (await results.loadBatch(selector)).trials.map(({ meta }) => meta.eval_run_id.slice(-1));
    expect(await lastLetters('night')).toEqual(['c', 'b', 'd', 'e', 'a']);
    expect(await lastLetters('night@oracle')).toEqual(['d', 'e']);
    expect(await lastLetters('latest@codex')).toEqual(['f']);
  });

  test('that is unknown is told with the nearest, and so is a variant', async () => {
    const { dir, results } = emptyPlace();
    await expect(results.loadBatch('latest')).rejects.toMatchObject({
      code: 'EVAL_BATCH_UNKNOWN',
      message: "there is no batch 'latest'; there is none yet",
      hint: 'runner eval run',
    });
    putBatch(dir);
    await expect(results.loadBatch('nigth')).rejects.toMatchObject({
      message: "there is no batch 'nigth'; did you mean night?",
      details: ['night (2026-01-31T23:59:59.000Z)'],
    });
    await expect(results.loadBatch('../x')).rejects.toMatchObject({ message: "there is no batch '../x'" });
    await expect(results.loadBatch('night@codx')).rejects.toMatchObject({
      code: 'EVAL_BATCH_UNKNOWN',
      message: "the batch 'night' has no variant 'codx'; did you mean codex?",
    });
    await expect(results.loadBatch('night@q')).rejects.toMatchObject({
      message: "the batch 'night' has no variant 'q'",
    });
  });
});

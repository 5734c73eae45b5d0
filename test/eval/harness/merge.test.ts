import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mergeResults } from '../../../src/eval/harness/merge.ts';
import { evalPlace } from '../../../src/eval/harness/place.ts';
import { evalResults } from '../../../src/eval/harness/results.ts';
import { putBatch, putTrial, sampleBatch } from '../../support/eval-samples.ts';
import { hashFolder } from '../../support/folder-hash.ts';
import { scratchFolder } from '../../support/scratch.ts';

const id = (letters: string): string => `eval-20260131_235959-${letters}`;

function target() {
  const place = evalPlace({ root: scratchFolder(), cases: null });
  const merge = (dirs: readonly string[], batch_id: string | null = null) =>
    mergeResults({ place, dirs, batch_id });
  return { place, merge, results: evalResults(place), dir: place.resultsDir };
}

describe('merge', () => {
  test('whole folders of trials come over; the source is as it was', async () => {
    const { dir, merge, results } = target();
    const source = scratchFolder();
    putBatch(source);
    const trial = putTrial(source, {}, { 'iterations/r/1/prompt.md': 'p', 'runner.loop.log': 'l' });
    symlinkSync('/etc/passwd', join(trial, 'link'));
    const before = hashFolder(source);
    const { batches, warnings } = await merge([source]);
    expect(hashFolder(source)).toBe(before);
    expect(warnings).toEqual([]);
    expect(batches).toMatchObject([{ copies: { length: 1 }, kept: 0 }]);
    const to = join(dir, 'alpha', 'eval-20260131_235959-abc123');
    expect(readFileSync(join(to, 'iterations/r/1/prompt.md'), 'utf8')).toBe('p');
    expect(existsSync(join(to, 'runner.loop.log'))).toBe(true);
    expect(readdirSync(to)).not.toContain('link');
    expect((await results.loadBatch('night')).trials).toHaveLength(1);
    expect(readFileSync(join(dir, '.gitignore'), 'utf8')).toBe('*\n');
    // Once more is nothing more.
    const after = hashFolder(join(dir, 'alpha'));
    expect((await merge([source])).batches).toMatchObject([{ copies: [], kept: 1, duplicates: 0 }]);
    expect(hashFolder(join(dir, 'alpha'))).toBe(after);
  });

  test('a project folder stands for its results; a name makes one batch of several', async () => {
    const { merge, results, dir } = target();
    const [one, two] = [scratchFolder(), scratchFolder()] as [string, string];
    putBatch(join(one, 'eval/results'), { batch_id: 'first', shards: [{ index: 1, of: 2 }] });
    putTrial(join(one, 'eval/results'), { batch_id: 'first', eval_run_id: id('aaaaaa') });
    putBatch(two, { batch_id: 'second', shards: [{ index: 2, of: 2 }] });
    putTrial(two, { batch_id: 'second', eval_run_id: id('bbbbbb'), case_id: 'beta' });
    await merge([one, two], 'all');
    expect(readdirSync(dir).toSorted()).toEqual(['.gitignore', 'all.batch.json', 'alpha', 'beta']);
    const { batch, trials } = await results.loadBatch('latest');
    expect(batch).toEqual({ ...sampleBatch(), batch_id: 'all' });
    expect(trials.map(({ meta }) => [meta.case_id, meta.batch_id])).toEqual([
      ['alpha', 'all'],
      ['beta', 'all'],
    ]);
  });

  test('what an interrupted merge left is replaced', async () => {
    const { merge, dir, results } = target();
    const source = scratchFolder();
    putBatch(source);
    putTrial(source);
    mkdirSync(join(dir, 'alpha', '.merge-eval-20260131_235959-abc123'), { recursive: true });
    writeFileSync(join(dir, 'alpha', '.merge-eval-20260131_235959-abc123', 'old'), '');
    mkdirSync(join(dir, 'alpha', 'eval-20260131_235959-abc123'));
    await merge([source]);
    expect(readdirSync(join(dir, 'alpha'))).toEqual(['eval-20260131_235959-abc123']);
    expect(readdirSync(join(dir, 'alpha/eval-20260131_235959-abc123')).toSorted()).toEqual([
      'checks.json',
      'meta.json',
    ]);
    expect((await results.loadBatch('night')).trials).toHaveLength(1);
  });

  test('records that cannot be read are told and hide no other', async () => {
    const { merge } = target();
    const source = scratchFolder();
    putBatch(source);
    putTrial(source);
    const broken = putTrial(source, { eval_run_id: id('bbbbbb') }, { 'meta.json': '{' });
    const lost = putTrial(source, { eval_run_id: id('cccccc'), batch_id: 'lost' });
    const { batches, warnings } = await merge([source]);
    expect(batches).toMatchObject([{ copies: { length: 1 } }]);
    expect(warnings).toEqual([
      expect.stringContaining(`skipped ${broken}/meta.json: `),
      `skipped ${lost}: there is no file of its batch`,
    ]);
  });

  test('folders without results, folders that are not there, and the results themselves are refused', async () => {
    const { merge, dir, place } = target();
    const empty = scratchFolder();
    await expect(merge([empty])).rejects.toMatchObject({ code: 'EVAL_BATCH_UNKNOWN' });
    writeFileSync(join(empty, 'bad.batch.json'), '{');
    await expect(merge([empty])).rejects.toMatchObject({
      details: [expect.stringContaining('bad.batch.json')],
    });
    await expect(merge([join(empty, 'none')])).rejects.toMatchObject({ code: 'USAGE' });
    mkdirSync(dir, { recursive: true });
    await expect(merge([dir])).rejects.toMatchObject({ code: 'USAGE' });
    await expect(merge([place.root])).rejects.toMatchObject({ code: 'USAGE' });
    mkdirSync(join(empty, 'eval'));
    writeFileSync(join(empty, 'eval/results'), 'a file');
    await expect(merge([empty])).rejects.toMatchObject({ code: 'EVAL_BATCH_UNKNOWN' });
  });
});

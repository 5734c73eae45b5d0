import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cleanCases } from '../../../src/eval/harness/clean.ts';
import { evalPlace } from '../../../src/eval/harness/place.ts';
import { caseText, putBatch, putTrial } from '../../support/eval-samples.ts';
import { scratchFolder } from '../../support/scratch.ts';

const stamp = '20260131_235959_abc123';

function placeWith(workspaces: readonly string[], links: readonly string[] = []) {
  const place = evalPlace({ root: scratchFolder(), cases: null, env: { HOME: scratchFolder() } });
  mkdirSync(place.workspacesDir, { recursive: true });
  for (const name of workspaces) mkdirSync(join(place.workspacesDir, name, '.git'), { recursive: true });
  for (const name of links) symlinkSync('somewhere', join(place.workspacesDir, name));
  return { place, workspaces: () => readdirSync(place.workspacesDir).toSorted() };
}

describe('clean', () => {
  test('trap: a case whose name others begin with loses its own and nothing of theirs', async () => {
    const names = ['calc', 'calc-go', 'calc_go', `calc_${stamp}`, 'calc2'];
    const { place, workspaces } = placeWith(
      names.map((name) => `${name}_${stamp}`),
      names.map((name) => `${name}_latest`),
    );
    for (const case_id of names) putTrial(place.resultsDir, { case_id });
    putBatch(place.resultsDir, { batch_id: 'calc' });
    expect(await cleanCases(place, ['calc'])).toEqual([{ case_id: 'calc', workspaces: 1, results: 1 }]);
    expect(workspaces()).toEqual(
      names
        .filter((name) => name !== 'calc')
        .flatMap((name) => [`${name}_${stamp}`, `${name}_latest`])
        .toSorted(),
    );
    expect(readdirSync(place.resultsDir).toSorted()).toEqual(
      ['calc.batch.json', ...names.filter((name) => name !== 'calc')].toSorted(),
    );
  });

  test('a workspace with the name of the link, and a link with the name of a workspace, are not the other', async () => {
    const { place, workspaces } = placeWith(
      ['x_20260131_235959_latest', `y_${stamp}`],
      ['x_20260131_235959_aaaaaa', 'y_latest'],
    );
    putTrial(place.resultsDir, { case_id: 'x_20260131_235959' });
    await cleanCases(place, ['x_20260131_235959']);
    expect(workspaces()).toHaveLength(4);
    await cleanCases(place, ['x']);
    expect(workspaces()).toEqual(['x_20260131_235959_aaaaaa', 'y_latest', `y_${stamp}`].toSorted());
  });

  test('the folders of trials outside, and the links to them, go together', async () => {
    const { place, workspaces } = placeWith([], ['b_20260131_235959_abc123']);
    for (const name of [`a_${stamp}`, `ab_${stamp}`]) {
      mkdirSync(join(place.trialsDir, name, 'work'), { recursive: true });
      symlinkSync(join(place.trialsDir, name, 'work'), join(place.workspacesDir, name));
    }
    expect(await cleanCases(place, ['a'])).toEqual([{ case_id: 'a', workspaces: 1, results: 0 }]);
    expect(workspaces()).toEqual([`ab_${stamp}`, `b_${stamp}`]);
    expect(readdirSync(place.trialsDir)).toEqual([`ab_${stamp}`]);
  });

  test('names that are not quite ours stay; recordings stay', async () => {
    const kept = ['a', 'a_notes', `a_${stamp}x`, `a_${stamp}_old`, 'a_2026_1_abc123', `.a_${stamp}`];
    const { place, workspaces } = placeWith([...kept, `a_${stamp}`, 'a_20260201_000000_zzzzzz']);
    writeFileSync(join(place.workspacesDir, 'a_20260131_235959_fffff1'), 'a file');
    mkdirSync(join(place.recordingsDir, 'a'), { recursive: true });
    expect(await cleanCases(place, ['a', 'a'])).toEqual([{ case_id: 'a', workspaces: 2, results: 0 }]);
    expect(workspaces()).toEqual([...kept, 'a_20260131_235959_fffff1'].toSorted());
    expect(existsSync(join(place.recordingsDir, 'a'))).toBe(true);
  });

  test('links lead nowhere: what they point to stays', async () => {
    const { place } = placeWith([`a_${stamp}`]);
    const outside = scratchFolder();
    writeFileSync(join(outside, 'precious'), '');
    symlinkSync(outside, join(place.workspacesDir, `a_${stamp}`, 'out'));
    mkdirSync(place.resultsDir, { recursive: true });
    await cleanCases(place, ['a']);
    expect(existsSync(join(outside, 'precious'))).toBe(true);
    expect(existsSync(join(place.workspacesDir, `a_${stamp}`))).toBe(false);
    symlinkSync(outside, join(place.resultsDir, 'a'));
    mkdirSync(join(place.workspacesDir, `a_${stamp}`));
    await expect(cleanCases(place, ['a'])).rejects.toMatchObject({ code: 'LAYOUT_INVALID' });
    expect(existsSync(join(outside, 'precious'))).toBe(true);
  });

  test('a case that nobody knows is refused before anything is removed', async () => {
    const { place, workspaces } = placeWith([`alpha_${stamp}`]);
    mkdirSync(place.casesDir, { recursive: true });
    writeFileSync(join(place.casesDir, 'b.toml'), caseText({ id: 'beta' }));
    await expect(cleanCases(place, ['alpha', 'alpa'])).rejects.toMatchObject({
      code: 'EVAL_CASE_UNKNOWN',
      message: "there is no case 'alpa', and no results or workspaces of it; did you mean alpha?",
    });
    for (const id of ['..', '', '.', '*', 'eval'])
      await expect(cleanCases(place, [id])).rejects.toMatchObject({ code: 'EVAL_CASE_UNKNOWN' });

    expect(workspaces()).toEqual([`alpha_${stamp}`]);
    expect(await cleanCases(place, ['beta'])).toEqual([{ case_id: 'beta', workspaces: 0, results: 0 }]);
  });
});

/**
 * Two verifiers that share no code say the same about honest, forged and mutated histories (§15). `npm test` takes the shortest history
 * and a sample of mutations; `npm run test:proof` takes all, every forgery and 2,000 mutations, and audits the runs of other tests.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { amended, forgeries, respelled } from '../support/forged.ts';
import { mutate } from '../support/forgeries.ts';
import { paidHistory, richHistory, roughHistory } from '../support/histories.ts';
import { openObjects } from '../support/object-base.ts';
import type { Project } from '../support/project.ts';
import { auditEach, hasPython, verifier, verifyEach } from '../support/verifiers.ts';

const isAll = process.env['RUNNER_PROOF_ALL'] !== undefined;
const mutationsMax = isAll ? 2000 : 8;
const firstSeed = Number(process.env['RUNNER_PROOF_SEED'] ?? '1');

/** Both call the run proven, from the repository and from a bundle; every mutation of it gets one verdict. */
async function checkHistory(p: Project, mutations: number): Promise<string> {
  const tip = await p.git('rev-parse', 'runner/test');
  expect(await auditEach(p, [tip])).toEqual([{ verdict: 'proven', commit: null, rule: null }]);
  const bundle = join(p.base, 'run.bundle');
  await p.git('bundle', 'create', '-q', bundle, 'runner/test');
  const logs = join(p.dir, '.runner/iterations/test');
  const { stdout } = await execa('python3', [verifier, bundle, '--logs', logs]);
  expect(JSON.parse(stdout)).toMatchObject({ run: 'test', verdict: 'proven' });
  const objects = await openObjects(join(p.top, '.git'));
  const made = Array.from({ length: mutations }, (_, at) => mutate(objects, tip, firstSeed + at));
  const tips = made.map((one) => one.tip);
  const [ours, theirs] = [await auditEach(p, tips), await verifyEach(p, tips)];
  const differing = made.flatMap(({ what }, at) => {
    const [a, b] = [ours[at], theirs[at]];
    return a?.verdict === b?.verdict && a?.commit === b?.commit ? [] : [{ what, ours: a, theirs: b }];
  });
  expect(differing).toEqual([]);
  if (mutations > 20)
    expect(new Set(ours.map(({ verdict }) => verdict)).size, 'some follow, some do not').toBeGreaterThan(1);
  return tip;
}

test.skipIf(!isAll || !hasPython)('a rich history: honest, forged and mutated', async () => {
  const p = await richHistory();
  const tip = await checkHistory(p, Math.ceil(mutationsMax / 2));
  const forged = forgeries(await openObjects(join(p.top, '.git')), tip);
  expect(forged.length).toBeGreaterThanOrEqual(40);
  const tips = forged.map((one) => one.tip);
  const [ours, theirs] = [await auditEach(p, tips), await verifyEach(p, tips)];
  const named = forged.map(({ name, wrong }, at) => ({
    name,
    wrong,
    ours: ours[at]?.commit,
    theirs: theirs[at]?.commit,
  }));
  expect(named.filter((one) => one.ours !== one.wrong || one.theirs !== one.wrong)).toEqual([]);
  const log = '.runner/iterations/test/4/guard.log';
  const text = p.read(log);
  writeFileSync(join(p.dir, log), `${text}green\n`);
  const swapped = await p.run('audit', '--json');
  expect(swapped.code).toBe(1);
  const commit = await p.git('log', '-1', '--format=%H', '--grep=iter 4 ');
  expect(JSON.parse(swapped.out)).toMatchObject({
    verdict: 'unproven',
    first: { iter: 4, commit, rule: 'guard.log of the log' },
  });
  const logs = join(p.dir, '.runner/iterations/test');
  const again = await execa('python3', [verifier, p.top, '--logs', logs], { reject: false });
  expect([again.exitCode, (JSON.parse(again.stdout) as { commit: string }).commit]).toEqual([1, commit]);
  writeFileSync(join(p.dir, log), text);
});

test.skipIf(!isAll || !hasPython)('crashes, hooks, reviews, and a person on top', async () => {
  await checkHistory(await roughHistory(), Math.ceil(mutationsMax / 4));
});

test.skipIf(!hasPython)('a history with a price, mutated', async () => {
  const p = await paidHistory();
  const tip = await checkHistory(p, isAll ? Math.ceil(mutationsMax / 4) : mutationsMax);
  const objects = await openObjects(join(p.top, '.git'));
  const rows = [
    ...respelled(objects, tip),
    ...amended(objects, tip).map((row) => ({ ...row, wrong: row.tip })),
  ];
  const tips = rows.map((row) => row.tip);
  const [ours, theirs] = [await auditEach(p, tips), await verifyEach(p, tips)];
  const named = rows.map(({ name, wrong }, at) => ({
    name,
    wrong,
    ours: ours[at]?.commit,
    theirs: theirs[at]?.commit,
  }));
  expect(named.filter((one) => one.ours !== one.wrong || one.theirs !== one.wrong)).toEqual([]);
});

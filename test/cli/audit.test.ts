/** `runner audit` from the command line, and what `finish` makes of its verdict (§15). test/proof/ has the histories. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectOutput } from '../support/output-schema.ts';
import { answer, entryFile, project, write } from '../support/project.ts';
import { runProgram } from '../support/spawner.ts';
import { hasPython, verifier } from '../support/verifiers.ts';

test('proven, also when finished and with the guard once more; a pass by hand is named, listed and not merged', async () => {
  const works = { actions: [write('a.txt', 'a\n')], answer: answer('done') };
  const p = await project({ guard: ['test', '-f', 'a.txt'], script: [works] });
  expect((await p.run('loop', '--quiet')).code).toBe(0);
  const again = await p.run('audit', '--rerun-guard', '--json');
  expect(again.code, again.err).toBe(0);
  expectOutput('audit', JSON.parse(again.out));
  expect(JSON.parse(again.out)).toMatchObject({
    verdict: 'proven',
    log_files: 3,
    reruns: [{ iter: 1, verdict: 'pass' }],
  });
  expect((await p.run('audit')).out).toMatch(/verdict=proven .*\nproven \(unsigned\)$/u);
  expect(await p.run('audit', 'nobody')).toMatchObject({
    code: 1,
    err: expect.stringContaining('RUN_UNKNOWN'),
  });
  // All but the last commit is missing; then the start is there, and nothing below it.
  for (const depth of ['1', '2']) {
    const clone = join(p.base, `shallow-${depth}`);
    await p.git('clone', '-q', '--depth', depth, '--branch', 'runner/test', `file://${p.top}`, clone);
    const shallow = { program: process.execPath, args: [entryFile, 'audit'], cwd: clone, env: p.env };
    expect(await runProgram(shallow)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/verdict=not_provable .*\nnot provable: the history is shallow$/u),
    });
    if (!hasPython) continue;
    const said = await runProgram({ ...shallow, program: 'python3', args: [verifier, clone] });
    expect(JSON.parse(said.stdout)).toMatchObject({ verdict: 'not_provable', rule: 'shallow' });
  }
  const tree = p.read('.runner/state/tree.json');
  p.put('.runner/state/tree.json', tree.replace('"attempts": 0', '"attempts": 1'));
  await p.commitAll('by hand');
  const hand = await p.run('audit');
  expect(hand.code).toBe(1);
  expect(hand.out).toMatch(/first commit=\w+ kind=plain rule=passed_nodes .*\naudit: by_hand commit=/u);
  const refused = await p.run('finish');
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('[RUN_UNPROVEN]') });
  expect(refused.err).toContain('runner finish test --unproven');
  await p.git('reset', '-q', '--hard', 'HEAD^');
  expect((await p.run('finish')).code).toBe(0);
  const ended = await p.run('audit', 'test', '--json');
  expect(JSON.parse(ended.out)).toMatchObject({ verdict: 'proven', iterations: 1 });
});

test('the guard of a commit is the one that its settings name; a red one is the last word', async () => {
  const works = { actions: [write('a.txt', 'a\n')], answer: answer('done') };
  const p = await project({ guard: ['false'], files: { red: '' }, script: [works] });
  const guard = { RUNNER_GUARD_COMMAND: JSON.stringify(['sh', '-c', '[ "$(cat no-such  red)" = "" ]  # x']) };
  expect((await p.runWith(guard, 'loop', '--quiet')).code).toBe(0);
  const green = await p.run('audit', '--rerun-guard');
  expect(green, green.out).toMatchObject({ code: 0, out: expect.stringMatching(/guard=pass .*\nproven/u) });
  // What the person at the terminal has set says nothing about the run.
  expect((await p.runWith({ RUNNER_GUARD_COMMAND: '["false"]' }, 'audit', '--rerun-guard')).code).toBe(0);
  const strip = 'sed -e "/^Runner-Setting/d" -e "/^Runner-Proof/d" -e "/^Runner-Baseline/d"';
  await p.git('filter-branch', '-f', '--msg-filter', strip, 'main..runner/test');
  const red = await p.run('audit', '--rerun-guard');
  const commit = (await p.git('rev-parse', 'HEAD')).slice(0, 12);
  expect(red.code).toBe(1);
  expect(red.out).toContain(' verdict=unproven ');
  expect(red.out.split('\n').at(-1)).toBe(`not proven: the guard is red on ${commit}`);
  const json = JSON.parse((await p.run('audit', '--rerun-guard', '--json')).out);
  expectOutput('audit', json);
  expect(json).toMatchObject({ verdict: 'unproven', first: null, reruns: [{ verdict: 'fail' }] });
});

test('a run from before the trailers is not provable, which stops nothing', async () => {
  const p = await project({ script: [{ actions: [write('a.txt', 'a\n')], answer: answer('done') }] });
  expect((await p.run('loop', '--quiet')).code).toBe(0);
  const strip = 'sed -e "/^Runner-Proof/d" -e "/^Runner-Baseline/d" -e "/^Runner-Outcome/d"';
  await p.git('filter-branch', '-f', '--msg-filter', strip, 'main..runner/test');
  const old = await p.run('audit');
  expect(old.out).toMatch(/verdict=not_provable .*\nnot provable: /u);
  expect(old.code).toBe(0);
  expect(await p.run('finish')).toMatchObject({ code: 0, err: expect.stringContaining('is not provable') });
});

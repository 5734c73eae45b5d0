/** `runner eval fleet`: what it prints is carried out here by a shell that plays the engine. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { evalProject } from '../support/eval-project.ts';
import { expectOutput } from '../support/output-schema.ts';
import { entryFile, project } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { fakeProgram, playAgent, shellAgent } from '../support/shell-agent.ts';

/** One task as Slurm starts it. */
async function playTask(p: Pick<Project, 'dir' | 'env' | 'home'>, script: string, task: number) {
  writeFileSync(join(p.home, 'fleet.sh'), script);
  const { PATH = '' } = fakeProgram(p, 'runner', `exec '${process.execPath}' '${entryFile}' "$@"`);
  return execa('sh', [join(p.home, 'fleet.sh')], {
    cwd: p.dir,
    env: {
      ...p.env,
      PATH,
      SLURM_ARRAY_TASK_ID: String(task),
      SLURM_ARRAY_JOB_ID: '7',
    },
    extendEnv: false,
    reject: false,
  });
}

test('an eval: every task its shard, a task that is started again does nothing twice, and all of it merges', async () => {
  const p = await evalProject({ 'it-works': { isOracle: true } });
  const asked = [
    'eval',
    'fleet',
    '--engine',
    'slurm',
    '--shards',
    '2',
    '--repeat',
    '2',
    '--oracle',
    '--batch',
    'b1',
  ];
  const { out, code } = await p.run(...asked);
  expect(code).toBe(0);
  for (const task of [1, 2]) expect(await playTask(p, out, task)).toMatchObject({ exitCode: 0 });
  const again = await playTask(p, out, 2);
  expect(again, again.stderr).toMatchObject({ exitCode: 0 });
  expect(again.stdout).toContain('eval: batch=b1 trials=1 success=1');
  const merged = await p.run('eval', 'merge', 'fleet/b1/1', 'fleet/b1/2');
  expect(merged.out).toBe('merge: batch=b1 trials=2 added=2 duplicates=0 missing=0');
  expect(await p.status()).toBe('');

  const json: unknown = JSON.parse((await p.run(...asked, '--json')).out);
  expectOutput('eval-fleet', json);
  expect(json).toMatchObject({ kind: 'eval', engine: 'slurm', tasks: 2, name: 'b1' });
  expect(await p.run('eval', 'fleet', '--engine', 'k8s', 'nowhere')).toMatchObject({ code: 1, out: '' });
  expect(await p.run('eval', 'fleet')).toMatchObject({ code: 64, out: '' });
  expect(await p.run('eval', 'fleet', '--engine', 'k8s', '--run', 'a b')).toMatchObject({ code: 64 });
  expect((await p.run('eval', 'fleet', '--engine', 'k8s', '--image', 'host/r:1')).out).toContain(
    'image: host/r:1',
  );
});

test('a run: a task clones the pushed branch, and the branch comes back complete', async () => {
  const p = await project({ agent: shellAgent });
  playAgent(p, 'echo done > done.txt; answer done');
  const remote = join(p.base, 'remote.git');
  await p.git('init', '-q', '--bare', remote);
  await p.git('remote', 'add', 'origin', remote);
  await p.git('push', '-q', 'origin', 'runner/test');
  writeFileSync(join(p.home, '.gitconfig'), '[user]\nname = Fleet\nemail = fleet@test.invalid\n');
  const { out } = await p.run('eval', 'fleet', '--engine', 'slurm', '--run', 'test');
  const ran = await playTask(p, out, 1);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  await p.git('fetch', '-q', 'origin');
  expect(JSON.parse(await p.git('show', 'origin/runner/test:.runner/state/tree.json'))).toMatchObject({
    passes: true,
  });
  expect(existsSync(join(p.dir, 'fleet/runs/test-7-0/done.txt'))).toBe(true);
  expect(await p.status()).toBe('');
});

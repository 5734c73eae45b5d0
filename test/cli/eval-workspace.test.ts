/** Where a trial works and what it leaves: the workspace, the link to the newest one, the results, the user's own repository. */
import { chmodSync, existsSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { evalProject, putCase } from '../support/eval-project.ts';
import { expectOutput } from '../support/output-schema.ts';
import { answer, child, write } from '../support/project.ts';
import { fakeProgram } from '../support/shell-agent.ts';
import { runProgram } from '../support/spawner.ts';

const justfile = 'ci:\n    true\n\n# the end\n';
const stamp = /^\d{8}_\d{6}$/u;

async function gitIn(folder: string, env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  return (await runProgram({ program: 'git', args, cwd: folder, env })).stdout;
}

test('[ancestor: eval_workspace creates_workspace_with_justfile] [ancestor: eval_workspace workspace_name_uses_expected_format] [ancestor: eval_harness runner_binary_path_is_deterministic] [ancestor: eval_results copies_artifacts_when_present] [ancestor: eval_results results_dir_is_stable] [ancestor: eval_run eval_run_id_format] a trial and all it leaves; traps of the ancestor: the agent is not told the goal, max_attempts_default has no effect', async () => {
  const p = await evalProject({
    whole: {
      goal: 'Build the **thing** that only this goal names.',
      config: `max_iterations = 5\nmax_attempts_default = 2\njustfile = ${JSON.stringify(justfile)}`,
      steps: [
        { answer: answer('retry', 'not at once') },
        { answer: answer('decomposed', 'split', [child('one')]) },
        { actions: [write('a.txt', 'a\n')], answer: answer('done') },
      ],
      files: { 'src/x.js': 'x\n', 'over.txt': 'from the case\n' },
      fixture: 'fixtures/whole',
    },
  });
  p.put('eval/cases/fixtures/whole/run.sh', '#!/bin/sh\n');
  p.put('eval/cases/fixtures/whole/over.txt', 'from the fixture\n');
  chmodSync(join(p.dir, 'eval/cases/fixtures/whole/run.sh'), 0o755);
  await p.commitAll('fixture');
  // What a person has set for all repositories, or a program around us for its own, must not reach a trial.
  p.put(
    '../home/.gitconfig',
    '[user]\n\tname = Other\n[core]\n\texcludesFile = ~/ignore\n[commit]\n\tgpgsign = true\n',
  );
  p.put('../home/ignore', '*.js\n');
  // Nor may another runner on the PATH: a trial is run by the very program that was called.
  const foreign = {
    ...fakeProgram(p, 'runner', 'exit 9'),
    RUNNER_MAX_ITERATIONS: '1',
    GIT_AUTHOR_NAME: 'Nobody',
    GIT_DIR: join(p.dir, '.git'),
  };
  const ran = await p.runWith(foreign, 'eval', 'run', 'whole');
  expect(ran.code, ran.err).toBe(0);
  expect(await p.status(), 'nothing of ours in the repository of the user').toBe('');
  expect(p.read('eval/results/.gitignore') + p.read('eval/workspaces/.gitignore')).toBe('*\n*\n');

  const { meta, dir, read } = p.trial('whole');
  const [id, day, time, chance] =
    /^(.*)_(\d{8})_(\d{6})_(.*)$/u.exec(meta.workspace?.split('/').at(-1) ?? '')?.slice(1) ?? [];
  expect([id, `${day}_${time}`]).toEqual(['whole', expect.stringMatching(stamp)]);
  expect(chance).toMatch(/^[a-z0-9]{6}$/u);
  expect(meta.eval_run_id).toMatch(/^eval-\d{8}_\d{6}-[a-z0-9]{6}$/u);
  expect(dir).toBe(join(p.dir, 'eval/results/whole', meta.eval_run_id));
  expect(ran.out).toContain(` results=${dir}\n`);
  expect(meta).toMatchObject({
    outcome: 'success',
    iterations: 3,
    attempts: 1,
    agent: { name: 'scripted', version: null, model: null },
    batch_id: p.batches()[0]?.batch_id,
    tokens: null,
  });

  const workspace = join(p.dir, meta.workspace ?? '');
  expect(readlinkSync(join(p.dir, 'eval/workspaces/whole_latest'))).toBe(meta.workspace?.split('/').at(-1));
  expect(readFileSync(join(workspace, 'justfile'), 'utf8')).toBe(justfile);
  expect(readFileSync(join(workspace, 'over.txt'), 'utf8')).toBe('from the case\n');
  expect(statSync(join(workspace, 'run.sh')).mode & 0o111).toBe(0o111);
  expect(readFileSync(join(workspace, '.runner/GOAL.md'), 'utf8')).toMatch(
    /^---\nid: whole\n---\n[^]*that only this goal names\.\n$/u,
  );
  expect(await gitIn(workspace, p.env, 'status', '--porcelain')).toBe('');
  const log = await gitIn(workspace, p.env, 'log', '--reverse', '--format=%an <%ae> %s', '-3', 'main');
  expect(log.split('\n')).toEqual([
    'Runner Eval <runner-eval@local.invalid> chore(eval): bootstrap workspace',
    'Runner Eval <runner-eval@local.invalid> chore(eval): configure runner',
  ]);
  expect((await gitIn(workspace, p.env, 'ls-tree', '-r', '--name-only', 'main~1')).split('\n')).toEqual([
    'justfile',
    'over.txt',
    'run.sh',
    'script.json',
    'src/x.js',
  ]);

  expect(JSON.parse(read('tree.json'))).toMatchObject({ id: 'root', passes: true, max_attempts: 2 });
  expect(JSON.parse(read('run_state.json'))).toMatchObject({ run_id: 'whole', next_iter: 4 });
  expect(read('iterations/whole/1/prompt.md')).toContain('that only this goal names');
  expect(read('iterations/whole/3/meta.json')).toContain('"status": "done"');
  expect(read('runner.start.log')).toContain('"branch":"runner/whole"');
  expect(read('runner.loop.log')).toMatch(/"status":"complete"[^]*=== stderr ===/u);
});

test('[ancestor: eval_workspace creates_workspace_without_justfile] a case with next to nothing; trap of the ancestor: two trials within one second share a folder; here they do not, and the link leads to one of them', async () => {
  const p = await evalProject({
    bare: { about: 'requires = []', checks: [{ type: 'file_exists', path: 'a.txt' }] },
  });
  putCase(p, 'bare-two', { about: 'requires = ["no-such-program"]' });
  const ran = await p.evalRun('--repeat', '2', '--jobs', '2', '--json');
  expect(ran.code, ran.err).toBe(0);
  for (const line of ran.out.split('\n')) expectOutput('eval-run', JSON.parse(line));
  const found = p.trials('bare');
  expect(found.map(({ meta }) => `${meta.outcome} ${meta.repeat}`).toSorted()).toEqual([
    'success 1',
    'success 2',
  ]);
  expect(new Set(found.map(({ meta }) => meta.workspace)).size).toBe(2);
  expect(new Set([...found, ...p.trials('bare-two')].map(({ meta }) => meta.eval_run_id)).size).toBe(4);
  const workspace = join(p.dir, found[0]?.meta.workspace ?? '');
  expect(existsSync(join(workspace, 'justfile'))).toBe(false);
  expect(await gitIn(workspace, p.env, 'status', '--porcelain')).toBe('');
  const linked = readlinkSync(join(p.dir, 'eval/workspaces/bare_latest'));
  expect(found.map(({ meta }) => meta.workspace)).toContain(`eval/workspaces/${linked}`);
  expect(p.workspaces()).toHaveLength(3);
});

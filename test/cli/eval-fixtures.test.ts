/** What a case brings: git history, links, a setup step, and files that only the checks see. */
import { lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { evalProject, shellAgent, shellDone } from '../support/eval-project.ts';
import { runProgram } from '../support/spawner.ts';

test('history up to HEAD and no further, links, setup before the first commit, hidden files over what the agent left', async () => {
  const p = await evalProject({
    whole: {
      agent: shellAgent(
        `git log --all --format=%s > log.txt; git rev-list --all --objects | wc -l > count.txt; ls > seen.txt
mkdir -p deep; ln -s "$HOME/trap" deep/hidden.txt; ln -s "$HOME" out; ${shellDone}`,
      ),
      fixture: 'fix',
      top: `[[setup]]
cmd = ["sh", "-c", "echo $WORD-$EVAL_CASE > made.txt"]
env = { WORD = "set" }
[hidden.files]
"deep/hidden.txt" = "secret of the checks"
"out/x.txt" = "y"`,
      checks: [
        { type: 'file_contains', path: 'deep/hidden.txt', text: 'secret of the checks' },
        { type: 'command_succeeds', cmd: ['grep', '-q', 'set-whole', 'made.txt'] },
        { type: 'command_fails', cmd: ['grep', '-q', 'hidden', 'seen.txt'] },
      ],
    },
  });
  const file = join(p.dir, 'eval/cases/whole.toml');
  writeFileSync(file, `history = "h.bundle"\n${readFileSync(file, 'utf8')}`);
  const past = join(p.home, 'past');
  mkdirSync(past);
  const git = (...args: readonly string[]) => runProgram({ program: 'git', args, cwd: past, env: p.env });
  await git('init', '-q', '-b', 'main');
  await git('config', 'user.name', 'Past');
  await git('config', 'user.email', 'past@example.com');
  for (const word of ['first', 'second', 'the future']) {
    writeFileSync(join(past, 'old.txt'), word);
    await git('add', '-A');
    await git('commit', '-q', '-m', word);
  }
  await git('branch', 'future');
  await git('reset', '-q', '--hard', 'HEAD~1');
  await git('bundle', 'create', join(p.dir, 'eval/cases/h.bundle'), 'HEAD', 'main', 'future');
  mkdirSync(join(p.dir, 'eval/cases/fix'));
  writeFileSync(join(p.dir, 'eval/cases/fix/target.txt'), 'target');
  symlinkSync('target.txt', join(p.dir, 'eval/cases/fix/link'));

  const ran = await p.evalRun();
  expect(ran.code, ran.err).toBe(0);
  const { meta, checks } = p.trial('whole');
  expect(checks.map(({ detail }) => detail)).toEqual([null, null, null]);
  expect(meta.outcome).toBe('success');
  const workspace = join(p.dir, meta.workspace ?? '');
  expect(
    readFileSync(join(workspace, 'log.txt'), 'utf8')
      .split('\n')
      .filter((line) => !line.startsWith('chore')),
  ).toEqual(['second', 'first', '']);
  const objects = await runProgram({
    program: 'git',
    args: ['cat-file', '--batch-all-objects', '--batch-check'],
    cwd: workspace,
    env: p.env,
  });
  const future = await runProgram({ program: 'git', args: ['rev-parse', 'future'], cwd: past, env: p.env });
  expect(objects.stdout).not.toContain(future.stdout.trim());
  expect(lstatSync(join(workspace, 'link')).isSymbolicLink()).toBe(true);
  // Nothing was written through the links of the agent.
  expect(lstatSync(join(p.home, 'trap'), { throwIfNoEntry: false })).toBeUndefined();
  expect(lstatSync(join(p.home, 'x.txt'), { throwIfNoEntry: false })).toBeUndefined();
});

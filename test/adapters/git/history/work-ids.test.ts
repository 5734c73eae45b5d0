/** The tree ids of what guards saw, made from commits alone, are those that the work index writes (§15). */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitAdapter } from '../../../../src/adapters/git/git.ts';
import { makeRepo } from '../../../support/repo.ts';
import { hasPython, verifier } from '../../../support/verifiers.ts';

test.each(['', 'a/', 'a/b c/'])('of a project in the folder "%s"', async (prefix) => {
  const repo = makeRepo();
  const commits = [repo.head()];
  const commit = (): void => {
    repo.git('add', '-A');
    repo.git('commit', '-q', '-m', 'x');
    commits.push(repo.head());
  };
  repo.write(`${prefix}.runner/state/tree.json`, '{}');
  // Its folder holds nothing else.
  commit();
  repo.write(`${prefix}.runnerx`, 'x');
  repo.write(`${prefix}z/é/.runner/y`, 'y');
  repo.write('a.txt', 'a');
  commit();
  repo.remove(`${prefix}.runnerx`);
  repo.remove(`${prefix}.runner`);
  commit();
  mkdirSync(join(repo.dir, prefix), { recursive: true });
  const git = gitAdapter({ projectDir: join(repo.dir, prefix), env: repo.env });
  const expected: string[] = [];
  for (const id of commits) expected.push(await git.baselineTreeId({ commit: id, is_index_plain: false }));
  expect(await git.proof.listWork(commits)).toEqual(expected);
  expect(await git.proof.listWork([])).toEqual([]);
  expect(await git.proof.listWork(['f'.repeat(40)])).toEqual([null]);
  if (!hasPython) return;
  const program = [
    'import runpy, sys',
    'repo = runpy.run_path(sys.argv[1])["Repo"](sys.argv[2])',
    'for one in sys.argv[4:]: print(repo.work(repo.commit(one)["tree"], sys.argv[3]))',
  ].join('\n');
  const args = ['-c', program, verifier, repo.dir, prefix, ...commits];
  expect(execFileSync('python3', args, { encoding: 'utf8' }).trim().split('\n')).toEqual(expected);
});

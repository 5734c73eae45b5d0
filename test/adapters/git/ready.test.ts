import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitAdapter } from '../../../src/adapters/git/git.ts';
import { makeRepo } from '../../support/repo.ts';
import type { TestRepo } from '../../support/repo.ts';

async function checkReady(repo: TestRepo, env: Readonly<Record<string, string>> = {}) {
  const git = gitAdapter({ projectDir: repo.dir, env: { ...repo.env, ...env } });
  await git.checkSetup();
  await git.checkLocks(await git.headBranch());
}

test('a usual repository is ready', async () => {
  await checkReady(makeRepo());
});

test('no name, no email, an empty name: GIT_IDENTITY', async () => {
  for (const spoil of [
    ['--unset', 'user.email'],
    ['user.name', ''],
    ['--unset', 'user.name'],
  ]) {
    const repo = makeRepo();
    repo.git('config', 'user.useConfigOnly', 'true');
    repo.git('config', ...spoil);
    await expect(checkReady(repo)).rejects.toMatchObject({
      code: 'GIT_IDENTITY',
      hint: 'git config user.name "Your Name" && git config user.email "you@example.com"',
    });
  }
});

test('an identity from the environment is enough', async () => {
  const repo = makeRepo();
  repo.git('config', '--unset', 'user.name');
  repo.git('config', '--unset', 'user.email');
  const person = { NAME: 'A Person', EMAIL: 'a@example.invalid' };
  const env = Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((role) =>
      Object.entries(person).map(([key, value]) => [`GIT_${role}_${key}`, value]),
    ),
  );
  await checkReady(repo, env);
});

test.each(['index.lock', 'HEAD.lock', 'packed-refs.lock', 'refs/heads/main.lock'])(
  'a foreign %s is named with the exact command',
  async (name) => {
    const repo = makeRepo();
    repo.write(`.git/${name}`, '');
    await expect(checkReady(repo)).rejects.toMatchObject({
      code: 'GIT_LOCKED',
      hint: `when no other git is running: rm ${join(repo.dir, '.git', name)}`,
    });
  },
);

test('a lock that goes away in time is waited for', async () => {
  const repo = makeRepo();
  repo.write('.git/index.lock', '');
  setTimeout(() => repo.remove('.git/index.lock'), 300);
  await checkReady(repo);
});

test('a sparse checkout is refused with the command', async () => {
  const repo = makeRepo();
  repo.git('sparse-checkout', 'set', 'folder');
  await expect(checkReady(repo)).rejects.toMatchObject({
    code: 'GIT_UNSUPPORTED',
    hint: 'git sparse-checkout disable',
  });
  repo.git('sparse-checkout', 'disable');
  await checkReady(repo);
});

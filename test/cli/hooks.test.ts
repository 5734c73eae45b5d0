/** `git.run_hooks` and `git.sign` (§5): off by default; with hooks on the committed bytes are still the guarded ones. */
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hasOpenJournal } from '../support/open-journal.ts';
import { project } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { recorded } from '../support/record.ts';
import { fakeProgram, playAgent, shellAgent } from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';

function setHook(p: Project, name: string, script: string): void {
  const file = join(p.top, '.git/hooks', name);
  writeFileSync(file, `#!/bin/sh\necho ${name} >> "$HOME/hooks"\n${script}\n`);
  chmodSync(file, 0o755);
}

const hooksOn = { RUNNER_GIT_RUN_HOOKS: 'true' };

test('off by default; on: they run, refuse, change bytes; every such iteration is done/fail with their words', async () => {
  const p = await project({ agent: shellAgent, tree: node('root', { max_attempts: 9 }) });
  playAgent(p, 'echo "work $RUNNER_ITER" > work.txt; answer done');
  setHook(p, 'pre-commit', 'echo "no way, iteration" >&2; exit 1');
  setHook(p, 'post-commit', 'true');
  setHook(p, 'reference-transaction', 'true');
  playAgent(p, 'echo part > part.txt; answer retry');
  expect((await p.run('step')).code).toBe(0);
  expect(existsSync(join(p.home, 'hooks')), 'off by default').toBe(false);

  playAgent(p, 'echo "work $RUNNER_ITER" > work.txt; answer done "as told"');
  const refused = await p.runWith(hooksOn, 'step');
  expect(refused, refused.err).toMatchObject({
    code: 0,
    out: 'step: run=test iter=2 node=root status=done guard=fail',
  });
  const first = await recorded(p, 2);
  expect(first).toMatchObject({ attempts: 2, errorLog: '' });
  expect(first.last).toMatchObject({ summary: 'as told', error: null });
  expect(first.last?.guard_output).toContain('a git hook refused or changed the commit');
  expect(first.last?.guard_output).toContain('no way, iteration');
  expect(await first.file('work.txt')).toBe('work 2');
  expect(readFileSync(join(p.home, 'hooks'), 'utf8')).toContain('pre-commit');

  setHook(p, 'pre-commit', 'echo FORMATTED > work.txt; git add work.txt');
  expect((await p.runWith(hooksOn, 'step')).out).toContain('iter=3 node=root status=done guard=fail');
  const second = await recorded(p, 3);
  expect(second.last?.guard_output).toContain(
    'changed the files of the commit, which must be exactly the checked ones: "work.txt"',
  );
  expect(second.tree.passes).toBe(false);
  expect(await p.status()).toBe('');
  expect((await p.subjects()).filter((subject) => subject.includes(' iter 3 ')).length).toBe(1);

  setHook(p, 'pre-commit', 'true');
  rmSync(join(p.home, 'hooks'));
  expect((await p.runWith(hooksOn, 'step')).out).toContain('iter=4 node=root status=done guard=pass');
  const ran = readFileSync(join(p.home, 'hooks'), 'utf8').split('\n');
  expect(ran).toContain('pre-commit');
  expect(ran).toContain('post-commit');
  expect(await p.status()).toBe('');
});

test('a hook speaks only against a pass; a retry is recorded as what it was', async () => {
  const p = await project({ agent: shellAgent, config: '[git]\nrun_hooks = true\n' });
  setHook(p, 'commit-msg', 'echo "bad message" >&2; exit 1');
  playAgent(p, 'echo part > part.txt; answer retry "half"');
  const ran = await p.run('step');
  expect(ran, ran.err).toMatchObject({
    code: 0,
    out: 'step: run=test iter=1 node=root status=retry guard=skipped',
  });
  expect((await recorded(p, 1)).last).toMatchObject({ summary: 'half', guard_output: null });
});

test('git.sign: a commit that cannot be signed stays pending and is made by the next step, with the settings of then', async () => {
  const p = await project({
    agent: shellAgent,
    config: '[git]\nsign = true\n',
    tree: node('root', { max_attempts: 9 }),
  });
  const path = fakeProgram(p, 'gpg', 'echo "no secret key" >&2; exit 2');
  await p.git('config', 'gpg.program', join(p.home, 'bin/gpg'));
  await p.git('config', 'user.signingkey', 'ABCDEF');
  playAgent(p, 'echo "$RUNNER_ITER" >> count.txt; answer done');
  const before = await p.git('rev-parse', 'HEAD');
  const refused = await p.runWith(path, 'step');
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toMatch(/no secret key|gpg failed to sign/u);
  expect(refused.err).toContain('[GIT_FAILED]');
  expect(refused.err).toContain('hint: ');
  expect(await p.git('rev-parse', 'HEAD')).toBe(before);
  expect(hasOpenJournal(p.top)).toBe(true);

  fakeProgram(
    p,
    'gpg',
    `cat > /dev/null; echo "[GNUPG:] SIG_CREATED x" >&2
    printf -- '-----BEGIN PGP SIGNATURE-----\\n\\nfake\\n-----END PGP SIGNATURE-----\\n'`,
  );
  const signed = await p.runWith(path, 'step');
  expect(signed, signed.err).toMatchObject({ code: 2, out: 'step: status=complete run=test' });
  expect(await recorded(p, 1)).toMatchObject({ status: 'done', guard: 'pass' });
  expect(await p.git('cat-file', 'commit', 'HEAD')).toContain('gpgsig -----BEGIN PGP SIGNATURE-----');
  expect(p.read('count.txt'), 'the session did not run again').toBe('1\n');
});

test('a pending commit is made with the git settings of now: config.toml edited by a person, or the environment', async () => {
  const p = await project({
    agent: shellAgent,
    config: '[git]\nsign = true\n',
    tree: node('root', { max_attempts: 9 }),
  });
  fakeProgram(p, 'gpg', 'exit 2');
  await p.git('config', 'gpg.program', join(p.home, 'bin/gpg'));
  playAgent(p, 'echo "$RUNNER_ITER" >> count.txt; answer retry');
  expect(await p.run('step')).toMatchObject({ code: 1, out: '' });
  const viaEnv = await p.runWith({ RUNNER_GIT_SIGN: 'false', RUNNER_MAX_ITERATIONS: '1' }, 'step');
  expect(viaEnv.err).toContain('[ITERATION_LIMIT]');
  expect(await recorded(p, 1)).toMatchObject({ status: 'retry', attempts: 1 });

  expect(await p.run('step')).toMatchObject({ code: 1, out: '' });
  p.put(
    '.runner/state/config.toml',
    p.read('.runner/state/config.toml').replace('sign = true', 'sign = false'),
  );
  const edited = await p.runWith({ RUNNER_MAX_ITERATIONS: '2' }, 'step');
  expect(edited.err, 'the commit was made').toMatch(/recovered iteration 2: recorded as status=retry/u);
  expect(await recorded(p, 2)).toMatchObject({ status: 'retry', attempts: 2 });
});

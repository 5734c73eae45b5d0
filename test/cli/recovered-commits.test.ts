/** Crashes around the commit of an iteration, with hooks, signatures and pruning in play: no false pass, nothing lost, always a way on. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hasOpenJournal } from '../support/open-journal.ts';
import { project } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { recorded } from '../support/record.ts';
import { fakeProgram, playAgent, playGuard, shellAgent, shellGuard } from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';

function begin(config = ''): Promise<Project> {
  return project({ agent: shellAgent, guard: shellGuard, config, tree: node('root', { max_attempts: 9 }) });
}

/** Ends the runner that started the git that runs the hook. */
const killRunner = 'kill -9 "$(ps -o ppid= -p "$PPID" | tr -d " ")"; sleep 5';

function setHook(p: Project, name: string, script: string): void {
  const file = join(p.top, '.git/hooks', name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

const hooksOn = { RUNNER_GIT_RUN_HOOKS: 'true' };

test('a hook that changes the commit, and a crash right after it: no pass on bytes that the guard did not see', async () => {
  const p = await begin();
  playAgent(p, 'echo good > work.txt; answer done');
  playGuard(p, 'grep -q good work.txt');
  setHook(p, 'pre-commit', 'echo bad > work.txt; git add work.txt');
  setHook(p, 'post-commit', killRunner);
  expect((await p.runWith(hooksOn, 'step')).signal).toBe('SIGKILL');
  const next = await p.run('step');
  expect(next.code, next.err).toBe(0);
  const passes = (await p.git('log', '--format=%H %s', 'runner/test'))
    .split('\n')
    .filter((line) => line.includes('guard=pass'));
  for (const line of passes) expect(await p.git('show', `${line.split(' ')[0]}:work.txt`), line).toBe('good');
  expect(await p.git('for-each-ref', 'refs/runner/hold')).toBe('');
});

test('a hook that rewrites work before a crash: what the agent wrote is kept', async () => {
  const p = await begin();
  playAgent(p, 'echo agent > work.txt; answer done');
  playGuard(p, 'exit 0');
  setHook(p, 'pre-commit', `echo hook > work.txt; ${killRunner}`);
  expect((await p.runWith(hooksOn, 'step')).signal).toBe('SIGKILL');
  const next = await p.run('step');
  expect(next.err).toContain(
    'somebody changed "work.txt": what it was before is kept as refs/runner/rescue/test/1',
  );
  expect(await p.git('show', 'refs/runner/rescue/test/1:work.txt')).toBe('agent');
});

test('log.showSignature does not get into what the runner reads', async () => {
  const p = await begin('[git]\nsign = true\n');
  await p.git('config', 'log.showSignature', 'true');
  fakeProgram(
    p,
    'gpg',
    `case "$*" in *verify*) echo "a word of gpg" >&2; exit 0;; esac
    cat > /dev/null; echo "[GNUPG:] SIG_CREATED x" >&2
    printf -- '-----BEGIN PGP SIGNATURE-----\\n\\nfake\\n-----END PGP SIGNATURE-----\\n'`,
  );
  await p.git('config', 'gpg.program', join(p.home, 'bin/gpg'));
  playAgent(p, 'answer retry');
  for (const iter of [1, 2]) {
    const { code, err } = await p.run('step');
    expect(code, `${iter}: ${err}`).toBe(0);
  }
});

test('a person’s commit on top of an iteration that could not be committed stays, however often it is tried', async () => {
  const p = await begin('[git]\nsign = true\n');
  fakeProgram(p, 'gpg', 'exit 2');
  await p.git('config', 'gpg.program', join(p.home, 'bin/gpg'));
  playAgent(p, 'echo work > work.txt; answer retry');
  expect((await p.run('step')).code).toBe(1);
  p.put('.runner/GOAL.md', `${p.read('.runner/GOAL.md')}\na person's line\n`);
  await p.git('-c', 'commit.gpgsign=false', 'commit', '-qm', 'person', '--', '.runner/GOAL.md');
  expect((await p.run('step')).code).toBe(1);
  const done = await p.runWith({ RUNNER_GIT_SIGN: 'false', RUNNER_MAX_ITERATIONS: '1' }, 'step');
  expect(done.err).toContain('recovered iteration 1');
  expect(hasOpenJournal(p.top)).toBe(false);
  expect(await p.git('show', 'HEAD:.runner/GOAL.md')).toContain("a person's line");
});

test('pruned after the commit and before the logs: the next step goes on', async () => {
  const p = await begin();
  playAgent(p, 'echo work > work.txt; answer retry');
  const log = join(p.home, 'points');
  expect((await p.runWith({ RUNNER_FAILPOINT_LOG: log }, 'step')).code).toBe(0);
  const names = readFileSync(log, 'utf8').trimEnd().split('\n');
  const at = names.lastIndexOf('git:after:update-ref') + 1;
  const q = await begin();
  playAgent(q, 'echo work > work.txt; answer retry');
  expect((await q.runWith({ RUNNER_FAILPOINT: String(at) }, 'step')).signal).toBe('SIGKILL');
  await q.git('gc', '-q', '--prune=now');
  const next = await q.run('step');
  expect(next.code, next.err).toBe(0);
  expect(await recorded(q, 1)).toMatchObject({
    status: 'retry',
    meta: { recovered: true, changed_files: 1 },
  });
  expect(await q.git('for-each-ref', 'refs/runner/hold')).toBe('');
});

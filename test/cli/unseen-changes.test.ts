/** What git alone would not see, or not say: it neither passes unseen nor is lost (§1.2, §1.4, §1.5). */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { project } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { fakeProgram, playAgent, playGuard, shellAgent, shellGuard } from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';

function begin(): Promise<Project> {
  return project({ agent: shellAgent, guard: shellGuard, tree: node('root', { max_attempts: 9 }) });
}

/** As long as before, in the same second, with its time set back. */
const rewrite = (text: string): string => `printf '${text}\\n' > f.txt; touch -d 2020-01-01 f.txt`;

test('a guard that rewrites a file within a second and sets its time back: what it saw is what is committed', async () => {
  const p = await begin();
  playAgent(p, `${rewrite('AAAA')}; answer done`);
  playGuard(p, `${rewrite('BBBB')}; grep -q BBBB f.txt`);
  const { code, out, err } = await p.run('step');
  expect(code, err).toBe(0);
  expect(out).toContain('status=done guard=pass');
  expect(await p.git('show', 'HEAD:f.txt')).toBe('BBBB');
  expect(await p.git('show', 'refs/runner/rescue/test/1:f.txt')).toBe('AAAA');
});

test('agents that do so one after the other are all recorded', async () => {
  const p = await begin();
  playGuard(p, 'exit 0');
  playAgent(p, 'printf "V%03d\\n" $RUNNER_ITER > f.txt; touch -d 2020-01-01 f.txt; answer retry');
  const { err } = await p.run('loop', '--max-iterations', '5');
  for (const iter of [1, 2, 3, 4, 5]) {
    const commit = await p.git('log', '--format=%H', `--grep=iter ${iter} node`);
    expect(await p.git('show', `${commit}:f.txt`), err).toBe(`V00${iter}`);
  }
});

test('a submodule that was added in this iteration may not be dirty either', async () => {
  const p = await begin();
  playGuard(p, 'grep -q y sub/s.txt');
  playAgent(
    p,
    `git init -q "$HOME/sub"; echo s > "$HOME/sub/s.txt"; git -C "$HOME/sub" add -A
    git -C "$HOME/sub" -c user.name=a -c user.email=a@b commit -qm s
    git -c protocol.file.allow=always submodule add -q "$HOME/sub" sub; echo y >> sub/s.txt; answer done`,
  );
  const { code, out, err } = await p.run('step');
  expect(code, err).toBe(0);
  expect(out).toContain('status=done guard=fail');
});

test('work that cannot be kept stops the run until it can', async () => {
  const p = await begin();
  playAgent(p, 'echo precious > w.txt; echo o > o.txt; git update-ref refs/runner HEAD; answer done');
  playGuard(p, 'rm -f w.txt');
  expect((await p.run('step')).code).toBe(1);
  await p.git('update-ref', '-d', 'refs/runner');
  const { code, err } = await p.run('step');
  expect(code, err).toBe(2);
  expect(await p.git('show', 'refs/runner/rescue/test/1:w.txt')).toBe('precious');
});

test('a folder that git cannot open is named, not passed over', async () => {
  const p = await begin();
  playGuard(p, 'exit 0');
  playAgent(p, 'echo w > w.txt; answer done');
  const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
  const warning = `case " $* " in *" add "*) echo "warning: could not open directory 'sec/': Permission denied" >&2;; esac`;
  const env = fakeProgram(p, 'git', `${warning}\nexec ${real} "$@"`);
  const { code, err } = await p.runWith(env, 'step');
  expect(code).toBe(1);
  expect(err).toContain('git cannot look into the folder sec: Permission denied');
  expect(err).toContain(`hint: chmod u+rwx ${join(p.top, 'sec')}`);
  expect((await p.run('step')).code).toBe(0);
  expect(await p.git('show', 'HEAD:w.txt')).toBe('w');
});

test('a damaged index of git stops with a command that mends it, and no work is lost', async () => {
  const p = await begin();
  playGuard(p, 'exit 0');
  playAgent(p, 'echo w > w.txt; : > .git/index; kill -9 $PPID; sleep 60');
  await p.run('step');
  playAgent(p, 'answer retry');
  const { code, err } = await p.run('step');
  expect(code).toBe(1);
  const [, command = ''] = /hint: (rm .* reset -q) /.exec(err) ?? [];
  execFileSync('sh', ['-c', command], { cwd: p.dir });
  expect(existsSync(join(p.dir, 'w.txt'))).toBe(true);
  const again = await p.run('step');
  expect(again.code, again.err).toBe(0);
  expect(await p.git('show', 'HEAD:w.txt')).toBe('w');
});

test('a graft does not make a strange commit stand on the baseline', async () => {
  const p = await begin();
  const baseline = await p.git('rev-parse', 'HEAD');
  playGuard(p, 'exit 0');
  playAgent(
    p,
    `B=$(git rev-parse HEAD); C=$(git -c user.name=a -c user.email=a@b commit-tree -m o "HEAD^{tree}")
    mkdir -p .git/info; echo "$C $B" > .git/info/grafts; git update-ref refs/heads/runner/test $C; echo w > w.txt; answer done`,
  );
  const { code, err } = await p.run('step');
  expect(code, err).toBe(0);
  expect(existsSync(join(p.top, '.git/info/grafts'))).toBe(false);
  expect(await p.git('merge-base', '--all', baseline, 'HEAD')).toBe(baseline);
});

test('a link in the place of the project folder is not followed, and the run goes on', async () => {
  const p = await project({
    prefix: 'app',
    agent: shellAgent,
    guard: shellGuard,
    tree: node('root', { max_attempts: 9 }),
  });
  playGuard(p, 'exit 0');
  playAgent(
    p,
    `mkdir -p "$HOME/other/.runner"; echo "another goal" > "$HOME/other/.runner/GOAL.md"; echo w > w.txt
    answer done; cd ..; mkdir packages; mv app packages/app; ln -s "$HOME/other" app`,
  );
  const { code, out, err } = await p.run('step');
  expect(code, err).toBe(0);
  expect(out).toContain('status=done guard=pass');
  expect(await p.git('show', 'HEAD:packages/app/w.txt')).toBe('w');
  expect(p.read('.runner/GOAL.md')).toContain('id: test');
  const other = execFileSync('find', [join(p.home, 'other'), '-type', 'f'], { encoding: 'utf8' });
  expect(other.trim()).toBe(join(p.home, 'other/.runner/GOAL.md'));
  expect(await p.status()).toBe('');
});

/** A tree with two entries of one name would be no tree. */
async function expectSound(p: Project): Promise<void> {
  expect(await p.git('fsck', '--strict', '--full', '--no-dangling')).toBe('');
  expect(await p.status()).toBe('');
}

test.each([
  ['session', 'cd ../..; mv apps/one apps/moved; echo work > apps/one; answer retry', 'true'],
  ['guard', 'answer done', 'cd ../..; mv apps/one apps/moved; echo F > apps/one; exit 0'],
])('a %s that puts a file in the place of the project folder', async (_, agent, guard) => {
  const tree = node('root', { max_attempts: 9 });
  const p = await project({ agent: shellAgent, guard: shellGuard, tree, prefix: 'apps/one/' });
  playGuard(p, guard);
  playAgent(p, `echo a > a.txt; ${agent}`);
  const { code, err } = await p.run('step');
  expect(code, err).toBe(0);
  await expectSound(p);
  expect(await p.git('ls-tree', 'HEAD', 'apps/one')).toMatch(/^040000 tree /);
  expect(await p.git('show', 'HEAD:apps/moved/a.txt')).toBe('a');
});

test('a session that links the log of its own events into the work', async () => {
  const p = await begin();
  playGuard(p, 'true');
  playAgent(p, 'echo a > a.txt; ln .runner/iterations/test/1/events.jsonl linked.jsonl; answer done');
  const { code, err } = await p.run('step');
  expect(code, err).toBe(0);
  await expectSound(p);
});

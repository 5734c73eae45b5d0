/**
 * Two runs in two linked work trees while a person works in the third (§14): nothing of theirs is moved, undone or lost, and what one
 * run's session plants in the shared git folder never reaches the other.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bareProject, entryFile } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { runProgram } from '../support/spawner.ts';
import { waitUntil } from '../support/scratch.ts';
import { node } from '../support/trees.ts';

const runs = ['one', 'two'] as const;

/** `await_file` waits for a sign of somebody else; `answer` as ever. */
const agentWords = `set -e
answer() { printf '{"status":"%s","summary":"said %s","children":null}\\n' "$1" "$1" > "$RUNNER_OUTPUT"; }
await_file() { n=0; while ! test -e "$HOME/$1"; do n=$((n+1)); test $n -lt 1200; sleep 0.05; done; }
`;

/** Plants a filter in the shared settings, and ends only after the other run has committed. */
const planter = `
if test "$RUNNER_NODE_ID" = a; then
  common="$(git rev-parse --git-common-dir)"
  await_file two-open
  git config filter.evil.clean "sh -c ': > \\"$HOME/ran\\"; sed s/good/bad/'"
  mkdir -p "$common/info"; printf 'one-*.txt filter=evil\\ntwo-*.txt filter=evil\\n' > "$common/info/attributes"
  : > "$HOME/planted"; : > "$HOME/one-open"
  await_file person-done; await_file two-committed
fi
printf 'good %s\\n' "$RUNNER_NODE_ID" > "one-$RUNNER_NODE_ID.txt"; answer done
`;

const other = `
if test "$RUNNER_NODE_ID" = a; then : > "$HOME/two-open"; await_file planted; await_file person-done; fi
printf 'good %s\\n' "$RUNNER_NODE_ID" > "two-$RUNNER_NODE_ID.txt"; answer done
`;

const config = `iteration_timeout_secs = 100
[sandbox]
kind = "none"
[agent]
name = "command"
command = ['sh', '-c', 'exec sh "$HOME/agent-$RUNNER_RUN_ID.sh"']

[guard]
command = ["sh", "-c", "! grep -rq bad --include=*.txt ."]
`;

function call(p: Project, program: string, ...args: readonly string[]) {
  return async (folder: string) => {
    const ran = await runProgram({ program, args, cwd: join(p.base, folder), env: p.env });
    expect(ran.code, `${args.join(' ')}: ${ran.stdout}\n${ran.stderr}`).toBe(0);
    return ran.stdout;
  };
}

async function startRun(p: Project, run: (typeof runs)[number]): Promise<void> {
  await p.git('worktree', 'add', '-q', '-b', `base-${run}`, join(p.base, run));
  await call(p, process.execPath, entryFile, 'init')(run);
  const put = (path: string, text: string): void => {
    mkdirSync(join(p.base, run, '.runner/state'), { recursive: true });
    writeFileSync(join(p.base, run, '.runner', path), text);
  };
  put('GOAL.md', `---\nid: ${run}\n---\n\n# Goal of ${run}\n\nMake it work.\n`);
  put('state/config.toml', config);
  const tree = node('root', { children: [node('a'), node('b', { order: 1 })] });
  put('state/tree.json', `${JSON.stringify(tree, null, 2)}\n`);
  await call(p, 'git', 'add', '-A')(run);
  await call(p, 'git', 'commit', '-q', '-m', `prepare ${run}`)(run);
  await call(p, process.execPath, entryFile, 'start')(run);
}

/** An origin with a commit that the person does not have yet. */
async function makeOrigin(p: Project): Promise<string> {
  const origin = join(p.base, 'origin.git');
  await p.git('clone', '-q', '--bare', '.', origin);
  await p.git('remote', 'add', 'origin', origin);
  await p.git('fetch', '-q', 'origin');
  const far = await p.git('-C', origin, 'commit-tree', '-p', 'main', '-m', 'far', 'main^{tree}');
  await p.git('-C', origin, 'update-ref', 'refs/heads/main', far);
  return far;
}

test('a person and two runs share a repository', { timeout: 240_000 }, async () => {
  const p = await bareProject({ files: { 'person.txt': 'good\n' } });
  await p.git('config', '--global', 'user.name', 'Test Person');
  await p.git('config', '--global', 'user.email', 'person@test.invalid');
  const far = await makeOrigin(p);
  for (const run of runs) await startRun(p, run);
  writeFileSync(join(p.home, 'agent-one.sh'), agentWords + planter);
  writeFileSync(join(p.home, 'agent-two.sh'), agentWords + other);
  const loops = runs.map((run) =>
    runProgram({ program: process.execPath, args: [entryFile, 'loop'], cwd: join(p.base, run), env: p.env }),
  );
  const sign = (name: string): void => writeFileSync(join(p.home, name), '');
  await waitUntil('both sessions are open', () => existsSync(join(p.home, 'one-open')));

  // The person at work; their own git obeys the planted settings, so the filter is for files of the runs only.
  p.put('person.md', 'committed\n');
  await p.git('add', 'person.md');
  await p.git('commit', '-q', '-m', 'of a person');
  const main = await p.git('rev-parse', 'main');
  await p.git('switch', '-q', '-c', 'feature');
  await p.git('commit', '-q', '--allow-empty', '-m', 'feature');
  const feature = await p.git('rev-parse', 'feature');
  await p.git('fetch', '-q', 'origin');
  p.put('person.md', 'stashed\n');
  await p.git('stash', 'push', '-q', '-m', 'of a person');
  const stash = await p.git('rev-parse', 'refs/stash');
  await p.git('config', 'remote.more.url', 'https://more.invalid/x');
  await p.git('config', 'branch.main.remote', 'origin');
  sign('person-done');
  await waitUntil('run two has committed its first task', async () =>
    (await p.git('log', '--format=%s', 'runner/two')).includes('iter 1 node a'),
  );
  sign('two-committed');

  for (const [at, ran] of (await Promise.all(loops)).entries())
    expect(ran.code, `${runs[at] ?? ''}: ${ran.stdout}\n${ran.stderr}`).toBe(0);

  expect(existsSync(join(p.home, 'ran')), 'the planted filter was run').toBe(false);
  const results = runs.flatMap((run) => ['a', 'b'].map((leaf) => ({ run, leaf })));
  for (const { run, leaf } of results)
    expect(await p.git('show', `runner/${run}:${run}-${leaf}.txt`)).toBe(`good ${leaf}`);

  expect(await p.git('rev-parse', 'main', 'feature', 'origin/main', 'refs/stash')).toBe(
    [main, feature, far, stash].join('\n'),
  );
  expect(await p.git('symbolic-ref', 'HEAD')).toBe('refs/heads/feature');
  expect(await p.git('config', 'remote.more.url')).toBe('https://more.invalid/x');
  expect(await p.git('config', 'branch.main.remote')).toBe('origin');
  expect(await p.git('config', '--default', 'none', 'filter.evil.clean')).toBe('none');
  expect(existsSync(join(p.top, '.git/info/attributes'))).toBe(false);
  expect(await p.git('for-each-ref', 'refs/runner/rescue'), 'nothing was taken for lost').toBe('');
  expect(await p.status()).toBe('');
  await p.git('fsck', '--strict', '--no-dangling');
});

/** Background runs (§13): several at once, one of them killed and one canceled, and what each has to itself. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import {
  cancelRun,
  expectNoProcesses,
  filesOf,
  hashCheckout,
  heldSlots,
  progressOf,
  recordOf,
  resumeRun,
  startRun,
  waitForEnd,
} from '../support/background.ts';
import { expectOutput } from '../support/output-schema.ts';
import { bareProject, entryFile, expectSoundRepository, unstartedProject } from '../support/project.ts';
import { hasPseudoTerminal } from '../support/pseudo-terminal.ts';
import { waitUntil } from '../support/scratch.ts';
import { playAgent, playGuard, shellAgent, shellGuard, shellWait } from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';

const tree = node('root', { children: [node('a'), node('b', { order: 1 })] });
const manyAtOnce = '[automation]\nmax_parallel = 4\n';

test('three at once: one completes, one is killed and goes on, one is canceled; the checkout stays byte for byte', async () => {
  const p = await unstartedProject({
    agent: shellAgent,
    tree,
    config: `${manyAtOnce}setup = ["echo ready > ready.ignored"]`,
    files: { '.gitignore': '*.ignored\n' },
  });
  playAgent(
    p,
    `test -e ready.ignored
    printf '%s %s\\n' "$RUNNER_SLOT" "$TMPDIR" > "$HOME/place-$RUNNER_RUN_ID"
    echo "work of $RUNNER_NODE_ID" > "$RUNNER_NODE_ID.txt"
    if test "$RUNNER_NODE_ID" = b && test -e "$HOME/hold-$RUNNER_RUN_ID"; then
      : > "$HOME/open-$RUNNER_RUN_ID"; (setsid sleep 600 &); sleep 600
    fi
    answer done`,
  );
  for (const id of ['killed', 'stopped']) writeFileSync(join(p.home, `hold-${id}`), '');
  p.put('.runner/GOAL.md', '# Changed on disk\n\nOnly here.\n');
  p.put('notes.txt', 'not committed\n');
  p.put('goal.md', '# Of a file\n\nFrom there.\n');
  const before = hashCheckout(p);

  const first = await p.run('run', 'start', '--name', 'whole');
  expect(first).toMatchObject({ code: 0 });
  expect(first.err).toContain('taken as they are on disk: .runner/GOAL.md');
  expect(first.err).toContain('not included, because it is not committed: goal.md, notes.txt\n');
  const second = await startRun(p, 'killed', { args: ['--goal', './goal.md'] });
  // It is what the run is given.
  expect(second.err).toContain('not included, because it is not committed: notes.txt\n');
  await startRun(p, 'stopped', { args: ['--max-iterations', '7'] });
  for (const id of ['killed', 'stopped'])
    await waitUntil(`${id} to be at work`, () => existsSync(join(p.home, `open-${id}`)));
  const whole = await waitForEnd(p, 'whole', 'complete');
  expect(whole).toMatchObject({ title: 'Changed on disk', base_branch: 'main', iterations: { used: 2 } });
  expect(whole).toMatchObject({ leaves: { passed: 2, all: 2 }, owner: null, reason: null });

  process.kill(recordOf(p, 'killed').owner?.pid ?? 0, 'SIGKILL');
  const stopped = await cancelRun(p, 'stopped');
  expect(stopped).toMatchObject({ reason: 'stopped by SIGTERM', iterations: { used: 2, max: 7 } });
  rmSync(join(p.home, 'hold-killed'));
  const killed = await resumeRun(p, 'killed');
  expect(killed).toMatchObject({ status: 'complete', leaves: { passed: 2, all: 2 } });

  await expectNoProcesses(p);
  expect(heldSlots(p)).toEqual([]);
  expect(hashCheckout(p)).toBe(before);
  expect(await filesOf(p, 'killed')).toBe(await filesOf(p, 'whole'));
  // What the canceled session had done by then is committed.
  expect(await p.git('show', 'runner/stopped:b.txt')).toBe('work of b');
  const log = join(p.top, '.git', 'runner', 'logs', 'whole');
  for (const name of ['1/meta.json', '1/diff.patch', '2/events.jsonl', '2/guard.log'])
    expect(existsSync(join(log, name)), name).toBe(true);
  expect(existsSync(join(whole.worktree ?? '', '.runner', 'iterations', 'whole'))).toBe(false);
  expect(progressOf(p, 'whole')).toMatch(/iteration 2 status=done guard=pass leaves=2\/2/);
  expect(await p.git('worktree', 'list', '--porcelain')).toMatch(
    /locked runner run=whole pid=\d+ start=\S+ \d+/,
  );
  const places = ['whole', 'killed', 'stopped'].map((id) => recordOf(p, id).worktree);
  expect(new Set(places).size).toBe(3);
});

test('what a work tree sees: not the node_modules of the checkout, unless .worktreeinclude names them', async () => {
  const p = await unstartedProject({
    agent: shellAgent,
    guard: ['node', '-e', "require('dep')"],
    config: `[automation]\nsetup = ["node -e \\"require.resolve('dep')\\""]`,
    files: { '.gitignore': 'node_modules/\n.env\n' },
  });
  p.put('node_modules/dep/index.js', 'module.exports = 1;\n');
  p.put('.env', 'A=1\n');
  playAgent(p, 'echo done > done.txt; answer done');
  await startRun(p, 'bare');
  const bare = await waitForEnd(p, 'bare', 'failed');
  expect(bare).toMatchObject({ reason: 'setup', iterations: { used: 0 } });
  expect(bare.errors.join('\n')).toContain("Cannot find module 'dep'");

  p.put('.worktreeinclude', 'node_modules/\nREADME.md\n');
  await p.commitAll();
  await startRun(p, 'filled');
  const filled = await waitForEnd(p, 'filled', 'complete');
  expect(existsSync(join(filled.worktree ?? '', 'node_modules', 'dep', 'index.js'))).toBe(true);
  expect(existsSync(join(filled.worktree ?? '', '.env'))).toBe(false);

  // One that makes files for git ends the run before an agent, too.
  await p.runWith({}, 'config', 'set', 'automation.setup', '["echo x > left.txt"]');
  await startRun(p, 'dirty');
  const dirty = await waitForEnd(p, 'dirty', 'failed');
  expect(dirty.reason).toBe('setup');
  expect(dirty.errors.join('\n')).toContain('left.txt');
});

test('a run whose agent fails says why, with commands that work in the checkout', async () => {
  const p = await unstartedProject({ agent: `${shellAgent}\nmax_failures = 1`, guard: shellGuard });
  playAgent(p, 'echo "Error: Cannot find module \'csv\'" >&2; exit 1');
  const ran = await p.run('run', 'start', '--name', 'broken', '--wait');
  const { end, errors, worktree } = recordOf(p, 'broken');
  const look = `runner -C ${worktree ?? ''} log --failed`;
  expect(ran.err).toMatch(new RegExp(`next +${look}, then: runner run resume broken$`, 'mu'));
  expect(end).toEqual({
    sentence: expect.stringMatching(/^the agent failed 1 times in a row/u),
    hint: `${look}, then: runner run resume broken`,
  });
  expect(errors).toEqual([`${end?.sentence ?? ''} (${end?.hint ?? ''})`]);
  expect((await p.run(...look.split(' ').slice(1))).out).toContain('the agent failed');
  playAgent(p, 'echo done > done.txt; answer done');
  playGuard(p, 'true');
  expect(await resumeRun(p, 'broken')).toMatchObject({ end: { hint: 'runner finish broken' } });
});

test('two runs with a server on RUNNER_PORT_BASE do not collide, and a third waits for its turn', async () => {
  const p = await unstartedProject({
    agent: shellAgent,
    guard: shellGuard,
    config:
      '[automation]\nmax_parallel = 2\n[guard]\nbaseline = false\ncommand = ["sh", "-c", "exec sh \\"$HOME/guard.sh\\""]',
  });
  playAgent(p, 'echo done > done.txt; answer done');
  // Both must listen at the same time.
  playGuard(
    p,
    `exec node -e '
      const { existsSync, writeFileSync } = require("node:fs");
      const { HOME, RUNNER_RUN_ID, RUNNER_PORT_BASE } = process.env;
      require("node:http").createServer().listen(Number(RUNNER_PORT_BASE), "127.0.0.1", () => {
        writeFileSync(HOME + "/up-" + RUNNER_RUN_ID, RUNNER_PORT_BASE);
        setInterval(() => { if (existsSync(HOME + "/go")) process.exit(0); }, 20);
      });'`,
  );
  for (const id of ['one', 'two', 'three']) await startRun(p, id);
  const isUp = (id: string): boolean => existsSync(join(p.home, `up-${id}`));
  await waitUntil('both servers', () => isUp('one') && isUp('two'));
  await waitUntil(
    'the third in the queue',
    () => recordOf(p, 'three').reason?.startsWith('waits for 1 other run') === true,
  );
  expect(isUp('three')).toBe(false);
  writeFileSync(join(p.home, 'go'), '');
  for (const id of ['one', 'two', 'three']) await waitForEnd(p, id, 'complete');
});

test('a work tree that was deleted by hand is made again from the branch', async () => {
  const p = await unstartedProject({ agent: shellAgent, tree, config: 'max_iterations = 1\n' });
  playAgent(p, 'echo "work of $RUNNER_NODE_ID" > "$RUNNER_NODE_ID.txt"; answer done');
  await startRun(p, 'gone');
  const { worktree } = await waitForEnd(p, 'gone', 'limit');
  rmSync(worktree ?? '', { recursive: true });
  const before = hashCheckout(p);
  const gone = await resumeRun(p, 'gone', { RUNNER_MAX_ITERATIONS: '9' });
  expect(gone).toMatchObject({ status: 'complete', iterations: { used: 2 } });
  expect(await filesOf(p, 'gone')).toContain('b.txt');
  expect(hashCheckout(p)).toBe(before);
  expect(await p.run('run', 'work', 'unknown')).toMatchObject({ code: 1 });
});

test('repositories that agents made are kept when the work tree goes, by hand or by finish', async () => {
  const p = await unstartedProject({ agent: shellAgent, tree, config: 'max_iterations = 1\n' });
  playAgent(
    p,
    `git init -q "lib-$RUNNER_NODE_ID"; cd "lib-$RUNNER_NODE_ID"; echo x > x.txt; git add x.txt
    git -c user.name=a -c user.email=a@a.invalid commit -q -m "inner $RUNNER_NODE_ID"; cd ..; answer done`,
  );
  await startRun(p, 'inner');
  const { worktree } = await waitForEnd(p, 'inner', 'limit');
  rmSync(worktree ?? '', { recursive: true });
  await resumeRun(p, 'inner', { RUNNER_MAX_ITERATIONS: '9' });
  const done = await p.run('finish', 'inner');
  expect(done, done.err).toMatchObject({ code: 0 });
  const kept = join(p.top, '.git', 'runner', 'kept', 'inner');
  expect(done.err).toContain(`what was moved aside in the work tree is kept in ${kept}`);
  expect(existsSync(worktree ?? '')).toBe(false);
  const subjects = ['nested/1/1-lib-a', 'nested-2/2/1-lib-b'].map((place) =>
    p.git('--git-dir', join(kept, place, '.git'), 'log', '--format=%s'),
  );
  expect(await Promise.all(subjects)).toEqual(['inner a', 'inner b']);

  const listed = await p.run('clean', '--dry-run');
  expect(listed.err).toContain('left for --rescue: 1 folder');
  expect(await p.run('clean', '--rescue')).toMatchObject({ code: 0 });
  expect(existsSync(kept)).toBe(false);
});

test.each([
  ['the work tree', { worktree: true, record: false }],
  ['the record', { worktree: false, record: true }],
  ['both', { worktree: true, record: true }],
])('killed, and then %s deleted by hand: the list tells it, and abandon ends it', async (_, gone) => {
  const p = await unstartedProject({ agent: shellAgent, tree });
  playAgent(
    p,
    'if test "$RUNNER_NODE_ID" = b; then : > "$HOME/at-b"; sleep 600; fi; echo a > a.txt; answer done',
  );
  const before = hashCheckout(p);
  await startRun(p, 'lost');
  await waitUntil('the second session', () => existsSync(join(p.home, 'at-b')));
  const { owner, worktree } = recordOf(p, 'lost');
  process.kill(owner?.pid ?? 0, 'SIGKILL');
  if (gone.worktree) rmSync(worktree ?? '', { recursive: true });
  if (gone.record) rmSync(join(p.top, '.git', 'runner', 'runs', 'lost.json'));
  const listed = await p.run('run', 'list');
  expect(listed.out).toMatch(
    gone.record ? /id=lost state=open / : /id=lost state=open status=failed\(crashed\) /u,
  );
  expect(listed.out).toContain('passed=1/2');
  const ended = await p.run('abandon', 'lost');
  expect(ended, ended.err).toMatchObject({ code: 0 });
  expect(await p.git('show', 'refs/runner/archive/lost:a.txt')).toBe('a');
  expect(await p.git('branch', '--list', 'runner/*')).toBe('');
  expect(await p.git('worktree', 'list')).not.toContain('lost');
  expect(existsSync(worktree ?? '')).toBe(false);
  expect(hashCheckout(p)).toBe(before);
  await expectNoProcesses(p);
});

test('what cannot be run is refused clearly, and leaves nothing', async () => {
  const p = await unstartedProject({
    goal: '# Goal\n\nDescribe here what the project should do when it is finished: what exists, how it behaves, how to see that it works.\n',
  });
  expect(await p.run('run', 'start')).toMatchObject({
    code: 1,
    err: expect.stringContaining('GOAL_PLACEHOLDER') as string,
  });
  await p.git('config', 'core.sparseCheckout', 'true');
  const sparse = await p.run('run', 'start', '--goal', '-');
  expect(sparse.err).toContain('sparse checkout is not supported');
  await p.git('config', '--unset', 'core.sparseCheckout');
  p.put('.runner/GOAL.md', '# Search\n\nFind things.\n');
  await p.git('branch', 'runner/search-1');
  const taken = await p.run('run', 'start', '--name', 'search-1');
  expect(taken).toMatchObject({
    code: 64,
    err: expect.stringContaining('hint: runner run start --name search-2') as string,
  });
  // It could only fail, when nobody looks any more.
  const noAgent = { RUNNER_AGENT_NAME: 'claude', RUNNER_AGENT_BIN: 'no-claude' };
  const noReviewer = { RUNNER_REVIEW_AGENT: 'claude', RUNNER_REVIEW_BIN: '/no/claude' };
  for (const env of [noAgent, noReviewer]) {
    const missing = await p.runWith(env, 'run', 'start');
    expect(missing).toMatchObject({ code: 1, out: '' });
    expect(missing.err).toMatch(
      /claude' of the agent 'claude' was not found \[AGENT_MISSING\]\nhint: npm i/u,
    );
  }
  expect(await p.git('worktree', 'list')).not.toContain('search');
  expect(existsSync(join(p.top, '.git', 'runner', 'runs'))).toBe(false);
  // git makes the branch first, and fails with the files.
  p.put('.gitattributes', '*.txt filter=broken\n');
  p.put('some.txt', 'text\n');
  await p.commitAll('a filter that is not here');
  await p.git('config', 'filter.broken.clean', 'cat');
  await p.git('config', 'filter.broken.smudge', 'false');
  await p.git('config', 'filter.broken.required', 'true');
  expect(await p.run('run', 'start', '--name', 'half')).toMatchObject({ code: 1 });
  expect(await p.git('branch', '--list', 'runner/half')).toBe('');
  expect(await p.git('worktree', 'list')).not.toContain('half');
  await p.git('config', '--remove-section', 'filter.broken');
  await expectSoundRepository({ ...p, status: async () => '' });

  const empty = await bareProject({ make: ({ git }) => git('init', '-q', '-b', 'main') });
  await empty.git('checkout', '-q', '--orphan', 'nothing');
  await empty.run('init');
  empty.put('.runner/GOAL.md', '# Search\n');
  expect((await empty.run('run', 'start')).err).toContain('no commit yet');
});

test('a project in a folder with a submodule in a submodule, never committed: the work tree has all, and the end is told', async () => {
  const p = await bareProject({ prefix: 'app/' });
  const [inner, deep] = [join(p.base, 'inner'), join(p.base, 'deep')];
  const add = ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add'];
  const commit = [
    '-c',
    'user.name=t',
    '-c',
    'user.email=t@t.invalid',
    'commit',
    '-q',
    '--allow-empty',
    '-m',
    'x',
  ];
  for (const place of [deep, inner]) {
    await p.git('init', '-q', '-b', 'main', place);
    if (place === inner) await p.git('-C', inner, ...add, deep, 'deep');
    await p.git('-C', place, ...commit);
  }
  await p.git(...add, inner, 'sub');
  await p.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init', '--recursive');
  await p.git('commit', '-q', '-m', 'submodule');
  // Only what is here counts: the places they came from are gone.
  for (const place of [inner, deep]) rmSync(place, { recursive: true });
  expect(await p.run('init')).toMatchObject({ code: 0 });
  p.put('.runner/GOAL.md', '# Search: find things\n\nFast.\n');
  p.put(
    '.runner/state/config.toml',
    `[sandbox]\nkind = "none"\n[agent]\n${shellAgent}\n[guard]\ncommand = ["test", "-e", "../sub/deep/.git"]\ncheckout = "off"\n[notify]\ncommand = ["sh", "-c", "cat > \\"$HOME/told\\""]\n`,
  );
  playAgent(p, 'echo done > done.txt; answer done');
  const before = hashCheckout(p);
  const started = await p.run('run', 'start', '--json');
  const value = JSON.parse(started.out) as Record<string, unknown>;
  expectOutput('run-start', value);
  expect(value).toMatchObject({ run_id: 'search-find-things-1', title: 'Search: find things' });
  const { worktree } = await waitForEnd(p, 'search-find-things-1', 'complete');
  expect(await p.git('show', 'runner/search-find-things-1:app/done.txt')).toBe('done');
  expect(JSON.parse(readFileSync(join(p.home, 'told'), 'utf8'))).toMatchObject({ kind: 'complete' });
  expect(hashCheckout(p)).toBe(before);
  // Nothing in the submodule is new, so it goes with the work tree.
  const given = await p.run('abandon', 'search-find-things-1');
  expect(given, given.err).toMatchObject({ code: 0 });
  expect(existsSync(worktree ?? '')).toBe(false);
});

test.skipIf(!hasPseudoTerminal)('a terminal asks for the name, with the proposal filled in', async () => {
  const p = await unstartedProject({ goal: '# Search\n', agent: shellAgent });
  playAgent(p, 'echo done > done.txt; answer done');
  const command = `'${process.execPath}' '${entryFile}' run start --wait`;
  const env = { ...p.env, TERM: 'xterm', SHELL: '/bin/sh' };
  const place = { cwd: p.dir, env, extendEnv: false, reject: false } as const;
  const asked = await execa('script', ['-qec', command, '/dev/null'], { ...place, input: '-x\r' });
  expect(asked.stdout).toMatch(/branch: runner\/.*search-1-x/);
  expect(recordOf(p, 'search-1-x').status).toBe('complete');
});

test('a goal that a run has already is named and needs --new, from the first moment on', async () => {
  const p = await unstartedProject({ agent: shellAgent, guard: shellGuard });
  playGuard(p, `echo $$ > "$HOME/at-work"; ${shellWait}`);
  playAgent(p, 'echo work > work.txt; answer done');
  await startRun(p, 'one');
  // Its baseline comes before its first commit.
  await waitUntil('the guard', () => existsSync(join(p.home, 'at-work')));
  const hint = (ran: Awaited<ReturnType<typeof p.run>>) => /hint: (.*)/u.exec(ran.err)?.[1];
  const again = await p.run('run', 'start', '--no-input');
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining('[RUN_UNFINISHED]') as string });
  expect(hint(again)).toContain('runner run attach one, or leave');
  writeFileSync(join(p.home, 'go'), '');
  await waitForEnd(p, 'one', 'complete');
  const done = await p.run('run', 'start', '--no-input');
  expect(done).toMatchObject({ code: 1, err: expect.stringContaining('[RUN_COMPLETE]') as string });
  expect(hint(done)).toBe('runner finish one, or do the goal once more: runner run start --new');
  expect(await p.git('branch', '--list', 'runner/*')).not.toContain('goal');
  await startRun(p, 'two');
  await waitForEnd(p, 'two', 'complete');
});

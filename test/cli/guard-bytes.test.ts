/** The guard's verdict and the bytes it is about (§1.2, §5): what is committed as passed is exactly what was checked. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { project } from '../support/project.ts';
import { recorded } from '../support/record.ts';
import { isAlive, pidsIn, playAgent, playGuard, shellAgent, shellGuard } from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';

test('past its time, not started, changing files for ever, formatting once; the loop effect of each', async () => {
  const p = await project({
    agent: shellAgent,
    config: `[guard]\ntimeout_secs = 60\ncommand = ${JSON.stringify(shellGuard)}\n`,
    tree: node('root', { max_attempts: 9, children: [] }),
    files: { '.gitignore': '*.tmp\n' },
  });
  playAgent(p, 'echo "work $RUNNER_ITER" >> work.txt; answer done "summary $RUNNER_ITER"');

  playGuard(p, 'echo slow check; sleep 300 & echo $! >> "$HOME/pids"; wait');
  expect((await p.runWith({ RUNNER_GUARD_TIMEOUT_SECS: '1' }, 'step')).out).toContain(
    'status=done guard=fail',
  );
  const late = await recorded(p, 1);
  expect(late).toMatchObject({ attempts: 1, errorLog: '' });
  expect(late.last).toEqual({
    iter: 1,
    summary: 'summary 1',
    error: null,
    guard_output: 'the guard took longer than 1 s (guard.timeout_secs)\n\nslow check',
  });
  expect(pidsIn(join(p.home, 'pids')).filter(isAlive)).toEqual([]);

  writeFileSync(join(p.home, 'odd-guard'), '#!/no/such/interpreter\n', { mode: 0o755 });
  const odd = await p.runWith({ RUNNER_GUARD_COMMAND: JSON.stringify([join(p.home, 'odd-guard')]) }, 'loop');
  expect(odd, odd.err).toMatchObject({ code: 1 });
  expect(odd.err).toMatch(/the guard could not be started: .*\[GUARD_NOT_STARTED\]\nhint: .*guard\.command/u);
  const notStarted = await recorded(p, 2);
  expect(notStarted).toMatchObject({
    status: 'retry',
    guard: 'skipped',
    attempts: 1,
    last: late.last,
    tree: late.tree,
  });
  expect(notStarted.errorLog).toContain('runner_error.log: the guard could not be started');
  expect(await notStarted.file('work.txt')).toBe('work 1\nwork 2');

  playGuard(p, 'echo run; echo x >> grows.txt; echo y >> "other name"; echo z > cache.tmp');
  await p.run('step');
  const growing = await recorded(p, 3);
  expect(growing).toMatchObject({ status: 'done', guard: 'fail', attempts: 2 });
  expect(growing.last?.guard_output).toBe('the guard keeps changing files: grows.txt, other name\n\nrun');
  expect(await growing.file('grows.txt'), 'run once more, then given up').toBe('x\nx');
  expect(growing.meta.exit_codes.guard).toBe(0);

  playGuard(
    p,
    'echo count >> "$HOME/runs"; tr a-z A-Z < work.txt > up.tmp; cat up.tmp > work.txt; test -s work.txt',
  );
  expect(await p.run('step')).toMatchObject({
    code: 0,
    out: 'step: run=test iter=4 node=root status=done guard=pass',
  });
  const formatted = await recorded(p, 4);
  expect(await formatted.file('work.txt'), 'the bytes the second run saw').toBe(
    'WORK 1\nWORK 2\nWORK 3\nWORK 4',
  );
  expect(p.read('../home/runs')).toBe('count\ncount\n');
  expect(formatted.trailers).toEqual([
    'Run: test',
    'Title: root title',
    expect.stringMatching(/^Baseline: [0-9a-f]{40}$/u),
    'Outcome: pass',
    'Agent: command',
    'Mode: execute',
    expect.stringMatching(/^Prompt-SHA256: [0-9a-f]{64}$/u),
    expect.stringMatching(/^Answer-SHA256: [0-9a-f]{64}$/u),
    expect.stringMatching(/^Tree-Before-SHA256: [0-9a-f]{64}$/u),
    expect.stringMatching(/^Tree-After-SHA256: [0-9a-f]{64}$/u),
    expect.stringMatching(/^Guard-Command: sh -c /u),
    'Guard-Exit: 0',
    expect.stringMatching(/^Guard-Log-SHA256: [0-9a-f]{64}$/u),
    'Rings: sandbox=none settings=on checkout=off',
    expect.stringMatching(/^Work: [0-9a-f]{40}$/u),
    'Changed-Files: 1',
  ]);
  expect(await p.status()).toBe('');
});

test('a guard killed by a signal fails; marks for changed ignore rules and changed guard files; the agent’s tree stays', async () => {
  const p = await project({
    agent: shellAgent,
    config: `[guard]\ncommand = ["sh", "./check.sh"]\npolicy = "open"\n`,
    files: { 'check.sh': 'exit 1\n', justfile: 'ci:\n' },
    tree: node('root', { children: [node('a'), node('b', { order: 1 })] }),
  });
  playAgent(
    p,
    `case $RUNNER_ITER in
    1) echo 'kill -9 $$' > check.sh; sed -i 's/b title/better title/' .runner/state/tree.json ;;
    2) echo 'exit 0' > check.sh; echo '*.log' > .gitignore; echo '# more' >> justfile ;;
    3) mkdir -p sub; echo 'x' > sub/.gitignore ;;
    esac; answer done`,
  );
  const ran = await p.run('loop');
  expect(ran.code, ran.err).toBe(0);
  const killed = await recorded(p, 1);
  expect(killed).toMatchObject({ status: 'done', guard: 'fail', attempts: 1 });
  expect(killed.last?.guard_output).toBe('the guard ended with signal SIGKILL');
  expect(killed.tree, "the agent's tree, nothing passed").toMatchObject({
    passes: false,
    children: [{ passes: false }, { title: 'better title', passes: false }],
  });
  expect(killed.trailers).toContain('Mark: changed-guard-files');
  expect((await recorded(p, 2)).trailers.slice(-2)).toEqual([
    'Mark: changed-guard-files',
    'Mark: changed-ignore-rules',
  ]);
  expect((await recorded(p, 3)).trailers.slice(-1)).toEqual(['Mark: changed-ignore-rules']);
});

test('a guard that cleans away everything ignored, the log of the iteration too, is a guard like any other', async () => {
  const p = await project({
    agent: shellAgent,
    config: `[guard]\ncommand = ${JSON.stringify(shellGuard)}\n`,
    files: { '.gitignore': '*.tmp\n' },
  });
  playAgent(p, 'echo work > work.txt; echo x > cache.tmp; answer done made');
  // Again and again, so that it also happens while the runner looks after its log.
  playGuard(
    p,
    'for i in 1 2 3 4 5 6 7 8; do git clean -fdXq; done; echo clean; test ! -e .runner/iterations',
  );
  expect(await p.run('step')).toMatchObject({
    code: 0,
    out: expect.stringContaining('status=done guard=pass') as unknown,
  });
  const cleaned = await recorded(p, 1);
  expect(cleaned).toMatchObject({ status: 'done', guard: 'pass', meta: { exit_codes: { guard: 0 } } });
  expect(await cleaned.file('work.txt')).toBe('work');
  expect(p.read('.runner/iterations/test/1/guard.log')).toContain('clean');
  expect(await p.status()).toBe('');
});

test('attributes planted by a session: green, but a checkout would have other bytes', async () => {
  const p = await project({
    agent: shellAgent,
    config: `[guard]\ncheckout = "off"\ncommand = ${JSON.stringify(shellGuard)}\n`,
    files: { 'data.txt': 'one\n' },
    tree: node('root', { max_attempts: 9 }),
  });
  playGuard(p, 'printf "one\\n" | cmp - data.txt');
  playAgent(p, 'echo "data.txt eol=crlf" > .gitattributes; answer done planted');
  const ran = await p.run('step');
  expect(ran.out, ran.err).toContain('status=done guard=fail');
  const planted = await recorded(p, 1);
  expect(planted).toMatchObject({ attempts: 1, meta: { exit_codes: { guard: 0 } } });
  expect(planted.last?.guard_output).toBe(
    'the check is green, but with the changed .gitattributes a checkout of this work has other bytes than it saw: "data.txt"',
  );
  playAgent(p, 'echo "*.md text=auto" > .gitattributes; answer done honest');
  expect((await p.run('step')).out).toContain('guard=pass');
});

test('attributes of an iteration before: what a later one of the same node adds is compared, too', async () => {
  const p = await project({
    agent: shellAgent,
    config: `[guard]\ncheckout = "off"\ncommand = ${JSON.stringify(shellGuard)}\n`,
    tree: node('root', { max_attempts: 9 }),
  });
  playGuard(p, 'printf "one\\n" | cmp - data.txt');
  playAgent(p, 'echo "data.txt eol=crlf" > .gitattributes; answer retry planted');
  expect((await p.run('step')).out).toContain('status=retry');
  playAgent(p, 'echo one > data.txt; answer done');
  expect((await p.run('step')).out).toContain('status=done guard=fail');
  expect((await recorded(p, 2)).last?.guard_output).toContain('other bytes than it saw: "data.txt"');
});

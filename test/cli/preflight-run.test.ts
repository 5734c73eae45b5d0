/** What a run must be like before an iteration (§5.1): identity, config, tree, limits, programs; refusals change nothing. */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { placeName } from '../../src/adapters/files/state-home.ts';
import type { Project } from '../support/project.ts';
import { answer, bareProject, project, write } from '../support/project.ts';
import { pathOf, refused, typeHint } from '../support/refusals.ts';
import { waitUntil } from '../support/scratch.ts';
import { template } from '../support/template.ts';
import { node } from '../support/trees.ts';

const done = { actions: [write('a.txt', 'a\n')], answer: answer('done') };
const started = template(() => project({ script: [done] }));
const passed = { code: 0, out: 'step: run=test iter=1 node=root status=done guard=pass' };
const scripted = 'name = "scripted"\nscript = ".runner-script.json"';

async function setConfig(p: Project, text: string): Promise<void> {
  p.put('.runner/state/config.toml', text);
  await p.commitAll('config');
}

describe('run identity', () => {
  test('no run was started; the printed `runner start` goes on', async () => {
    const p = await bareProject();
    expect((await p.run('init', '--quiet')).code).toBe(0);
    p.put('.runner/GOAL.md', 'A goal.\n');
    p.put('.runner/state/config.toml', `[agent]\n${scripted}\n[guard]\ncommand = ["true"]\n`);
    p.put('.runner-script.json', JSON.stringify({ version: 1, steps: [done] }));
    await p.git('switch', '-q', '-c', 'feature');
    await p.commitAll();
    const found = await refused(p, ['step']);
    expect(found).toMatchObject({
      code: 'RUN_NOT_STARTED',
      message: 'no run has been started here',
      hint: 'runner start',
    });
    await typeHint(p, found.hint);
    expect((await p.run('step')).code).toBe(0);
  });

  test('the goal has no id, or another one', async () => {
    const p = await started();
    p.put('.runner/GOAL.md', '# Goal\n');
    await p.commitAll();
    expect(await refused(p, ['step'])).toMatchObject({
      code: 'RUN_ID_MISMATCH',
      message:
        "missing goal id: .runner/GOAL.md has none, but run_state.json has 'test' (run 'runner start')",
      hint: "restore 'id: test' in the front matter of .runner/GOAL.md and commit it, or leave run 'test' behind on its branch: runner start --new",
    });
    p.put('.runner/GOAL.md', '---\nid: other\n---\n# Goal\n');
    await p.commitAll();
    const mismatch = await refused(p, ['loop']);
    expect(mismatch).toMatchObject({
      code: 'RUN_ID_MISMATCH',
      message:
        "run id mismatch: run_state.json has 'test' but .runner/GOAL.md has 'other' (run 'runner start')",
      hint: "runner start (starts 'other'; to continue 'test', restore that id in .runner/GOAL.md)",
    });
    await typeHint(p, mismatch.hint.split(' (')[0] ?? '');
    expect(await p.git('branch', '--show-current')).toBe('runner/other');
    expect(await p.run('step')).toMatchObject({ code: 0 });
  });

  test('no .runner/ on the branch', async () => {
    const p = await started();
    await p.git('rm', '-rq', '.runner');
    await p.commitAll();
    const found = await refused(p, ['step']);
    expect(found).toMatchObject({
      code: 'LAYOUT_MISSING',
      message: `there is no ${join(p.dir, '.runner/GOAL.md')}`,
      hint: 'runner init',
    });
    await typeHint(p, found.hint);
    await p.commitAll();
    expect(await refused(p, ['step'])).toMatchObject({ code: 'RUN_NOT_STARTED', hint: 'runner start' });
  });
});

describe('configuration', () => {
  test('every problem at once, with lines and a suggestion', async () => {
    const p = await started();
    const lines = [
      'max_iterations = 0',
      'max_iteration = 3',
      'on_stuck = "skip"',
      '',
      '[agent]',
      'name = "gpt"',
    ];
    await setConfig(p, lines.join('\n'));
    const found = await refused(p, ['step']);
    expect(found).toMatchObject({
      code: 'CONFIG_INVALID',
      message: `the configuration has 4 problems (${join(p.dir, '.runner/state/config.toml')})`,
      hint: 'correct .runner/state/config.toml, then run: runner validate',
    });
    const file = join(p.dir, '.runner/state/config.toml');
    expect(found.details).toEqual([
      `${file}:6:1: agent.name: must be one of "codex", "claude", "opencode", "gemini", "qwen", "copilot", "pi", "droid", "command", "scripted", not "gpt"`,
      `${file}:2:1: max_iteration: unknown key; did you mean max_iterations?`,
      `${file}:1:1: max_iterations: must be a whole number from 1 to 1000000, not 0`,
      `${file}:3:1: on_stuck: must be one of "stop", "defer", "decompose", not "skip"`,
    ]);
  });

  test('a prompt budget below what is never cut; the printed size goes on', async () => {
    const p = await started();
    const text = p.read('.runner/state/config.toml');
    await setConfig(p, `prompt_budget_bytes = 1000\n${text}`);
    const found = await refused(p, ['step']);
    expect(found.code).toBe('CONFIG_INVALID');
    expect(found.message).toMatch(
      /^prompt_budget_bytes is 1000, but the parts of the prompt that are never cut need \d+ bytes$/,
    );
    const [, bytes = ''] = /^runner config set prompt_budget_bytes (\d+) /.exec(found.hint) ?? [];
    expect((await refused(p, ['step', '--prompt-budget', String(Number(bytes) - 1)])).hint).toBe(
      `runner loop --prompt-budget ${bytes}`,
    );
    await setConfig(p, `prompt_budget_bytes = ${bytes}\n${text}`);
    expect(await p.run('step')).toMatchObject(passed);
    expect(Buffer.byteLength(p.log(1, 'prompt.md'))).toBeLessThanOrEqual(Number(bytes));
  });
});

test('the tree is invalid: every violation, with its path', async () => {
  const p = await started();
  const children = [
    node('a', { attempts: 4 }),
    node('A'),
    node('b', { passes: true, children: [node('c')] }),
  ];
  p.put('.runner/state/tree.json', JSON.stringify(node('root', { children })));
  await p.commitAll();
  const found = await refused(p, ['step']);
  expect(found).toMatchObject({
    code: 'TREE_INVALID',
    message: `${join(p.dir, '.runner/state/tree.json')} is not a valid task tree: 3 violations`,
    hint: 'correct the file, then run: runner validate',
  });
  expect(found.details.map((line) => line.split(':')[0])).toEqual(['root/a', 'root/a', 'root/b']);
});

describe('limits', () => {
  test('max_iterations, for step and loop; a raised limit goes on', async () => {
    const p = await started();
    const text = p.read('.runner/state/config.toml');
    const state = { ...p.runState(), next_iter: 4 };
    p.put('.runner/state/run_state.json', `${JSON.stringify(state, null, 2)}\n`);
    await setConfig(p, `max_iterations = 3\n${text}`);
    const found = await refused(p, ['step']);
    expect(found).toMatchObject({
      code: 'ITERATION_LIMIT',
      message: 'the run has used its iterations (3 of 3)',
      hint: 'runner config set max_iterations 6, then: runner loop',
    });
    const loop = await p.run('loop');
    expect(loop).toMatchObject({
      code: 1,
      out: 'loop: status=limit run=test next_iter=4 max_iterations=3 steps=0 started_at_iter=4',
      err: found.ran.err,
    });
    await setConfig(p, `max_iterations = 4\n${text}`);
    expect(await p.run('loop')).toMatchObject({ code: 0 });
  });

  test('limits.max_run_secs', async () => {
    const p = await started();
    const state = { ...p.runState(), totals: { tokens: null, cost_usd: null, seconds: 60 } };
    p.put('.runner/state/run_state.json', `${JSON.stringify(state, null, 2)}\n`);
    await setConfig(p, `${p.read('.runner/state/config.toml')}[limits]\nmax_run_secs = 60\n`);
    const found = await refused(p, ['step']);
    expect(found).toMatchObject({
      code: 'RUN_TIME_LIMIT',
      message: 'the run has used its time (seconds=60, limits.max_run_secs=60)',
      hint: 'runner config set limits.max_run_secs 120, then: runner loop',
    });
    expect(await p.run('loop')).toMatchObject({
      code: 1,
      out: 'loop: status=limit run=test seconds=60 max_run_secs=60 steps=0 started_at_iter=1',
    });
  });
});

describe('programs', () => {
  test.each([
    ['codex', 'codex', 'npm install -g @openai/codex, then: codex login'],
    ['claude', 'claude', 'npm install -g @anthropic-ai/claude-code, then start claude once and log in'],
    [
      'command',
      './no-agent',
      'set agent.command in .runner/state/config.toml to a program that exists and commit it',
    ],
  ])('the agent %s is not installed', async (name, program, hint) => {
    const p = await started();
    const command = name === 'command' ? 'command = ["./no-agent"]' : '';
    await setConfig(p, `[agent]\nname = "${name}"\n${command}\n[guard]\ncommand = ["true"]\n`);
    expect(await refused(p, ['step'], { PATH: pathOf(p, ['git']) })).toMatchObject({
      code: 'AGENT_MISSING',
      message: `the program '${program}' of the agent '${name}' was not found`,
      hint,
    });
  });

  test('the guard is not installed; a file that is not executable is no program', async () => {
    const p = await started();
    await setConfig(p, `[agent]\n${scripted}\n`);
    const env = { PATH: pathOf(p, ['git', 'env', 'sh', 'true']) };
    const own = 'set guard.command in .runner/state/config.toml to your own check and commit it';
    expect(await refused(p, ['step'], env)).toMatchObject({
      code: 'GUARD_MISSING',
      message: "the program 'just' of guard.command was not found",
      hint: `install just (npm install -g rust-just, or your package manager), or ${own}`,
    });
    p.put('check.sh', '#!/bin/sh\ntrue\n');
    await setConfig(p, `[agent]\n${scripted}\n[guard]\ncommand = ["./check.sh"]\n`);
    expect(await refused(p, ['step'], env)).toMatchObject({
      code: 'GUARD_MISSING',
      message: "the program './check.sh' of guard.command was not found",
      hint: own,
    });
    chmodSync(join(p.dir, 'check.sh'), 0o755);
    await p.commitAll();
    expect(await p.runWith(env, 'step')).toMatchObject(passed);
  });
});

test('a session may not drive its own runner, in no work tree of its repository', async () => {
  const p = await started();
  const inside = { RUNNER_RUN_ID: 'test', RUNNER_WORK_TREE: p.top };
  for (const command of ['step', 'loop', 'start', 'init']) {
    expect(await refused(p, [command], inside), command).toMatchObject({
      code: 'NESTED',
      message: 'this command runs inside a session of run test, in the same work tree',
      hint: 'run it outside the session; inside, only read-only commands work',
    });
  }
  expect((await refused(p, ['step'], { RUNNER_RUN_ID: 'test' })).code).toBe('NESTED');
  expect(await p.runWith(inside, 'validate')).toMatchObject({ code: 0 });
  expect(await p.runWith(inside, 'select')).toMatchObject({ code: 0 });
  await p.git('worktree', 'add', '-q', '--detach', '../other', 'main');
  const linked = ['init', '--force', '-C', '../other'];
  const session = { ...inside, RUNNER_REPOSITORY: placeName(join(p.top, '.git')) };
  expect(await refused(p, linked, session)).toMatchObject({
    code: 'NESTED',
    message: 'this command runs inside a session of run test, in the same repository',
  });
  expect(await p.runWith({ ...session, RUNNER_REPOSITORY: 'another' }, ...linked)).toMatchObject({ code: 0 });
  const elsewhere = { RUNNER_RUN_ID: 'test', RUNNER_WORK_TREE: '/elsewhere', RUNNER_REPOSITORY: 'another' };
  expect(await p.runWith(elsewhere, 'step')).toMatchObject(passed);
});

test('a real session sees the refusal too', async () => {
  const agent = `#!/bin/sh
runner step >step.out 2>&1; echo $? >>step.out
runner select >select.out 2>&1
echo '{"status":"done","summary":"s","children":null}' >"$RUNNER_OUTPUT"
`;
  const p = await project({
    agent: 'name = "command"\ncommand = ["./agent.sh"]',
    files: { 'agent.sh': agent },
  });
  chmodSync(join(p.dir, 'agent.sh'), 0o755);
  await p.commitAll();
  await typeHint(p, 'runner step');
  expect(p.read('step.out')).toMatch(
    /^(?:step: .*\n)error: this command runs inside a session of run test.*\[NESTED\]\n.*\n1\n$/s,
  );
  expect(p.read('select.out')).toBe('select: status=open id=root path=root attempts=0/3\n');
});

test('a second runner is refused with pid, start and command of the first', async () => {
  const p = await started();
  mkdirSync(join(p.base, 'sync'));
  const guard = join(p.base, 'guard.sh');
  writeFileSync(
    guard,
    `#!/bin/sh\ntouch ${p.base}/sync/in\nwhile [ ! -e ${p.base}/sync/out ]; do sleep 0.05; done\n`,
  );
  chmodSync(guard, 0o755);
  await setConfig(p, `[agent]\n${scripted}\n[guard]\ncommand = ["${guard}"]\n`);
  const first = p.start(['loop']);
  await waitUntil('the guard runs', () => existsSync(join(p.base, 'sync/in')));
  for (const command of ['step', 'loop', 'start', 'init']) {
    const second = await p.run(command);
    expect(second.code, second.err).toBe(1);
    expect(second.err).toMatch(
      new RegExp(
        `^error: another runner works here: pid ${first.pid}, started \\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z, command: runner loop \\[LOCKED\\]\nhint: wait until it is done, or let it stop after its iteration: runner pause --wait$`,
      ),
    );
  }
  expect((await p.run('validate')).code).toBe(0);
  expect((await p.run('select')).code).toBe(0);
  writeFileSync(join(p.base, 'sync/out'), '');
  expect((await first).exitCode).toBe(0);
});

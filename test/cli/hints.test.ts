/** Hints lead on: what they name is done, and helps. */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answer, bareProject, project, unstartedProject } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { playAgent, playGuard, shellAgent, shellGuard } from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';

const script = [
  { actions: [], answer: answer('retry') },
  { actions: [], answer: answer('retry') },
];

/** A run with one iteration behind it. */
async function begun(): Promise<Project> {
  const p = await project({ script, tree: node('root', { max_attempts: 9 }) });
  expect((await p.run('step')).code).toBe(0);
  return p;
}

describe('a file of .runner/ was deleted: start puts it back from the last commit', () => {
  test.each(['GOAL.md', 'state/config.toml', 'state/tree.json', 'state/run_state.json'])(
    '%s',
    async (name) => {
      const p = await begun();
      const before = { text: p.read(`.runner/${name}`), subjects: await p.subjects() };
      rmSync(join(p.dir, '.runner', name));
      const checked = await p.run('validate');
      expect(checked.code).toBe(1);
      expect(checked.err).toMatch(/hint: runner start/);
      const { code, err } = await p.run('start');
      expect(code, err).toBe(0);
      expect(err).toContain(`.runner/${name} was missing and was put back from the last commit`);
      expect(p.read(`.runner/${name}`)).toBe(before.text);
      expect(await p.subjects()).toEqual(before.subjects);
      expect(await p.status()).toBe('');
      expect((await p.run('step')).out).toContain('iter=2');
    },
  );

  test('commands that need the tree lead there; init makes no new one for a run', async () => {
    const p = await begun();
    rmSync(join(p.dir, '.runner/state/tree.json'));
    for (const command of ['select', 'status', 'tree', 'explain'])
      expect((await p.run(command)).err, command).toContain('hint: runner start');

    const made = await p.run('init');
    expect(made.code).toBe(1);
    expect(made.err).toContain("tree.json of run 'test' is missing");
    expect(made.err).toContain('hint: runner start');
    expect(existsSync(join(p.dir, '.runner/state/tree.json'))).toBe(false);
  });

  test('before the first commit init completes what is missing, and leaves the rest', async () => {
    const p = await bareProject();
    expect((await p.run('init')).code).toBe(0);
    p.put('.runner/GOAL.md', '---\nid: own\n---\nMine.\n');
    rmSync(join(p.dir, '.runner/state/tree.json'));
    rmSync(join(p.dir, '.runner/state/config.toml'));
    const { code, err } = await p.run('init');
    expect(code, err).toBe(0);
    expect(p.read('.runner/GOAL.md')).toBe('---\nid: own\n---\nMine.\n');
    expect((await p.run('validate')).code).toBe(0);
  });
});

describe('a setting that a flag or a variable decides', () => {
  test.each([
    [['loop', '--max-iterations', '1'], {}, 'runner loop --max-iterations 3'],
    [['loop'], { RUNNER_MAX_ITERATIONS: '1' }, 'set RUNNER_MAX_ITERATIONS to at least 3'],
    [['step', '--prompt-budget', '1000'], {}, 'runner loop --prompt-budget '],
  ])('%j with %j', async (args, env: Readonly<Record<string, string>>, hint) => {
    const p = await begun();
    // Two iterations are used: the least that helps is three, whatever the limit was.
    expect((await p.run('step')).code).toBe(0);
    const { code, err } = await p.runWith(env, ...args);
    expect(code).toBe(1);
    expect(err).toContain(`hint: ${hint}`);
    expect(err).not.toContain('config set');
  });

  test('the closing words of a loop say the same', async () => {
    const p = await project({ script, tree: node('root', { max_attempts: 9 }) });
    const { err } = await p.run('loop', '--max-iterations', '1');
    expect(err).toMatch(/next +runner loop --max-iterations 2/);
  });
});

test('explain does not say that step would begin when the prompt does not fit', async () => {
  const p = await begun();
  expect((await p.run('config', 'set', 'prompt_budget_bytes', '1000')).code).toBe(0);
  const explained = JSON.parse((await p.run('explain', '--json')).out) as { now: unknown };
  expect(explained.now).toMatchObject({ status: 'refused', error: { code: 'CONFIG_INVALID' } });
  const root = JSON.parse((await p.run('explain', 'root', '--json')).out) as { now: unknown };
  expect(root.now).toEqual(explained.now);
});

test('init --force tells the guard that is in force, and the tree it replaced is no run', async () => {
  const p = await unstartedProject({ guard: ['sh', '-c', 'true'] });
  const made = await p.run('init', '--force', '--json');
  expect(JSON.parse(made.out)).toMatchObject({ guard_command: ['sh', '-c', 'true'], warning: null });
  expect(existsSync(join(p.dir, '.runner/iterations/replaced-tree-1.json'))).toBe(true);
  expect((await p.run('log', '--run', 'nope')).err).not.toContain('replaced');
});

test('a folder in the place of a file that is to be written is never to be removed', async () => {
  const p = await begun();
  const taken = await p.run('export', '--html', '.');
  expect(taken.code).toBe(1);
  expect(taken.err).toContain('is a folder, and a file is to be written');
  expect(taken.err).not.toContain('rm ');
  const missing = await p.run('export', '--html', 'no/page.html');
  expect(missing.err).toContain(`hint: mkdir -p ${join(p.dir, 'no')}`);
});

test('no folder for what is thrown away', async () => {
  const p = await begun();
  for (const args of [['demo'], ['doctor', '--run-guard']]) {
    const { code, err } = await p.runWith({ TMPDIR: '/nonexistent' }, ...args);
    expect(code, args.join(' ')).toBe(1);
    expect(err, args.join(' ')).toContain('[DISK]\nhint: set TMPDIR');
  }
});

test('before a run there is no iteration to show', async () => {
  const p = await unstartedProject();
  expect((await p.run('log')).code).toBe(0);
  for (const args of [['9'], ['3', '--guard'], ['--node', 'root']]) {
    const { code, err } = await p.run('log', ...args);
    expect(code, args.join(' ')).toBe(1);
    expect(err, args.join(' ')).toContain('[LOG_MISSING]\nhint: runner start');
  }
});

test('in a sub-folder every command leads to the project above', async () => {
  const p = await begun();
  mkdirSync(join(p.dir, 'sub'));
  for (const command of ['validate', 'select', 'explain', 'status', 'step']) {
    const { err } = await p.run('-C', 'sub', command);
    expect(err, command).toContain(`hint: cd ${p.dir}, or for a project of its own: runner init`);
  }
});

test('after a crash and on another branch, the hint brings the work back with it', async () => {
  const p = await project({ agent: shellAgent, guard: shellGuard });
  playGuard(p, 'exit 0');
  playAgent(p, 'echo work > w.txt; kill -9 $PPID; sleep 60');
  await p.run('step');
  expect((await p.run('doctor')).out, 'its work is not in the way').not.toContain('clean work tree');
  await p.git('switch', '-q', 'main');
  const { err } = await p.run('step');
  expect(err).toMatch(/hint: git switch runner\/test$/);
  await p.git('switch', '-q', 'runner/test');
  playAgent(p, 'answer retry');
  expect((await p.run('step')).code).toBe(0);
  expect(await p.git('show', 'HEAD:w.txt')).toBe('work');
});

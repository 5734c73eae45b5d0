/** `validate` (§10): all checks, read-only, with reasons; as a pre-commit hook it checks what is being committed. */
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import type { Project } from '../support/project.ts';
import { answer, entryFile, openProject, project, write } from '../support/project.ts';
import { fingerprint, pathOf, refused } from '../support/refusals.ts';
import { template } from '../support/template.ts';
import type { TreeNode } from '../../src/core/types.ts';
import { node } from '../support/trees.ts';

const started = template(() => project());
const lines = ['validate: layout=ok', 'validate: config=ok', 'validate: tree=ok'];

function said(run: string): string {
  return [...lines, `validate: run=${run}`].join('\n');
}

function treeText(attempts: number): string {
  return `${JSON.stringify(node('root', { attempts }), null, 2)}\n`;
}

describe('run identity', () => {
  test('--quiet says nothing when all is well', async () => {
    const p = await started();
    expect(await p.run('validate', '--quiet')).toMatchObject({ code: 0, out: '', err: '' });
    p.put('.runner/state/tree.json', '{');
    expect((await p.run('validate', '--quiet')).err).toContain('[TREE_INVALID]');
  });

  test('a script that is no script is found, also before the first iteration', async () => {
    const p = await project({ script: [{ answer: answer('done') }] });
    p.put('script.json', '{"version":1,"steps":[{"actions":[{"wriet":1}]}]}');
    const checked = await p.runWith({ RUNNER_AGENT_SCRIPT: 'script.json' }, 'validate');
    expect(checked).toMatchObject({ code: 1, out: '' });
    expect(checked.err).toMatch(
      /^error: script\.json is not a valid script of the scripted agent \[SCRIPT_INVALID\]/,
    );
    expect(checked.err).toMatch(
      /\n {2}\/steps\/0\/actions\/0: .*wriet.*\nhint: correct script\.json, then: runner validate$/,
    );
    await p.git('add', '-A');
    await p.git('commit', '-qm', 'script');
    const head = await p.git('rev-parse', 'HEAD');
    for (const command of ['loop', 'step']) {
      const ran = await p.runWith({ RUNNER_AGENT_SCRIPT: 'script.json' }, command);
      expect(ran.code).toBe(1);
      expect(ran.err).toContain('[SCRIPT_INVALID]');
    }
    expect(await p.git('rev-parse', 'HEAD')).toBe(head);
    const missing = await p.runWith({ RUNNER_AGENT_SCRIPT: 'none.json' }, 'validate');
    expect(missing.err).toContain('[AGENT_MISSING]');
  });

  test('started, inactive elsewhere, not started, without git; nothing changes', async () => {
    const p = await started();
    const before = fingerprint(p.top);
    expect(await p.run('validate')).toEqual({
      code: 0,
      signal: undefined,
      out: said('ok id=test branch=runner/test'),
      err: '',
    });
    expect(await p.runWith({ PATH: pathOf(p, []) }, 'validate')).toMatchObject({
      code: 0,
      out: said('inactive id=test branch=(none)'),
    });
    expect(fingerprint(p.top)).toEqual(before);
    await p.git('switch', '-q', '-c', 'feature');
    expect(await p.run('validate')).toMatchObject({ code: 0, out: said('inactive id=test branch=feature') });
    await p.git('switch', '-q', '--detach');
    expect(await p.run('validate')).toMatchObject({ code: 0, out: said('inactive id=test branch=(none)') });
    await p.git('switch', '-q', 'main');
    expect(await p.run('validate')).toMatchObject({ code: 0, out: said('not-started') });
    await p.git('merge', '-q', '--ff-only', 'runner/test');
    expect(await p.run('validate')).toMatchObject({ code: 0, out: said('inactive id=test branch=main') });
  });

  test('a mismatch on a run branch is an error with the command that helps', async () => {
    const p = await started();
    await p.git('switch', '-q', '-c', 'runner/other');
    expect(await refused(p, ['validate'])).toMatchObject({
      code: 'GIT_WRONG_BRANCH',
      message: "expected to be on 'runner/test' but on 'runner/other' (run 'runner start')",
      hint: 'git switch runner/test',
    });
    p.put('.runner/GOAL.md', '---\nid: other\n---\n');
    expect(await refused(p, ['validate'])).toMatchObject({
      code: 'RUN_ID_MISMATCH',
      message:
        "run id mismatch: run_state.json has 'test' but .runner/GOAL.md has 'other' (run 'runner start')",
    });
  });

  test('[trap: a fresh clone did not validate] without the local folders it is valid', async () => {
    const p = await started();
    const base = join(p.base, 'clone');
    mkdirSync(join(base, 'home'), { recursive: true });
    await p.git('clone', '-q', '--branch', 'runner/test', p.top, join(base, 'repo'));
    const clone = openProject({ base, prefix: '' });
    expect(await clone.run('validate')).toMatchObject({
      code: 0,
      out: said('ok id=test branch=runner/test'),
    });
    expect(await clone.status()).toBe('');
  });
});

describe('layout', () => {
  test('nothing there, a file there', async () => {
    const p = await started();
    rmSync(join(p.dir, '.runner'), { recursive: true });
    expect(await refused(p, ['validate'])).toMatchObject({
      code: 'LAYOUT_MISSING',
      message: 'there is no .runner/ here',
      hint: 'runner init',
    });
    p.put('.runner', 'x');
    expect(await refused(p, ['validate'])).toMatchObject({
      code: 'LAYOUT_MISSING',
      message: '.runner exists but is not a folder',
    });
  });

  test('every problem at once', async () => {
    const p = await started();
    const inside = (path: string): string => join(p.dir, '.runner', path);
    for (const path of ['state/schema.json', 'state/questions.md', 'GOAL.md']) rmSync(inside(path));
    mkdirSync(inside('GOAL.md'));
    symlinkSync('/etc/passwd', inside('nodes'));
    rmSync(inside('state/feedback.md'));
    symlinkSync('assumptions.md', inside('state/feedback.md'));
    writeFileSync(inside('.gitignore'), 'something\n');
    const found = await refused(p, ['validate']);
    expect(found).toMatchObject({
      code: 'LAYOUT_INVALID',
      message: expect.stringMatching(/^\.runner\/ is not complete: \d+ problems$/),
    });
    const text = found.details.join('\n');
    for (const part of [
      '.runner/nodes is a symbolic link',
      '.runner/state/feedback.md is a symbolic link',
      '.runner/state/schema.json is missing',
      '.runner/state/questions.md is missing',
      'GOAL.md is a folder, not a regular file',
      "context/'",
      "iterations/'",
    ])
      expect(text).toContain(part);
  });

  test('the printed command mends a missing file', async () => {
    const p = await started();
    rmSync(join(p.dir, '.runner/state/schema.json'));
    const found = await refused(p, ['validate']);
    expect(found.hint).toBe('runner start (or: git checkout -- .runner)');
    await p.git('checkout', '--', '.runner');
    expect((await p.run('validate')).code).toBe(0);
    rmSync(join(p.dir, '.runner/state/schema.json'));
    expect((await p.run('start')).code).toBe(0);
    expect((await p.run('validate')).code).toBe(0);
  });
});

describe('reasons', () => {
  test('[trap: validate hid the reason] config, tree, run state and goal are each told in full', async () => {
    const p = await started();
    const cases: readonly (readonly [string, string, string, string])[] = [
      [
        'state/config.toml',
        'max_iterations = 0\n[agent]\nmodl = "x"\n',
        'CONFIG_INVALID',
        'config.toml:3:1: agent.modl: unknown key; did you mean agent.model?',
      ],
      ['state/config.toml', 'a = \n', 'CONFIG_INVALID', 'config.toml:1:'],
      ['state/tree.json', treeText(9), 'TREE_INVALID', 'root: attempts'],
      ['state/run_state.json', '{\n  x', 'RUN_STATE_INVALID', 'run_state.json:2:3: '],
      ['state/tree.json', '{\n  x', 'TREE_INVALID', 'tree.json:2:3: '],
      ['state/run_state.json', '{"next_iter": 0}', 'RUN_STATE_INVALID', 'next_iter: '],
      ['GOAL.md', '---\nid: [\n---\n', 'GOAL_INVALID', '.runner/GOAL.md:'],
    ];
    for (const [path, text, code, part] of cases) {
      const kept = p.read(`.runner/${path}`);
      p.put(`.runner/${path}`, text);
      const found = await refused(p, ['validate']);
      expect(found.code, path).toBe(code);
      expect([found.message, ...found.details].join('\n'), path).toContain(part);
      p.put(`.runner/${path}`, kept);
    }
    expect((await p.run('validate')).code).toBe(0);
  });
});

describe('as a pre-commit hook', () => {
  const valid = treeText(0);
  async function commit(p: Project, ...args: readonly string[]) {
    return execa('git', ['commit', '-q', '-m', 'by a person', ...args], {
      cwd: p.top,
      env: p.env,
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
    });
  }
  function hook(p: Project): void {
    writeFileSync(
      join(p.top, '.git/hooks/pre-commit'),
      `#!/bin/sh\nexec '${process.execPath}' '${entryFile}' validate\n`,
    );
    chmodSync(join(p.top, '.git/hooks/pre-commit'), 0o755);
  }

  test('the staged tree counts, not only the one on disk', async () => {
    const p = await started();
    hook(p);
    p.put('.runner/state/tree.json', treeText(9));
    await p.git('add', '-A');
    p.put('.runner/state/tree.json', valid);
    const head = await p.git('rev-parse', 'HEAD');
    const refusedCommit = await commit(p);
    expect(refusedCommit.exitCode).toBe(1);
    expect(refusedCommit.stderr).toContain(
      'error: the staged .runner/state/tree.json is not a valid tree [TREE_INVALID]',
    );
    expect(refusedCommit.stderr).toContain('hint: correct the file, then: git add .runner/state/tree.json');
    expect(await p.git('rev-parse', 'HEAD')).toBe(head);
    await p.git('add', '.runner/state/tree.json');
    p.put('ok.txt', 'ok\n');
    await p.git('add', '-A');
    const passes = await commit(p);
    expect(passes.exitCode, passes.stderr).toBe(0);
  });

  test('what has passed is not changed by hand, unless a person means it', async () => {
    const made = node('root', { children: [node('a', { passes: true }), node('b', { order: 1 })] });
    const p = await project({ tree: made });
    hook(p);
    const stage = async (tree: TreeNode): Promise<void> => {
      p.put('.runner/state/tree.json', JSON.stringify(tree));
      await p.git('add', '-A');
    };
    await stage(
      node('root', {
        children: [node('a', { passes: true, goal: 'less' }), node('b', { order: 1, passes: true })],
        passes: true,
      }),
    );
    const refusedCommit = await commit(p);
    expect(refusedCommit.exitCode).toBe(1);
    expect(refusedCommit.stderr).toContain('[PASSED_EDITED]');
    expect(refusedCommit.stderr).toContain("  root/a: passed node 'a' changed: goal\n");
    expect(refusedCommit.stderr).toContain("  root/b: 'b' was set to passed by hand\n");
    expect((await p.run('validate', '--allow-passed-edits')).code).toBe(0);
    await p.git('restore', '--staged', '--worktree', '--', '.runner/state/tree.json');
    expect((await p.run('validate')).code).toBe(0);
    await stage(
      node('root', { children: [node('a', { passes: true }), node('b', { order: 1, goal: 'more' })] }),
    );
    expect((await commit(p)).exitCode, 'open nodes are people\u2019s').toBe(0);
  });

  test('the runner\u2019s own commits go through the same hook', async () => {
    const p = await project({
      script: [{ actions: [write('a.txt', 'a\n')], answer: answer('done') }],
      config: '[git]\nrun_hooks = true\n',
    });
    hook(p);
    const ran = await p.run('step');
    expect(ran.out, ran.err).toContain('status=done guard=pass');
    expect(ran.err).not.toContain('hook refused');
  });

  test('a partial commit is judged by its own index', async () => {
    const p = await started();
    hook(p);
    p.put('README.md', 'changed\n');
    p.put('.runner/state/tree.json', treeText(9));
    await p.git('add', '.runner/state/tree.json');
    p.put('.runner/state/tree.json', valid);
    const passes = await commit(p, 'README.md');
    expect(passes.exitCode, passes.stderr).toBe(0);
    p.put('README.md', 'changed again\n');
    const all = await commit(p, '-a');
    expect(all.exitCode, all.stderr).toBe(0);
  });

  test('in a sub-folder and in a linked work tree', async () => {
    const p = await project({ prefix: 'app/' });
    writeFileSync(
      join(p.top, '.git/hooks/pre-commit'),
      `#!/bin/sh\nexec '${process.execPath}' '${entryFile}' validate -C app\n`,
    );
    chmodSync(join(p.top, '.git/hooks/pre-commit'), 0o755);
    p.put('.runner/state/tree.json', treeText(9));
    await p.git('add', '-A');
    p.put('.runner/state/tree.json', valid);
    expect((await commit(p)).stderr).toContain('the staged .runner/state/tree.json is not a valid tree');
    await p.git('reset', '-q');
    await p.git('worktree', 'add', '-q', '../linked', '-b', 'linked');
    const linked = { ...p, top: join(p.base, 'linked') };
    writeFileSync(join(linked.top, 'app/.runner/state/tree.json'), treeText(9));
    expect((await commit(linked, '-a')).stderr).toContain('is not a valid task tree');
    writeFileSync(join(linked.top, 'app/.runner/state/tree.json'), treeText(1));
    const passes = await commit(linked, '-a');
    expect(passes.exitCode, passes.stderr).toBe(0);
  });
});

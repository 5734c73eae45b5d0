import { chmodSync, cpSync, existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundleAdapters } from '../../support/adapter-bundle.ts';
import { commitRequest, makeRepo, openTestRepo, settling, startTestRun } from '../../support/repo.ts';
import type { TestRepo } from '../../support/repo.ts';

const bundle = await bundleAdapters(['git/git']);
const branch = 'runner/r1';
const subject = 'chore(loop): run r1 iter 2 node root status=done guard=pass';

/** Every instant with RUNNER_CRASH_ALL, else some of them, always the last ones. */
function chooseHits(count: number): readonly number[] {
  const step = process.env['RUNNER_CRASH_ALL'] === undefined ? Math.ceil(count / 2) : 1;
  return Array.from({ length: count }, (_, at) => at + 1).filter((hit) => (count - hit) % step === 0);
}

interface Scenario {
  readonly template: TestRepo;
  readonly code: (repo: TestRepo) => string;
  readonly check: (repo: TestRepo) => void;
}

/**
 * A library's idle timer would keep each process for two seconds, so it ends itself. Kills the first process at each chosen instant, lets a second one finish,
 * and looks at what is there.
 */
function crashEverywhere({ template, code, check }: Scenario): void {
  const fresh = (name: string): TestRepo => {
    const dir = join(template.base, name);
    rmSync(dir, { recursive: true, force: true });
    cpSync(template.dir, dir, { recursive: true, verbatimSymlinks: true });
    return openTestRepo({ ...template, dir });
  };
  const log = join(template.base, 'failpoints');
  const whole = fresh('whole');
  expect(
    bundle.run({ code: `${code(whole)}\nprocess.exit();`, env: { RUNNER_FAILPOINT_LOG: log } }),
  ).toMatchObject({
    stderr: '',
    exitCode: 0,
  });
  check(whole);
  const names = readFileSync(log, 'utf8').trimEnd().split('\n');
  expect(names.length).toBeGreaterThan(10);
  for (const hit of chooseHits(names.length)) {
    const repo = fresh('crashed');
    const killed = bundle.run({
      code: `${code(repo)}\nprocess.exit();`,
      env: { RUNNER_FAILPOINT: String(hit) },
    });
    expect(killed.signal, `${hit}: ${names[hit - 1] ?? ''}`).toBe('SIGKILL');
    const second = bundle.run({ code: `${code(repo)}\nprocess.exit();` });
    expect(second, `after ${hit}: ${names[hit - 1] ?? ''}`).toMatchObject({ stderr: '', exitCode: 0 });
    check(repo);
  }
}

function open(repo: TestRepo): string {
  return `const git = adapters.gitAdapter(${JSON.stringify({ projectDir: repo.dir, env: repo.env })});\n`;
}

function expectNoLeftovers(repo: TestRepo): void {
  expect(repo.dirty()).toEqual([]);
  expect(repo.git('symbolic-ref', 'HEAD')).toBe(`refs/heads/${branch}`);
  expect(repo.git('fsck', '--no-dangling')).toBe('');
  for (const lock of ['index.lock', 'HEAD.lock', `refs/heads/${branch}.lock`])
    expect(existsSync(join(repo.dir, '.git', lock))).toBe(false);
}

test('settle and commit, killed anywhere: one commit with all the work, nothing lost', () => {
  const template = makeRepo();
  const baseline = startTestRun(template);
  template.write('work.txt', 'work\n');
  template.write('.runner/state/tree.json', 'decided\n');
  template.git('checkout', '--quiet', '--detach');
  template.git('add', 'work.txt');
  template.git('commit', '--quiet', '-m', 'detached');
  const detached = template.head();
  template.git('branch', '-D', branch);
  template.write('nested/inside.txt', 'inside\n');
  template.git('init', '--quiet', 'nested');
  template.write('.git/MERGE_HEAD', `${detached}\n`);
  template.write('.git/index.lock', '');
  const step = settling(baseline, 2);
  const files = { 'state/tree.json': 'decided\n' };
  const request = commitRequest(baseline, '', { message: `${subject}\n`, files });
  crashEverywhere({
    template,
    code: (repo) => `${open(repo)}
      const found = await git.findIteration({ ...${JSON.stringify(step)}, above: ${JSON.stringify(step)}.baseline });
      if (found === null) {
        const { head } = await git.settle(${JSON.stringify(step)});
        const work_tree = await git.workTreeId();
        await git.holdWork({ run_id: 'r1', workTree: work_tree });
        await git.commit({ ...${JSON.stringify(request)}, parent: head, work_tree });
      } else {
        await git.finishCommit({ branch: '${branch}', commit: found });
      }`,
    check: (repo) => {
      expectNoLeftovers(repo);
      expect(repo.git('log', '--format=%s', `${baseline}..HEAD`)).toBe(subject);
      expect(repo.git('show', 'HEAD:work.txt')).toBe('work');
      expect(repo.git('for-each-ref', 'refs/runner/hold')).toBe('');
      expect(repo.git('show', 'HEAD:nested/inside.txt')).toBe('inside');
      expect(repo.git('for-each-ref', '--format=%(objectname)', 'refs/runner/rescue')).toBe(detached);
      const kept = readdirSync(join(repo.dir, '.git/runner/nested/2'));
      const isKept = (name: string) => existsSync(join(repo.dir, '.git/runner/nested/2', name, '.git/HEAD'));
      expect(kept.filter(isKept)).toHaveLength(1);
    },
  });
});

test('finishStart, killed anywhere: the branch is made, HEAD and index are on it', () => {
  const template = makeRepo();
  template.write('.runner/GOAL.md', 'goal\n');
  const script = `${open(template)}
    console.log(await git.buildStartCommit({ parent: '${template.head()}', message: 'chore(loop): start run r1\\n' }));`;
  const commit = bundle.run({ code: script }).stdout.trim();
  crashEverywhere({
    template,
    code: (repo) => `${open(repo)} await git.finishStart({ branch: '${branch}', commit: '${commit}' });`,
    check: (repo) => {
      expectNoLeftovers(repo);
      expect(repo.head()).toBe(commit);
    },
  });
});

test('a commit whose hook adds a file, killed anywhere: never on the branch', () => {
  const template = makeRepo();
  const baseline = startTestRun(template);
  template.write(
    '.git/hooks/pre-commit',
    '#!/bin/sh\necho x > .git/added; cp .git/added added; git add added; rm added\n',
  );
  chmodSync(join(template.dir, '.git/hooks/pre-commit'), 0o755);
  template.write('work.txt', 'work\n');
  const request = `{ ...${JSON.stringify(commitRequest(baseline, '', { message: `${subject}\n` }))}, work_tree`;
  crashEverywhere({
    template,
    code: (repo) => `${open(repo)}
      const found = await git.findIteration({ run_id: 'r1', iter: 2, above: '${baseline}' });
      if (found === null) {
        const work_tree = await git.workTreeId();
        const result = await git.commit(${request}, run_hooks: true });
        if (result.kind !== 'hook_refused') throw new Error('the hook was let through');
        await git.commit(${request}, run_hooks: false });
      } else {
        await git.finishCommit({ branch: '${branch}', commit: found });
      }`,
    check: (repo) => {
      expectNoLeftovers(repo);
      expect(repo.git('log', '--format=%s', `${baseline}..HEAD`)).toBe(subject);
      expect(repo.git('ls-tree', '-r', '--name-only', 'HEAD')).not.toContain('added');
    },
  });
});

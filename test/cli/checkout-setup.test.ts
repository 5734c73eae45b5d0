/** `[automation] setup` (§14): what makes a fresh clone ready, what it may not do, and how it fails. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectNoTrace } from '../support/clones.ts';
import { answer, bareProject, project, write } from '../support/project.ts';
import type { Project } from '../support/project.ts';

const needsDeps = ['sh', '-c', 'cat deps/x'];

async function step(automation: string): Promise<Project & { readonly out: string }> {
  const p = await project({
    files: { '.gitignore': 'deps/\n' },
    config: `[guard]\ncommand = ${JSON.stringify(needsDeps)}\ncheckout = "every"\n\n[automation]\n${automation}\n`,
    script: [{ actions: [write('work.txt', 'w\n'), write('deps/x', 'x')], answer: answer('done') }],
  });
  const { out } = await p.run('step');
  await expectNoTrace(p);
  return { ...p, out };
}

function told(p: Project): string {
  return (JSON.parse(p.read('.runner/nodes/root/last.json')) as { guard_output: string }).guard_output;
}

test('what the guard needs is made in the clone, with the environment of the guard', async () => {
  const p = await step(
    `setup = ["mkdir -p deps && echo fetched > deps/x", "echo $RUNNER_RUN_ID in $(basename $PWD) >&2"]`,
  );
  expect(p.out).toContain('status=done guard=pass');
  expect(p.log(1, 'guard.clone.log')).toBe('fetched\n');
  expect(p.log(1, 'setup.log')).toContain('test in repo\n');
});

test('one that is missing is a red clone, and the files are named', async () => {
  const p = await step('setup = []');
  expect(p.out).toContain('status=done guard=fail');
  expect(told(p)).toContain('a fresh checkout lacks them: "deps/"');
  expect(existsSync(join(p.dir, '.runner/iterations/test/1/setup.log'))).toBe(false);
});

test('one that fails ends the check: red, with its output', async () => {
  const p = await step(`setup = ["echo 'error: no network'; exit 7", "mkdir deps; echo late > deps/x"]`);
  expect(p.out).toContain('status=done guard=fail');
  expect(told(p)).toMatch(
    /red in a fresh checkout: setup failed: "echo 'error: no network'; exit 7" ended with exit code 7/,
  );
  expect(told(p)).toMatch(/^error: no network$/m);
  expect(existsSync(join(p.dir, '.runner/iterations/test/1/guard.clone.log'))).toBe(false);
});

test('one that takes too long is ended', async () => {
  const p = await step(`setup = ["sleep 60"]\nsetup_timeout_secs = 1`);
  expect(told(p)).toContain('setup failed: "sleep 60" took longer than 1 s (automation.setup_timeout_secs)');
});

test('one that changes files of the commit is named: the guard must see the bytes that are committed', async () => {
  const p = await step(`setup = ["mkdir -p deps; echo x > deps/x; echo changed > work.txt"]`);
  expect(p.out).toContain('status=done guard=fail');
  expect(told(p)).toContain('setup changed files that git does not ignore: "work.txt"');
  expect(await p.git('show', 'HEAD:work.txt')).toBe('w');
});

test('init proposes what it finds and says why', async () => {
  const p = await bareProject({ files: { 'package-lock.json': '{}', 'go.sum': '' } });
  const ran = await p.run('init', '--json');
  expect(JSON.parse(ran.out)).toMatchObject({ setup: ['npm ci', 'go mod download'] });
  expect(ran.err).toContain(
    'setup of a fresh clone: npm ci (found package-lock.json); see automation.setup\n',
  );
  expect(p.read('.runner/state/config.toml')).toContain('\nsetup = ["npm ci", "go mod download"]\n');
  expect((await p.run('config', 'get', 'automation.setup')).out).toContain('npm ci');
});

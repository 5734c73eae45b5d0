/** §14: a pass needs the guard green with its own files as they were, too; honest changes move them, a person's commit does, retries do not. */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { project } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { recorded } from '../support/record.ts';
import { playAgent, shellAgent } from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';
import { repositoryRoot } from '../support/project.ts';

/** The real just is a program of a package here. */
const justPath = { PATH: `${join(repositoryRoot, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}` };

type Files = Readonly<Record<string, string>>;

interface Weakening {
  readonly command: readonly string[];
  readonly files: Files;
  /** Shell words of the session that weaken the guard. */
  readonly weaken: string;
  readonly paths: readonly string[];
}

function guarded(
  { command, files }: Pick<Weakening, 'command' | 'files'>,
  guard = '',
  tree = node('root', { max_attempts: 9 }),
): Promise<Project> {
  return project({
    agent: shellAgent,
    config: `[guard]\ncheckout = "off"\ncommand = ${JSON.stringify(command)}\n${guard}`,
    files: { 'value.txt': 'no\n', ...files },
    tree,
  });
}

const weakenings = {
  'a script': {
    command: ['sh', 'ci/check.sh'],
    files: { 'ci/check.sh': 'test "$(cat value.txt)" = yes\n' },
    weaken: 'echo true > ci/check.sh',
    paths: ['ci/check.sh'],
  },
  'a script that is run by a shell text': {
    command: ['sh', '-c', 'sh ./ci/check.sh'],
    files: { 'ci/check.sh': 'test "$(cat value.txt)" = yes\n' },
    weaken: 'echo true > ci/check.sh',
    paths: ['ci/check.sh'],
  },
  'a script of package.json': {
    command: ['npm', 'test'],
    files: {
      'package.json': '{"name": "x", "scripts": {"test": "npm run unit", "unit": "grep -q yes value.txt"}}\n',
    },
    weaken: `echo '{"name": "x", "scripts": {"test": "npm run unit", "unit": "true"}}' > package.json`,
    paths: ['package.json'],
  },
  'a Makefile': {
    command: ['make', '-s', 'check'],
    files: { Makefile: 'check:\n\tgrep -q yes value.txt\n' },
    weaken: String.raw`printf 'check:\n\ttrue\n' > Makefile`,
    paths: ['Makefile'],
  },
  'a Makefile that comes before the real one': {
    command: ['make', '-s', 'check'],
    files: { Makefile: 'check:\n\tgrep -q yes value.txt\n' },
    weaken: String.raw`printf 'check:\n\ttrue\n' > GNUmakefile`,
    paths: ['GNUmakefile'],
  },
  'a justfile': {
    command: ['just', 'ci'],
    files: { justfile: 'ci:\n  grep -q yes value.txt\n' },
    weaken: String.raw`printf 'ci:\n  true\n' > justfile`,
    paths: ['justfile'],
  },
  'a file that a justfile imports': {
    command: ['just', 'ci'],
    files: { justfile: `import 'ci/all.just'\n`, 'ci/all.just': 'ci:\n  grep -q yes value.txt\n' },
    weaken: String.raw`printf 'ci:\n  true\n' > ci/all.just`,
    paths: ['ci/all.just'],
  },
  'a justfile that no longer imports the check': {
    command: ['just', 'ci'],
    files: { justfile: `import 'ci/all.just'\n`, 'ci/all.just': 'ci:\n  grep -q yes value.txt\n' },
    weaken: String.raw`printf 'ci:\n  true\n' > justfile; rm ci/all.just`,
    paths: ['ci/all.just', 'justfile'],
  },
  'a file with the name of a target': {
    command: ['make', '-s', 'check'],
    files: { Makefile: 'check:\n\tgrep -q yes value.txt\n' },
    weaken: 'touch check',
    paths: ['check'],
  },
  'a file that a Makefile would include': {
    command: ['make', '-s', 'check'],
    files: { Makefile: '-include local.mk\n.PHONY: check\ncheck:\n\tgrep -q yes value.txt\n' },
    weaken: `echo 'SHELL := /bin/true' > local.mk`,
    paths: ['local.mk'],
  },
  'a file that a justfile would import': {
    command: ['just', 'ci'],
    files: { justfile: `import? 'local.just'\nci:\n  grep -q yes value.txt\n` },
    weaken: `echo 'set shell := ["true"]' > local.just`,
    paths: ['local.just'],
  },
  'settings of npm': {
    command: ['npm', 'test'],
    files: { 'package.json': '{"name": "x", "scripts": {"test": "grep -q yes value.txt"}}\n' },
    weaken: 'echo script-shell=/bin/true > .npmrc',
    paths: ['.npmrc'],
  },
  'a shell in node_modules': {
    command: ['npm', 'test'],
    files: { 'package.json': '{"name": "x", "scripts": {"test": "grep -q yes value.txt"}}\n' },
    weaken: `mkdir -p node_modules/.bin; echo '#!/bin/true' > node_modules/.bin/sh; chmod +x node_modules/.bin/sh`,
    paths: ['node_modules/.bin/sh'],
  },
  'a program in node_modules': {
    command: ['npm', 'test'],
    files: {
      '.gitignore': 'node_modules/\n',
      'package.json': '{"name": "x", "scripts": {"test": "grep -q yes value.txt"}}\n',
    },
    weaken: `mkdir -p node_modules/.bin; echo '#!/bin/true' > node_modules/.bin/grep; chmod +x node_modules/.bin/grep; rm .gitignore`,
    paths: ['node_modules/.bin/grep'],
  },
} satisfies Readonly<Record<string, Weakening>>;

/** The others differ in what they name, which the core's tests try; `npm run test:honest` takes all. */
const sample = [
  'a script of package.json',
  'a Makefile that comes before the real one',
  'a file that a justfile imports',
  'a file with the name of a target',
  'settings of npm',
];
const isAll = process.env['RUNNER_HOSTILE_ALL'] !== undefined;
const tried = Object.entries(weakenings).filter(([name]) => isAll || sample.includes(name));

describe.each(tried)('%s', (_name, weakening) => {
  test('weakened: the ratchet takes the pass, and the work is as the session left it', async () => {
    const p = await guarded(weakening);
    playAgent(p, `${weakening.weaken}; echo work > work.txt; answer done weakened`);
    const ran = await p.runWith(justPath, 'step');
    expect(ran.out, ran.err).toContain('status=done guard=fail');
    const work = await recorded(p, 1);
    const why = `the check is green, but red with the check's files as they were before: ${weakening.paths.join(', ')}`;
    expect(work.last?.guard_output).toContain(why);
    expect(work).toMatchObject({ attempts: 1, guard: 'fail' });
    expect(work.trailers).toContain('Mark: changed-guard-files');
    expect(await p.status(), 'what was laid over the work is gone again').toBe('');
    expect(p.log(1, 'guard.ratchet.log')).toBeDefined();

    playAgent(p, 'echo yes > value.txt; answer done "reached"');
    expect((await p.runWith(justPath, 'step')).out, 'a retry moved nothing').toContain('guard=pass');
    expect(p.runState().ratchet?.files.map(({ oid }) => oid)).not.toEqual(
      work.runState.ratchet?.files.map(({ oid }) => oid),
    );
  });
});

const settled = ['a Makefile that comes before the real one', 'a file that a justfile imports'] as const;

describe.each(isAll ? settled : settled.slice(0, 1))('%s', (name) => {
  const weakening = weakenings[name];

  test('weakened with policy "open": it passes with a mark', async () => {
    const p = await guarded(weakening, 'policy = "open"\n');
    playAgent(p, `${weakening.weaken}; answer done weakened`);
    const ran = await p.runWith(justPath, 'step');
    expect(ran.out, ran.err).toContain('status=done guard=pass');
    expect((await recorded(p, 1)).trailers).toContain('Mark: changed-guard-files');
  });

  test('weakened with policy "protect": it is put back', async () => {
    const p = await guarded(weakening, 'policy = "protect"\n');
    playAgent(p, `${weakening.weaken}; echo work > work.txt; answer done weakened`);
    const ran = await p.runWith(justPath, 'step');
    expect(ran.out, ran.err).toContain('status=done guard=fail');
    const work = await recorded(p, 1);
    expect(work.meta.notes).toEqual(weakening.paths.map((path) => `put back protected file ${path}`));
    expect(work.trailers).not.toContain('Mark: changed-guard-files');
    expect(await work.file('work.txt')).toBe('work');
  });
});

const check = weakenings['a script'];
const check2 = String.raw`printf 'test "$(cat value.txt)" = yes && test -f more.txt\n' > ci/check.sh`;
const leaves = node('root', {
  children: [node('a', { max_attempts: 9 }), node('b', { order: 1, max_attempts: 9 })],
});

test('a stricter check passes while the old one is green, and is the one that counts from then on', async () => {
  const p = await guarded(check, '', leaves);
  playAgent(p, `${check2}; echo yes > value.txt; touch more.txt; answer done stricter`);
  expect((await p.run('step')).out).toContain('guard=pass');
  const stricter = await recorded(p, 1);
  expect(stricter.trailers).toContain('Mark: changed-guard-files');
  const blob = await p.git('rev-parse', `${stricter.meta.commit}:ci/check.sh`);
  expect(stricter.runState.ratchet?.files).toEqual([
    { path: 'ci/check.sh', mode: '100644', oid: blob, scripts: null },
  ]);

  playAgent(
    p,
    `echo 'test "$(cat value.txt)" = yes' > ci/check.sh; rm more.txt; answer done "as it was first"`,
  );
  expect((await p.run('step')).out).toContain('guard=fail');
  expect(p.log(2, 'guard.ratchet.log')).toBe('');
});

test('what a person commits counts; what retries commit does not', async () => {
  const p = await guarded(check);
  playAgent(p, 'echo true > ci/check.sh; answer retry "weakened first"');
  await p.run('step');
  playAgent(p, 'echo more > more.txt; answer done "then done"');
  expect((await p.run('step')).out).toContain('guard=fail');
  expect(p.runState().ratchet?.files[0]?.oid).toBe(await p.git('rev-parse', 'main:ci/check.sh'));

  p.put('ci/check.sh', 'test -f more.txt\n');
  await p.commitAll('another check');
  expect((await p.run('step')).out, 'the new one is all that counts').toContain('guard=pass');
  expect((await recorded(p, 3)).trailers).not.toContain('Mark: changed-guard-files');
});

test('a person’s change counts also when the next iterations fail', async () => {
  const p = await guarded(check);
  playAgent(p, 'answer retry');
  await p.run('step');
  p.put('ci/check.sh', 'test -f more.txt\n');
  await p.commitAll('another check');
  await p.run('step');
  playAgent(p, `echo true > ci/check.sh; answer done weakened`);
  expect((await p.run('step')).out).toContain('guard=fail');
  playAgent(p, 'touch more.txt; answer done');
  expect((await p.run('step')).out).toContain('guard=pass');
});

test('first creation is free, and counts after the pass', async () => {
  const p = await guarded({ command: ['sh', 'new.sh'], files: {} }, '', leaves);
  playAgent(p, 'echo "exit 1" > new.sh; answer retry "a stub"');
  await p.run('step');
  expect(p.runState().ratchet?.files).toEqual([]);
  playAgent(p, 'echo "test -s new.sh" > new.sh; answer done "written"');
  expect((await p.run('step')).out).toContain('guard=pass');
  expect(p.runState().ratchet?.files).toHaveLength(1);
  playAgent(
    p,
    'echo "# weaker" > new.sh; echo "exit 0" >> new.sh; rm -f x; answer done "still green with the old one"',
  );
  expect((await p.run('step')).out).toContain('guard=pass');
});

test('a new file that changes nothing for the check passes with a mark; so does what make can make again', async () => {
  const Makefile = '-include local.mk\ncheck: app\n\tgrep -q yes app\napp: value.txt\n\tcp value.txt app\n';
  const p = await guarded({ command: ['make', '-s', 'check'], files: { Makefile } }, '', leaves);
  playAgent(p, 'echo yes > value.txt; echo NAME = x > local.mk; make -s app; answer done');
  const ran = await p.run('step');
  expect(ran.out, ran.err).toContain('guard=pass');
  const work = await recorded(p, 1);
  expect(work.trailers).toContain('Mark: changed-guard-files');
  expect(await work.file('app')).toBe('yes');
  expect(p.runState().ratchet?.files.map(({ path }) => path)).toContain('local.mk');
});

test('of package.json only the scripts the guard runs count', async () => {
  const p = await guarded(
    {
      command: ['npm', 'test', '--silent'],
      files: { 'package.json': '{"name": "x", "scripts": {"test": "sh -c true"}}\n' },
    },
    '',
    leaves,
  );
  playAgent(
    p,
    `echo '{"name": "x", "version": "2.0.0", "scripts": {"test": "sh -c true", "other": "x"}}' > package.json; answer done`,
  );
  expect((await p.run('step')).out).toContain('guard=pass');
  expect((await recorded(p, 1)).trailers).not.toContain('Mark: changed-guard-files');
  playAgent(
    p,
    `echo '{"name": "x", "scripts": {"test": "true", "pretest": "true"}}' > package.json; answer done`,
  );
  expect((await p.run('step')).out, 'both are green').toContain('guard=pass');
  expect((await recorded(p, 2)).trailers).toContain('Mark: changed-guard-files');
});

test('globs: matching files of the reference; with a new command the files of the moment count', async () => {
  const p = await guarded(
    {
      command: ['sh', '-c', 'for t in tests/*; do sh "$t" || exit 1; done'],
      files: { 'tests/a': 'grep -q yes value.txt\n' },
    },
    'protect = ["tests"]\n',
  );
  playAgent(p, 'rm tests/a; echo true > tests/b; answer done "other tests"');
  expect((await p.run('step')).out).toContain('guard=fail');
  expect((await recorded(p, 1)).last?.guard_output).toContain('as they were before: tests/a (');
  expect(p.runState().ratchet?.files.map(({ path }) => path)).toEqual(['tests/a']);

  await p.run('config', 'set', 'guard.protect', '["tests/b"]');
  playAgent(p, 'echo exit 0 > tests/b; echo x > x; answer done "b is changed"');
  const ran = await p.run('step');
  expect(ran.out, ran.err).toContain('guard=pass');
  expect(ran.err).toContain("the check's files changed (tests/b)");
});

test('what the guard makes in its second run is taken back and kept', async () => {
  const p = await guarded({
    command: ['sh', 'check.sh'],
    files: { 'check.sh': 'echo made > made.txt; echo changed > value.txt\n' },
  });
  playAgent(p, 'echo true > check.sh; answer done');
  expect((await p.run('step')).out).toContain('guard=pass');
  const work = await recorded(p, 1);
  expect(await work.file('made.txt')).toBe(null);
  expect(await work.file('value.txt')).toBe('no');
  const [, ref = ''] =
    /kept as (refs\/runner\/rescue\/\S+)\): made.txt, value.txt/u.exec(work.meta.notes.join()) ?? [];
  expect(await p.git('show', `${ref}:value.txt`)).toBe('changed');
});

test('out of time in the second run is a fail of its own', async () => {
  const p = await guarded({ command: ['sh', 'check.sh'], files: { 'check.sh': 'echo waits; sleep 300\n' } });
  playAgent(p, 'echo true > check.sh; answer done');
  const ran = await p.runWith({ RUNNER_ITERATION_TIMEOUT_SECS: '6' }, 'step');
  expect(ran.out, ran.err).toContain('status=done guard=fail');
  expect((await recorded(p, 1)).last?.guard_output).toMatch(
    /check\.sh \(out of time after \d+ s\)\n\nwaits$/u,
  );
});

test('in a project of a sub-folder a nearer justfile does not hide the real one', async () => {
  const p = await project({
    agent: shellAgent,
    prefix: 'apps/one/',
    config: '[guard]\ncheckout = "off"\ncommand = ["just", "ci"]\n',
    files: { '../../justfile': 'ci:\n  grep -q yes apps/one/value.txt\n', 'value.txt': 'no\n' },
  });
  playAgent(p, String.raw`printf 'ci:\n  true\n' > justfile; answer done`);
  const ran = await p.runWith(justPath, 'step');
  expect(ran.out, ran.err).toContain('guard=fail');
  expect((await recorded(p, 1)).last?.guard_output).toContain('as they were before: apps/one/justfile');
});

test('a check that is a program is laid over the work as one', async () => {
  const p = await guarded({
    command: ['./check.sh'],
    files: { 'check.sh': '#!/bin/sh\ngrep -q yes value.txt\n' },
  });
  chmodSync(join(p.dir, 'check.sh'), 0o755);
  await p.commitAll('a program');
  playAgent(p, String.raw`printf '#!/bin/sh\ntrue\n' > check.sh; answer done`);
  expect((await p.run('step')).out).toContain('guard=fail');
  expect(p.runState().ratchet?.files[0]?.mode).toBe('100755');
});

test('programs of the work tree stay in use and are named; a relative entry of PATH is left out for agent and guard', async () => {
  const p = await guarded({
    command: ['sh', '-c', 'venv-check && ! command -v planted'],
    files: { '.gitignore': '.venv/\n' },
  });
  for (const name of ['.venv/bin/venv-check', 'planted']) {
    p.put(name, '#!/bin/sh\n');
    chmodSync(join(p.dir, name), 0o755);
  }
  await p.commitAll('a program at the top');
  playAgent(p, '! command -v planted; venv-check; echo x > x; answer done');
  const PATH = `.:${join(p.dir, '.venv/bin')}:${process.env['PATH'] ?? ''}`;
  const ran = await p.runWith({ PATH }, 'step');
  expect(ran.out, ran.err).toContain('guard=pass');
  expect(ran.err).toContain('note: programs are taken from .venv/bin inside the work tree');
  expect(ran.err).toContain('note: left out of PATH, because it is not absolute: "."');
});

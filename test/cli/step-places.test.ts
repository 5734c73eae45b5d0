/** Projects that are not the plain top of a plain repository: sub-folder, linked work tree, submodule, odd names, ignore rules. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { project } from '../support/project.ts';
import { recorded } from '../support/record.ts';
import { playAgent, playGuard, shellAgent, shellGuard } from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';

test('a project in a sub-folder: agent and guard run there, cleanliness and commits cover the whole work tree', async () => {
  const p = await project({ prefix: 'apps/one/', agent: shellAgent, guard: shellGuard });
  playAgent(
    p,
    'echo in > in.txt; echo out > ../../out.txt; echo "max_iterations = 1" >> .runner/state/config.toml; answer done',
  );
  playGuard(p, 'pwd; test -f in.txt && test -f ../../out.txt');
  p.put('../two/dirty.txt', 'dirty\n');
  const dirty = await p.run('step');
  expect(dirty).toMatchObject({ code: 1 });
  expect(dirty.err).toContain('"apps/two/dirty.txt"');
  await p.commitAll();
  const ran = await p.run('step');
  expect(ran, ran.err).toMatchObject({
    code: 0,
    out: 'step: run=test iter=1 node=root status=done guard=pass',
  });
  expect(p.log(1, 'guard.log')).toBe(`${join(p.top, 'apps/one')}\n`);
  expect(p.log(1, 'prompt.md')).toContain('`apps/one/` inside the git repository');
  const record = await recorded(p, 1);
  expect(record.meta).toMatchObject({ changed_files: 2, notes: ['put back .runner/state/config.toml'] });
  expect(await p.git('show', 'HEAD:out.txt')).toBe('out');
  expect(await p.status()).toBe('');
});

test('an agent that removes the project folder of a sub-folder project does not stop the run', async () => {
  const p = await project({ prefix: 'apps/one/', agent: shellAgent });
  playAgent(p, 'answer retry; echo out > ../../out.txt; folder=$PWD; cd ..; rm -rf "$folder"');
  const ran = await p.run('step');
  expect(ran, ran.err).toMatchObject({
    code: 0,
    out: 'step: run=test iter=1 node=root status=retry guard=skipped',
  });
  expect(await p.status()).toBe('');
  expect(p.read('.runner/state/questions.md')).toContain('Questions');
  expect(await p.git('ls-files', 'apps/one/README.md', 'out.txt')).toBe('out.txt');
});

test('a linked work tree has its own lock, journal and answer, and the main one is left alone', async () => {
  const p = await project({ agent: shellAgent });
  await p.git('checkout', '-q', 'main');
  const linked = join(p.top, '../linked');
  await p.git('worktree', 'add', '-q', linked, 'runner/test');
  p.put('mine.txt', 'somebody works here\n');
  playAgent(p, 'echo "$RUNNER_OUTPUT" > where.txt; git checkout -q --detach; answer done');
  const ran = await p.run('step', '-C', linked);
  expect(ran, ran.err).toMatchObject({
    code: 0,
    out: 'step: run=test iter=1 node=root status=done guard=pass',
  });
  expect(await p.git('show', 'runner/test:where.txt')).toBe(
    join(p.top, '.git/worktrees/linked/runner/answer.json'),
  );
  expect(await p.git('-C', linked, 'symbolic-ref', 'HEAD')).toBe('refs/heads/runner/test');
  expect(await p.git('-C', linked, 'status', '--porcelain')).toBe('');
  expect(await p.git('symbolic-ref', 'HEAD')).toBe('refs/heads/main');
  expect(await p.status()).toBe('?? mine.txt');
});

test('a submodule: dirt in it does not stop a step, new dirt fails `done` by name, a commit in it is work', async () => {
  const p = await project({
    agent: shellAgent,
    tree: node('root', { children: [node('a'), node('b', { order: 1 })] }),
  });
  const library = join(p.top, '../library');
  mkdirSync(library);
  const inLibrary = (...args: readonly string[]) =>
    execa('git', args, { cwd: library, env: p.env, extendEnv: false });
  await inLibrary('init', '-q', '-b', 'main');
  await inLibrary(
    '-c',
    'user.name=L',
    '-c',
    'user.email=l@l.invalid',
    'commit',
    '-q',
    '--allow-empty',
    '-m',
    'lib',
  );
  await p.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', library, 'lib');
  await p.commitAll('add a submodule');
  playAgent(p, 'echo inside > lib/inside.txt; echo work > work.txt; answer done "all done"');
  expect((await p.run('step')).out).toBe('step: run=test iter=1 node=a status=done guard=fail');
  const failed = await recorded(p, 1);
  expect(failed.last?.guard_output).toBe('changes inside a submodule are in no commit: lib');
  expect(failed).toMatchObject({ attempts: 1 });
  expect(p.read('lib/inside.txt'), 'left where it is').toBe('inside\n');

  playAgent(p, 'echo more > more.txt; answer done');
  expect((await p.run('step')).out, 'it was dirty before this session').toContain(
    'node=a status=done guard=pass',
  );
  playAgent(
    p,
    `cd lib; git add -A; git -c user.name=A -c user.email=a@a.invalid commit -q -m inside; cd ..; answer done`,
  );
  expect((await p.run('step')).out).toBe('step: run=test iter=3 node=b status=done guard=pass');
  expect(await p.git('rev-parse', 'HEAD:lib')).toBe(await p.git('-C', 'lib', 'rev-parse', 'HEAD'));
  expect(await p.status()).toBe('');
});

const names = [
  'with space',
  'new\nline',
  'quo"te',
  "apo'strophe",
  'ünï',
  '-rf',
  '*.txt',
  'back\\slash',
  '.hidden',
  ':(glob)x',
  'tab\there',
];

test('odd file names, links, modes and bytes go through an iteration unchanged', async () => {
  const p = await project({
    agent: shellAgent,
    guard: shellGuard,
    tree: node('root', { children: [node('a'), node('b', { order: 1 })] }),
  });
  const quoted = names.map((name) => `'${name.replaceAll("'", String.raw`'\''`)}'`);
  playAgent(
    p,
    `mkdir -p odd; cd odd
    for name in ${quoted.join(' ')}; do printf '%s' "$name" > "./$name"; done
    printf 'invalid' > "$(printf 'in\\377valid')"
    ln -s nowhere link; printf 'x' > tool; chmod +x tool; printf 'a\\r\\nb' > crlf; printf '\\000\\001' > binary
    cd ..; answer done`,
  );
  playGuard(p, 'test -x odd/tool && test -L odd/link && ls odd | wc -l');
  const made = await p.run('step');
  expect(made, made.err).toMatchObject({
    code: 0,
    out: 'step: run=test iter=1 node=a status=done guard=pass',
  });
  const listed = await execa('git', ['ls-tree', '-r', '-z', 'HEAD', 'odd/'], {
    cwd: p.top,
    env: p.env,
    extendEnv: false,
    encoding: 'latin1',
  });
  const entries = listed.stdout.split('\0').filter((entry) => entry !== '');
  const expected = [...names, 'link', 'tool', 'crlf', 'binary'].map((name) =>
    Buffer.from(`odd/${name}`).toString('latin1'),
  );
  expect(entries.map((entry) => entry.slice(entry.indexOf('\t') + 1)).toSorted()).toEqual(
    [...expected, 'odd/in\u00ffvalid'].toSorted(),
  );
  expect(entries.filter((entry) => entry.startsWith('100755')).length).toBe(1);
  expect(entries.filter((entry) => entry.startsWith('120000')).length).toBe(1);
  expect(await p.git('cat-file', '-s', 'HEAD:odd/crlf')).toBe('4');
  expect(await p.status()).toBe('');
  expect((await recorded(p, 1)).meta.changed_files).toBe(entries.length);

  playAgent(p, 'rm -rf odd; echo gone > gone.txt; answer done');
  playGuard(p, 'test ! -e odd');
  const removed = await p.run('step');
  expect(removed, removed.err).toMatchObject({
    code: 0,
    out: 'step: run=test iter=2 node=b status=done guard=pass',
  });
  expect(await p.git('ls-tree', '-r', 'HEAD', 'odd/')).toBe('');
});

test("the project's own ignore rules cannot hide the runner's files, nor can a node called context", async () => {
  const p = await project({
    files: { '.gitignore': '.runner/\nlast.json\n*.tmp\n' },
    agent: shellAgent,
    tree: node('root', { children: [node('context'), node('iterations', { order: 1 })] }),
  });
  playAgent(p, 'echo "- asked" >> .runner/state/questions.md; echo x > x.tmp; answer retry "told"');
  const ran = await p.run('step');
  expect(ran, ran.err).toMatchObject({ code: 0 });
  const record = await recorded(p, 1);
  expect(record.last).toMatchObject({ summary: 'told' });
  expect(await record.file('.runner/state/questions.md')).toContain('- asked');
  expect(await record.file('x.tmp')).toBeNull();
  expect(await p.git('ls-tree', '-r', '--name-only', 'HEAD', '.runner/iterations', '.runner/context')).toBe(
    '',
  );
  expect((await p.run('step')).code).toBe(0);
  expect(p.log(2, 'prompt.md')).toContain('told');
});

/** What the guard does to files and git before a run begins (§11): put back and kept, and nothing of a person's is touched. */
import { existsSync, lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasOpenJournal } from '../support/open-journal.ts';
import type { Project, Ran } from '../support/project.ts';
import { unstartedProject } from '../support/project.ts';
import { fingerprint, typeHint } from '../support/refusals.ts';
import { isAlive, pidsIn, playGuard, shellGuard } from '../support/shell-agent.ts';
import { template } from '../support/template.ts';

const unstarted = template(() =>
  unstartedProject({
    guard: shellGuard,
    files: {
      '.gitignore': '.env\ncache/\n',
      'a.txt': 'a\n',
      'gone.txt': 'gone\n',
      'tool.sh': 'true\n',
      'src/b.txt': 'b\n',
    },
  }),
);

/** Every file outside git, the log and what `start` itself writes. */
function filesOf(p: Project): Record<string, string> {
  const written = /^\.git\/|^\.git$|^\.runner\/(?:iterations|context|state\/run_state\.json)/u;
  return Object.fromEntries(
    Object.entries(fingerprint(p.top)).filter(
      ([path]) => !written.test(path) && !lstatSync(join(p.top, path)).isDirectory(),
    ),
  );
}

async function startRun(p: Project, guard: string): Promise<Ran> {
  playGuard(p, guard);
  const ran = await p.run('start');
  expect(ran, ran.err).toMatchObject({ code: 0, out: 'started run=test branch=runner/test' });
  expect(await p.status()).toBe('');
  expect(await p.git('branch', '--show-current')).toBe('runner/test');
  expect(hasOpenJournal(p.top)).toBe(false);
  return ran;
}

async function rescued(p: Project, path: string, ref = 'refs/runner/rescue/test/0'): Promise<string | null> {
  return p.git('cat-file', 'blob', `${ref}:${path}`).catch(() => null);
}

/** The command of the warning that ends with one. */
function ignoreCommand(ran: Ran): string {
  return /^warning: the guard made .*; to ignore them: (.*)$/mu.exec(ran.err)?.[1] ?? '';
}

test('a guard that also prunes objects: everything is put back, and nothing stays held', async () => {
  const p = await unstarted();
  await startRun(p, 'echo changed > a.txt; git gc -q --prune=now');
  expect(p.read('a.txt')).toBe('a\n');
  expect(await p.git('for-each-ref', 'refs/runner/hold')).toBe('');
});

test('changed, removed, replaced and new files: as before, kept, named; ignored ones stay; the ignore line helps', async () => {
  const p = await unstarted();
  p.put('.env', 'secret\n');
  p.put('cache/mine', 'mine\n');
  const before = filesOf(p);
  const guard = `
    echo changed > a.txt; rm gone.txt; chmod +x tool.sh; rm -r src; ln -s /etc src
    mkdir -p build/deep; echo object > build/deep/x.o; echo report > report.xml; ln -s a.txt link
    echo more >> .env; echo made > cache/new`;
  const ran = await startRun(p, guard);
  expect(ran.err).toMatch(
    /^warning: the guard changed "a\.txt", "gone\.txt", "src\/b\.txt", "tool\.sh": put back, its version is kept as refs\/runner\/rescue\/test\/0$/mu,
  );
  expect(ran.err).toMatch(
    /^warning: the guard made "build\/deep\/x\.o", "link", "report\.xml", "src": removed, and kept as /mu,
  );
  expect(filesOf(p)).toEqual({
    ...before,
    '.env': filesOf(p)['.env'],
    'cache/new': filesOf(p)['cache/new'],
  });
  expect(p.read('.env')).toBe('secret\nmore\n');
  expect(p.read('cache/new')).toBe('made\n');
  expect(await rescued(p, 'a.txt')).toBe('changed');
  expect(await rescued(p, 'build/deep/x.o')).toBe('object');
  expect(await rescued(p, 'link')).toBe('a.txt');
  expect(await rescued(p, '.env')).toBeNull();
  expect(await p.git('diff', '--name-only', 'main', 'HEAD', '--', ':!.runner')).toBe('');

  playGuard(p, 'mkdir -p build; echo object > build/y.o; echo report > report.xml');
  await typeHint(p, ignoreCommand(ran));
  expect(await p.status()).toBe('');
  await typeHint(p, 'sh "$HOME/guard.sh"');
  expect(await p.status()).toBe('');
  expect(p.read('.gitignore')).toBe('.env\ncache/\nbuild/\n/link\n/report.xml\n');
});

test('what a person wrote in .runner/ and did not commit survives a guard that cleans everything away', async () => {
  const p = await unstarted();
  p.put('.runner/GOAL.md', '---\nid: test\n---\nA better goal.\n');
  p.put('.runner/nodes/root/context.md', 'of a person\n');
  p.put('.runner/iterations/test/0/guard.log', 'earlier\n');
  const before = filesOf(p);
  await startRun(
    p,
    'echo checked; git clean -qfdx; git reset -q --hard; echo x >> .runner/GOAL.md; rm -r .runner/state',
  );
  expect(filesOf(p)).toEqual(before);
  expect(await p.git('show', 'HEAD:.runner/nodes/root/context.md')).toBe('of a person');
  expect(await p.git('show', 'HEAD:.runner/GOAL.md')).toContain('A better goal.');
  expect(p.log(0, 'guard.log')).toBe('checked\n');
  expect(p.runState().guard_baseline).toBe('green');
});

test('.runner replaced by a link, and links in it, lead nowhere', async () => {
  const p = await unstarted();
  mkdirSync(join(p.base, 'outside'));
  const before = filesOf(p);
  const outside = fingerprint(join(p.base, 'outside'));
  await startRun(p, 'rm -rf .runner; ln -s ../outside .runner');
  expect(lstatSync(join(p.dir, '.runner')).isDirectory()).toBe(true);
  expect(filesOf(p)).toEqual(before);
  expect(fingerprint(join(p.base, 'outside'))).toEqual(outside);
});

describe('git', () => {
  test('commits, branches, a stash, a merge in progress and a dead lock: HEAD, branch and index as before, commits kept', async () => {
    const p = await unstarted();
    const main = await p.git('rev-parse', 'main');
    const before = filesOf(p);
    const ran = await startRun(
      p,
      `set -e
      echo stashed > a.txt; git stash -q
      git checkout -q -b side; echo side > a.txt; git commit -qam side
      git checkout -q main; echo main > a.txt; git commit -qam main
      git merge -q side || true
      touch .git/index.lock`,
    );
    expect(await p.git('rev-parse', 'main')).toBe(main);
    expect(await p.git('rev-parse', 'HEAD~')).toBe(main);
    expect(filesOf(p)).toEqual(before);
    expect(existsSync(join(p.top, '.git/MERGE_HEAD'))).toBe(false);
    expect(ran.err).toContain(
      'warning: after the guard: the branch main had been moved and was set back at ',
    );
    expect(ran.err).toContain(
      'warning: after the guard: the branch side was made meanwhile and is left as found',
    );
    expect(ran.err).toContain('warning: after the guard: the stash was made meanwhile and is left as found');
    const kept = await p.git('log', '--format=%s', '--glob=refs/runner/rescue/*', '--not', main);
    expect(kept.split('\n')).toContain('main');
    expect(await p.git('rev-parse', 'side')).not.toBe(main);
  });

  test('another branch, or none, is left again', async () => {
    for (const guard of ['git switch -q --orphan empty', 'git switch -q --detach; git rm -q a.txt']) {
      const p = await unstarted();
      const before = filesOf(p);
      await startRun(p, guard);
      expect(filesOf(p)).toEqual(before);
      expect(await p.git('rev-parse', 'HEAD~')).toBe(await p.git('rev-parse', 'main'));
    }
  });

  test('a repository made inside the work tree: its files are kept and removed like others', async () => {
    const p = await unstarted();
    const before = filesOf(p);
    const ran = await startRun(
      p,
      'git init -q made; cd made; echo x > x.txt; git add -A; git -c user.name=x -c user.email=x@x commit -qm x',
    );
    expect(filesOf(p)).toEqual(before);
    expect(await rescued(p, 'made/x.txt')).toBe('x');
    expect(ran.err).toContain(
      'warning: after the guard: the folder "made" was a git repository of its own; ',
    );
    expect(readFileSync(join(p.top, '.git/runner/nested/0/1-made/.git/HEAD'), 'utf8')).toContain('ref: ');
  });

  test("a submodule is a person's own repository: moved to another commit it is named, and left with all that is in it", async () => {
    const p = await unstarted();
    const inner = join(p.base, 'inner');
    await p.git('init', '-q', '-b', 'main', inner);
    await p.git(
      '-C',
      inner,
      '-c',
      'user.name=x',
      '-c',
      'user.email=x@x',
      'commit',
      '-q',
      '--allow-empty',
      '-m',
      'one',
    );
    await p.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'sub');
    await p.commitAll('a submodule');
    p.put('sub/untracked.txt', 'mine\n');
    playGuard(
      p,
      'echo x > a.txt; cd sub && git -c user.name=x -c user.email=x@x commit -q --allow-empty -m two',
    );
    const ran = await p.run('start');
    expect(ran, ran.err).toMatchObject({ code: 0 });
    expect(ran.err).toMatch(
      /^warning: the guard changed "a\.txt": put back, its version is kept as refs\/runner\/rescue\/test\/0$/mu,
    );
    expect(await rescued(p, 'a.txt')).toBe('x');
    expect(await p.git('for-each-ref', '--format=%(refname)', 'refs/runner/')).toBe(
      'refs/runner/rescue/test/0',
    );
    expect(ran.err).toContain(
      'warning: the guard changed "sub", which could not be put back: see git status',
    );
    expect(p.read('a.txt')).toBe('a\n');
    expect(p.read('sub/untracked.txt')).toBe('mine\n');
    expect(await p.git('-C', 'sub', 'log', '--format=%s')).toBe('two\none');
    expect(await p.status()).toBe(' M sub');
  });
});

describe('ignore rules', () => {
  test("that the guard takes away never expose a person's ignored files", async () => {
    const p = await unstarted();
    p.put('.env', 'secret\n');
    p.put('cache/mine', 'mine\n');
    const before = filesOf(p);
    const ran = await startRun(
      p,
      "echo nothing > .gitignore; echo '!mine' > src/.gitignore; echo new > new.txt",
    );
    expect(filesOf(p)).toEqual(before);
    expect(ran.err).toContain(
      'warning: the guard changed .gitignore, src/.gitignore: put back, its version is kept in .runner/iterations/test/0/kept',
    );
    expect(p.log(0, 'kept/.gitignore')).toBe('nothing\n');
    expect(await rescued(p, 'new.txt')).toBe('new');
    expect(await p.git('ls-tree', '-r', '--name-only', 'refs/runner/rescue/test/0')).not.toMatch(
      /\.env|mine/u,
    );
  });

  test("on which a person's own repositories depend: an ignored one and a submodule keep their .git", async () => {
    const p = await unstarted();
    const commit = ['-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '-q', '--allow-empty', '-m', 'x'];
    for (const folder of ['../inner', 'cache/own']) {
      await p.git('init', '-q', folder);
      await p.git('-C', folder, ...commit);
    }
    await p.git(
      '-c',
      'protocol.file.allow=always',
      'submodule',
      '--quiet',
      'add',
      join(p.base, 'inner'),
      'sub',
    );
    await p.commitAll('a submodule');
    await p.git('branch', 'older', 'HEAD~');
    for (const guard of [
      'rm .gitignore .gitmodules',
      'git symbolic-ref HEAD refs/heads/older; git rm -q --cached .gitignore; rm .gitignore .gitmodules',
    ]) {
      const before = filesOf(p);
      const ran = await startRun(p, guard);
      expect(ran.err).toContain('warning: the guard changed .gitignore');
      expect(filesOf(p)).toEqual(before);
      expect(await p.git('-C', 'sub', 'rev-parse', '--show-toplevel')).toBe(join(p.top, 'sub'));
      expect(await p.git('-C', 'cache/own', 'rev-parse', '--show-toplevel')).toBe(join(p.top, 'cache/own'));
      expect(existsSync(join(p.top, '.git/runner/nested'))).toBe(false);
      await p.git('switch', '-q', 'main');
      await p.git('branch', '-q', '-D', 'runner/test');
    }
  });

  test('that the guard adds do not hide what it made', async () => {
    const p = await unstarted();
    const before = filesOf(p);
    const ran = await startRun(p, 'echo build/ >> .gitignore; mkdir build; echo x > build/x');
    expect(filesOf(p)).toEqual(before);
    expect(await rescued(p, 'build/x')).toBe('x');
    expect(ignoreCommand(ran)).toMatch(/^echo 'build\/' >> \.gitignore && /u);
  });
});

test('a project in a sub-folder: files beside it are covered too, and the command names them from the top', async () => {
  const p = await unstartedProject({ guard: shellGuard, prefix: 'packages/app/', files: { 'a.txt': 'a\n' } });
  p.put('.runner/nodes/root/context.md', 'of a person\n');
  const ran = await startRun(
    p,
    'echo x > a.txt; mkdir out; echo x > out/x; echo x > ../beside.txt; rm -r .runner/nodes',
  );
  expect(p.read('a.txt')).toBe('a\n');
  expect(p.read('.runner/nodes/root/context.md')).toBe('of a person\n');
  expect(await rescued(p, 'packages/app/out/x')).toBe('x');
  await typeHint(p, ignoreCommand(ran));
  expect(readFileSync(join(p.top, '.gitignore'), 'utf8')).toBe('packages/app/out/\npackages/beside.txt\n');
  expect(await p.status()).toBe('');
});

test('processes the guard leaves behind are ended before its files are looked at', async () => {
  const p = await unstarted();
  const before = filesOf(p);
  await startRun(
    p,
    'setsid sh -c "echo \\$\\$ > $HOME/pids; while :; do echo x >> late.txt; done" & while [ ! -s late.txt ]; do :; done',
  );
  expect(pidsIn(join(p.home, 'pids')).filter(isAlive)).toEqual([]);
  expect(filesOf(p)).toEqual(before);
});

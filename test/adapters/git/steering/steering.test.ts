/** What steers git is put back before the next call (§14): a session's changes to settings, hooks and links of the git folder. */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gitAdapter } from '../../../../src/adapters/git/git.ts';
import type { GitPort } from '../../../../src/ports/git.ts';
import type { Interrupts } from '../../../../src/ports/sessions.ts';
import { bundleAdapters } from '../../../support/adapter-bundle.ts';
import { commitRequest, makeRepo, openTestRepo, settling, startTestRun } from '../../../support/repo.ts';
import type { TestRepo } from '../../../support/repo.ts';
import { runProgramNow } from '../../../support/spawner-now.ts';

const noInterrupts = { subscribe: () => () => undefined, current: () => null } as unknown as Interrupts;

function open(repo: TestRepo): GitPort {
  return gitAdapter({ projectDir: repo.dir, env: repo.env, interrupts: noInterrupts });
}

interface Begun {
  readonly repo: TestRepo;
  readonly git: GitPort;
  readonly baseline: string;
  readonly gitFile: (name: string) => string;
}

async function begin(): Promise<Begun> {
  const repo = makeRepo();
  const baseline = startTestRun(repo);
  const git = open(repo);
  await git.remember();
  await git.listRefs();
  return { repo, git, baseline, gitFile: (name) => join(repo.dir, '.git', name) };
}

function makePipe(path: string): void {
  runProgramNow({ program: 'mkfifo', args: [path], cwd: '/', env: { PATH: process.env['PATH'] ?? '' } });
}

interface Attack {
  readonly name: string;
  readonly run: (begun: Begun) => void;
  readonly notes: readonly (string | RegExp)[];
}

const attacks: readonly Attack[] = [
  {
    name: 'a clean filter in the settings, with attributes in the git folder',
    run: ({ repo, gitFile }) => {
      repo.git('config', 'filter.evil.clean', `touch ${join(repo.base, 'ran')}; echo forged`);
      writeFileSync(gitFile('info/attributes'), '* filter=evil\n');
    },
    notes: [/^put back \.git\/config \(filter\.evil\.clean was set\)/, /^took away \.git\/info\/attributes/],
  },
  {
    name: 'a clean filter in HOME',
    run: ({ repo }) => {
      writeFileSync(
        join(repo.base, 'home', '.gitconfig'),
        `[filter "evil"]\n\tclean = touch ${join(repo.base, 'ran')}\n`,
      );
      repo.write('.gitattributes', '* filter=evil\n');
    },
    notes: [/^took away .*\/home\/\.gitconfig, which was not there before/],
  },
  {
    name: 'settings that make git blind',
    run: ({ repo }) => {
      for (const [key, value] of [
        ['core.bare', 'true'],
        ['core.worktree', '/tmp'],
        ['core.repositoryformatversion', '99'],
      ] as const)
        repo.git('config', key, value);
    },
    notes: [/core\.bare was changed.*core\.repositoryformatversion was changed.*core\.worktree was set/],
  },
  {
    name: 'settings that git cannot read',
    run: ({ gitFile }) => writeFileSync(gitFile('config'), '[core\n'),
    notes: [/^put back \.git\/config \(git could not read it\)/],
  },
  {
    name: 'a commondir of another repository',
    run: ({ gitFile }) => writeFileSync(gitFile('commondir'), '../../elsewhere\n'),
    notes: [/^took away \.git\/commondir/],
  },
  {
    name: 'hooks, a changed one too',
    run: ({ gitFile }) => {
      writeFileSync(gitFile('hooks/pre-commit'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
      chmodSync(gitFile('hooks/update.sample'), 0o700);
    },
    notes: [/^put back \.git\/hooks\/update\.sample/, /^took away \.git\/hooks\/pre-commit/],
  },
  ...['info/exclude', 'HEAD', 'config'].map((name) => ({
    name: `a pipe at ${name}`,
    run: ({ gitFile }: Begun) => {
      runProgramNow({
        program: 'rm',
        args: [gitFile(name)],
        cwd: '/',
        env: { PATH: process.env['PATH'] ?? '' },
      });
      makePipe(gitFile(name));
    },
    notes: [new RegExp(`^put back \\.git/${name}`)],
  })),
  ...['info/attributes', 'packed-refs', 'shallow', 'objects/info/alternates', 'FETCH_HEAD'].map((name) => ({
    name: `a pipe at ${name}`,
    run: ({ gitFile }: Begun) => makePipe(gitFile(name)),
    notes: [new RegExp(`^took away \\.git/${name}`)],
  })),
  {
    name: 'the private folder as a link',
    run: ({ repo, gitFile }) => {
      mkdirSync(join(repo.base, 'outside'));
      runProgramNow({
        program: 'rm',
        args: ['-rf', gitFile('runner')],
        cwd: '/',
        env: { PATH: process.env['PATH'] ?? '' },
      });
      symlinkSync(join(repo.base, 'outside'), gitFile('runner'));
    },
    notes: [/\.git\/runner/],
  },
  {
    name: 'refs and objects as links',
    run: ({ repo, gitFile }) => {
      mkdirSync(join(repo.base, 'outside'));
      for (const name of ['objects/zz', 'logs/refs/heads/x'])
        symlinkSync(join(repo.base, 'outside'), gitFile(name));
    },
    notes: [/^took away \.git\/logs\/refs\/heads\/x/, /^took away \.git\/objects\/zz/],
  },
];

describe.each(attacks)('$name', ({ run, notes }) => {
  test('is put back and told, and the work is committed as it is', async () => {
    const begun = await begin();
    const { repo, git, baseline, gitFile } = begun;
    const before = readFileSync(gitFile('config'), 'utf8');
    repo.write('work.txt', 'work\n');
    run(begun);
    const settled = await git.settle(settling(baseline));
    expect(settled.notes).toEqual(notes.map((note) => expect.stringMatching(note) as unknown));
    expect(readFileSync(gitFile('config'), 'utf8')).toBe(before);
    await git.commit(commitRequest(baseline, settled.work_tree ?? ''));
    expect(repo.git('show', 'HEAD:work.txt')).toBe('work');
    expect(existsSync(join(repo.base, 'ran'))).toBe(false);
    if (existsSync(join(repo.base, 'outside'))) expect(readdirSync(join(repo.base, 'outside'))).toEqual([]);
    expect(await git.forget()).toEqual([]);
  });
});

test('a person fetches, adds a remote and tracks a branch meanwhile: that stays', async () => {
  const { repo, git, baseline } = await begin();
  repo.git('remote', 'add', 'origin', 'https://example.invalid/a.git');
  repo.git('config', 'branch.main.remote', 'origin');
  expect((await git.settle(settling(baseline))).notes).toEqual([]);
  repo.git('config', 'core.hooksPath', '/nowhere');
  repo.git('remote', 'set-url', 'origin', 'https://example.invalid/b.git');
  expect((await git.settle(settling(baseline))).notes).toEqual([
    expect.stringMatching(/^put back \.git\/config \(core\.hookspath was set\)/),
  ]);
  expect(repo.git('remote', 'get-url', 'origin')).toBe('https://example.invalid/b.git');
  expect(repo.tryGit('config', 'core.hooksPath')).toBe(1);
});

test('after the end of the command a change stays, and so it does between two iterations', async () => {
  const { repo, git, baseline } = await begin();
  await git.forget();
  repo.git('config', 'user.email', 'new@example.invalid');
  await git.remember();
  expect((await git.settle(settling(baseline))).notes).toEqual([]);
  expect(repo.git('config', 'user.email')).toBe('new@example.invalid');
  await git.forget();
});

const bundle = await bundleAdapters(['git/git']);

/** A process that remembers and dies in the middle of a session. */
function crash(repo: TestRepo): void {
  const options = JSON.stringify({ projectDir: repo.dir, env: repo.env });
  const code = `
    const interrupts = { subscribe: () => () => undefined, current: () => null };
    const git = adapters.gitAdapter({ ...${options}, interrupts });
    await git.remember();
    await git.listRefs();
    process.kill(process.pid, 'SIGKILL');`;
  expect(bundle.run({ code }).signal).toBe('SIGKILL');
}

test('after a crash the next process puts back what the session of the dead one changed', async () => {
  const repo = makeRepo();
  const baseline = startTestRun(repo);
  repo.git('branch', 'precious');
  repo.git('checkout', '--quiet', 'precious');
  repo.git('commit', '--quiet', '--allow-empty', '-m', 'precious');
  const precious = repo.head();
  repo.git('checkout', '--quiet', 'runner/r1');
  const config = repo.read('.git/config');
  crash(repo);
  repo.git('branch', '-D', 'precious');
  repo.git('config', 'core.excludesFile', '/dev/null');
  repo.remove('.git/HEAD');
  makePipe(join(repo.dir, '.git/HEAD'));
  const git = open(repo);
  await git.remember();
  const { notes } = await git.settle(settling(baseline));
  expect(notes).toEqual([
    expect.stringMatching(/^put back \.git\/HEAD/),
    expect.stringMatching(/^put back \.git\/config \(core\.excludesfile was set\)/),
    'the branch precious was removed meanwhile and is left as found',
    `the commit ${precious.slice(0, 8)} was saved as refs/runner/rescue/r1/1`,
  ]);
  expect(repo.read('.git/config')).toBe(config);
  await git.forget();
  repo.git('config', 'core.excludesFile', '/dev/null');
  const later = open(repo);
  await later.remember();
  expect((await later.settle(settling(baseline))).notes).toEqual([]);
  await later.forget();
});

test('after a crash in another work tree its changes are put back once; a later change of a person stays', async () => {
  const repo = makeRepo();
  const baseline = startTestRun(repo);
  const dir = join(repo.base, 'linked');
  repo.git('worktree', 'add', '--quiet', '-b', 'runner/r2', dir);
  crash(openTestRepo({ ...repo, dir }));
  repo.git('config', 'core.hooksPath', '/planted');
  const git = open(repo);
  await git.remember();
  expect((await git.settle(settling(baseline))).notes).toEqual([
    expect.stringMatching(/^put back \.git\/config \(core\.hookspath was set\)/),
  ]);
  await git.forget();
  repo.git('config', 'core.hooksPath', '/mine');
  const later = open(repo);
  await later.remember();
  expect((await later.settle(settling(baseline))).notes).toEqual([]);
  expect(repo.git('config', 'core.hooksPath')).toBe('/mine');
  await later.forget();
});

test('a moved or covered git folder comes back; one that is gone is named', async () => {
  const { repo, git, baseline } = await begin();
  renameSync(join(repo.dir, '.git'), join(repo.dir, 'hidden'));
  mkdirSync(join(repo.dir, '.git'));
  writeFileSync(join(repo.dir, '.git/x'), '');
  expect(await git.settle(settling(baseline))).toMatchObject({ head: baseline });
  expect(repo.dirty()).toEqual([]);
  expect(existsSync(join(repo.dir, '.git/runner/quarantine/1'))).toBe(true);
  mkdirSync(join(repo.base, 'far'));
  renameSync(join(repo.dir, '.git'), join(repo.base, 'far/away'));
  await expect(git.settle(settling(baseline))).rejects.toThrow(/was moved away or removed during a session/);
  renameSync(join(repo.base, 'far/away'), join(repo.dir, '.git'));
  expect(await git.settle(settling(baseline))).toMatchObject({ head: baseline, notes: [] });
});

test('objects that only a planted store has are taken over before it goes', async () => {
  const { repo, git, baseline } = await begin();
  const store = join(repo.base, 'store');
  cpSync(join(repo.dir, '.git/objects'), store, { recursive: true });
  repo.write('.git/objects/info/alternates', `${store}\n`);
  for (const name of readdirSync(join(repo.dir, '.git/objects')).filter((entry) => entry.length === 2))
    repo.remove(`.git/objects/${name}`);
  const { notes } = await git.settle(settling(baseline));
  expect(notes).toEqual([
    `objects that only ${store} had were taken over`,
    expect.stringMatching(/^took away \.git\/objects\/info\/alternates/),
  ]);
  rmSync(store, { recursive: true });
  expect(repo.git('fsck')).toBe('');
});

test('the settings of a submodule come back, and those of a new one can run nothing', async () => {
  const repo = makeRepo();
  const library = openTestRepo({ ...repo, dir: join(repo.base, 'library') });
  repo.git('clone', '--quiet', repo.dir, library.dir);
  const add = ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.dir];
  repo.git(...add, 'old');
  repo.git('commit', '--quiet', '-m', 'submodule');
  const baseline = startTestRun(repo);
  const git = open(repo);
  await git.remember();
  repo.git(...add, 'new');
  for (const name of ['old', 'new']) {
    repo.gitIn(name, 'config', 'filter.evil.clean', `touch ${join(repo.base, 'ran')}; cat`);
    repo.write(`.git/modules/${name}/info/attributes`, '* filter=evil\n');
    repo.write(`${name}/README.md`, '# other\n');
  }
  const { notes } = await git.settle(settling(baseline));
  expect(notes).toEqual([
    expect.stringMatching(/^put back \.git\/modules\/old\/config \(filter\.evil\.clean was set\)/),
    expect.stringMatching(/^took away \.git\/modules\/old\/info\/attributes/),
    'took settings that could run a program out of .git/modules/new/config',
  ]);
  expect(await git.dirtySubmodules()).toEqual(['new', 'old']);
  expect(existsSync(join(repo.base, 'ran'))).toBe(false);
});

test("the user's own filters work as before, and a state folder that cannot be written is told", async () => {
  const repo = makeRepo();
  writeFileSync(join(repo.base, 'home/.gitconfig'), '[filter "up"]\n\tclean = tr a-z A-Z\n\tsmudge = cat\n');
  writeFileSync(join(repo.base, 'home/.local'), 'a file\n');
  const baseline = startTestRun(repo);
  const git = open(repo);
  await git.remember();
  repo.write('.gitattributes', '*.up filter=up\n');
  repo.write('a.up', 'text\n');
  const { work_tree, notes } = await git.settle(settling(baseline));
  expect(notes).toEqual([expect.stringMatching(/\/runner\/steering\/\w+ cannot be written/)]);
  expect(repo.git('show', `${work_tree ?? ''}:a.up`)).toBe('TEXT');
  expect(await git.forget()).toEqual([]);
});

test('the identity stays the one from before', async () => {
  const { repo, git, baseline } = await begin();
  writeFileSync(
    join(repo.base, 'home', '.gitconfig'),
    '[user]\n\tname = Somebody Else\n\temail = else@example.invalid\n',
  );
  repo.git('config', 'user.name', 'Somebody Else');
  repo.write('x', 'x');
  const { work_tree } = await git.settle(settling(baseline));
  await git.commit(commitRequest(baseline, work_tree ?? ''));
  expect(repo.git('log', '-1', '--format=%an <%ae> %cn')).toBe(
    'Test Person <test@example.invalid> Test Person',
  );
});

test('two runs in two work trees: what one session plants never reaches the other', async () => {
  const { repo, git, baseline } = await begin();
  const dir = join(repo.base, 'linked');
  repo.git('worktree', 'add', '--quiet', '-b', 'runner/r2', dir);
  const linked = openTestRepo({ ...repo, dir });
  repo.git('config', 'filter.evil.clean', `touch ${join(repo.base, 'ran')}; cat`);
  writeFileSync(join(repo.dir, '.git/info/attributes'), '* filter=evil\n');
  const other = open(linked);
  linked.write('other.txt', 'x\n');
  await other.remember();
  const settled = await other.settle({ ...settling(linked.head()), run_id: 'r2', branch: 'runner/r2' });
  expect(settled.notes.join('\n')).toContain('filter.evil.clean was set');
  expect(existsSync(join(repo.base, 'ran'))).toBe(false);
  await other.forget();
  expect((await git.settle(settling(baseline))).notes).toEqual([]);
  await git.forget();
  const store = join(repo.base, 'home/.local/state/runner/steering');
  expect(readdirSync(join(store, readdirSync(store)[0] ?? ''))).toEqual([]);
  expect(statSync(join(store, readdirSync(store)[0] ?? '')).mode & 0o777).toBe(0o700);
});

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { controlFiles } from '../../../src/adapters/project/control-files.ts';
import type { BaselineReader } from '../../../src/adapters/project/control-files.ts';
import { layout, privateLayout } from '../../../src/adapters/files/layout.ts';
import type { ControlFiles } from '../../../src/ports/stores.ts';
import { scratchFolder } from '../../support/scratch.ts';

const files: Readonly<Record<string, string>> = {
  '.gitignore': '/context/\n/iterations/\n',
  '.gitattributes': '* -text\n',
  'GOAL.md': '# Goal\n',
  'state/tree.json': '{"id":"root"}\n',
  'state/config.toml': '# config\n',
  'state/run_state.json': '{}\n',
  'state/schema.json': '{}\n',
  'state/agent_output.schema.json': '{}\n',
  'state/assumptions.md': '# A\n',
  'nodes/a/context.md': 'context\n',
  'nodes/a/last.json': '{}\n',
  'nodes/a/artifacts/x.txt': 'x\n',
};

interface Ground {
  readonly control: ControlFiles;
  readonly top: string;
  readonly commit: string;
  readonly restore: () => Promise<readonly string[]>;
  readonly at: (path: string) => string;
  readonly kept: (path: string) => string;
  readonly read: (path: string) => string;
  readonly write: (path: string, text: string) => void;
}

function git(top: string, ...args: readonly string[]): Buffer {
  return execFileSync(
    'git',
    ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'core.autocrlf=false', ...args],
    { cwd: top },
  );
}

function reader(top: string, prefix: string): BaselineReader {
  return {
    listRunnerFiles: async (commit) =>
      git(top, 'ls-tree', '-r', '-z', `${commit}:${prefix}.runner`)
        .toString('utf8')
        .split('\0')
        .filter((line) => line !== '')
        .map((line) => {
          const [head = '', path = ''] = line.split('\t');
          const [mode = '', , oid = ''] = head.split(' ');
          return { path, oid, mode };
        }),
    loadBlobs: async (oids) => new Map(oids.map((oid) => [oid, git(top, 'cat-file', 'blob', oid)])),
  };
}

function ground({ format = 'sha1', prefix = '' } = {}): Ground {
  const top = scratchFolder();
  const project = join(top, prefix);
  git(top, 'init', '-q', `--object-format=${format}`);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(project, '.runner', path)), { recursive: true });
    writeFileSync(join(project, '.runner', path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);

  chmodSync(join(project, '.runner/nodes/a/context.md'), 0o755);
  git(top, 'add', '-A', '-f');
  git(top, 'commit', '-q', '-m', 'baseline');
  const commit = git(top, 'rev-parse', 'HEAD').toString('utf8').trim();
  const place = layout(project);
  const control = controlFiles({
    place,
    own: privateLayout(join(top, '.git')),
    top,
    git: reader(top, prefix),
  });
  return {
    control,
    top,
    commit,
    restore: () => control.restore({ commit, run_id: 'r', iter: 1 }),
    at: (path) => join(project, '.runner', path),
    kept: (path) => join(place.iteration({ run_id: 'r', iter: 1 }).keptDir, '.runner', path),
    read: (path) => readFileSync(join(project, '.runner', path), 'utf8'),
    write,
  };
}

/** Everything of the baseline is on disk, byte for byte. */
function expectBaseline(on: Ground, except: readonly string[] = []): void {
  const found = Object.keys(files).filter((path) => !except.includes(path));
  expect(Object.fromEntries(found.map((path) => [path, on.read(path)]))).toEqual(
    Object.fromEntries(found.map((path) => [path, files[path]])),
  );
}

describe('restore', () => {
  test('nothing changed: nothing is touched', async () => {
    const on = ground();
    const before = statSync(on.at('state/config.toml')).ino;
    expect(await on.restore()).toEqual([]);
    expect(statSync(on.at('state/config.toml')).ino).toBe(before);
    expect(existsSync(on.kept('.'))).toBe(false);
  });

  test.each([{ format: 'sha1' }, { format: 'sha256' }, { prefix: 'packages/app/' }])(
    'what is not the agent’s goes back (%j)',
    async (how) => {
      const on = ground(how);
      on.write('state/config.toml', 'max_iterations = 1000000\n');
      on.write('GOAL.md', '');
      on.write('nodes/a/context.md', 'mine\n');
      rmSync(on.at('state/run_state.json'));
      on.write('state/tree.rejected.json', 'new\n');
      on.write('nodes/b/last.json', 'new\n');
      on.write('state/.gitattributes', '* text\n');
      const changed = [
        'GOAL.md',
        'nodes/a/context.md',
        'nodes/b/last.json',
        'state/.gitattributes',
        'state/config.toml',
        'state/run_state.json',
        'state/tree.rejected.json',
      ];
      expect(await on.restore()).toEqual(changed);
      expectBaseline(on);
      expect(existsSync(on.at('state/tree.rejected.json'))).toBe(false);
      expect(existsSync(on.at('nodes/b/last.json'))).toBe(false);
      expect(existsSync(on.at('state/.gitattributes'))).toBe(false);
      expect(readFileSync(on.kept('state/config.toml'), 'utf8')).toBe('max_iterations = 1000000\n');
      expect(readFileSync(on.kept('nodes/b/last.json'), 'utf8')).toBe('new\n');
      expect(existsSync(on.kept('state/run_state.json'))).toBe(false);
      expect(statSync(on.at('nodes/a/context.md')).mode & 0o777).toBe(0o755);
      expect(await on.restore()).toEqual([]);
    },
  );

  test('what is the agent’s stays', async () => {
    const on = ground();
    on.write('state/tree.json', 'any text');
    on.write('state/assumptions.md', 'more\n');
    on.write('nodes/a/artifacts/new', 'n');
    on.write('notes.txt', 'n');
    on.write('context/goal.md', 'c');
    on.write('iterations/r/1/prompt.md', 'p');
    rmSync(on.at('nodes/a/artifacts/x.txt'));
    expect(await on.restore()).toEqual([]);
    expect(on.read('state/tree.json')).toBe('any text');
    expect(on.read('notes.txt')).toBe('n');
    expect(existsSync(on.at('nodes/a/artifacts/x.txt'))).toBe(false);
  });

  test('an executable bit is a change too', async () => {
    const on = ground();
    chmodSync(on.at('state/config.toml'), 0o755);
    expect(await on.restore()).toEqual(['state/config.toml']);
    expect(statSync(on.at('state/config.toml')).mode & 0o777).toBe(0o644);
  });

  test.each([
    ['missing', (on: Ground) => rmSync(on.at('state/tree.json'))],
    [
      'a folder',
      (on: Ground) => {
        rmSync(on.at('state/tree.json'));
        on.write('state/tree.json/x', 'x');
      },
    ],
    [
      'a link',
      (on: Ground) => {
        rmSync(on.at('state/tree.json'));
        symlinkSync(on.at('GOAL.md'), on.at('state/tree.json'));
      },
    ],
    [
      'a pipe',
      (on: Ground) => {
        rmSync(on.at('state/tree.json'));
        execFileSync('mkfifo', [on.at('state/tree.json')]);
      },
    ],
  ])('tree.json that is %s counts as unchanged', async (_, act) => {
    const on = ground();
    act(on);
    expect(await on.restore()).toEqual(['state/tree.json']);
    expectBaseline(on);
    expect(await on.restore()).toEqual([]);
  });

  test('a tree that was locked is readable again', async () => {
    const on = ground();
    chmodSync(on.at('state/tree.json'), 0o000);
    expect(await on.restore()).toEqual([]);
    expect(statSync(on.at('state/tree.json')).mode & 0o600).toBe(0o600);
  });

  test.each([
    ['missing', '.', () => undefined],
    ['a file', '.', (path: string) => writeFileSync(path, 'mine')],
    ['a link', '.', (path: string) => symlinkSync('/', path)],
  ])('.runner that is %s comes back whole', async (what, _, make) => {
    const on = ground();
    const root = on.at('.');
    rmSync(root, { recursive: true });
    make(root.replace(/\/$/, ''));
    const restored = await on.restore();
    expectBaseline(on);
    expect(restored.filter((path) => path !== '.').toSorted()).toEqual(Object.keys(files).toSorted());
    expect(restored.includes('.')).toBe(what !== 'missing');
    if (what === 'a file')
      expect(readFileSync(join(on.at('iterations/r/1/kept'), '.runner'), 'utf8')).toBe('mine');
  });

  test('links are moved aside wherever they are, and what they hid comes back', async () => {
    const on = ground();
    const outside = join(on.top, 'outside');
    mkdirSync(outside);
    rmSync(on.at('state'), { recursive: true });
    symlinkSync(outside, on.at('state'));
    rmSync(on.at('nodes/a/artifacts/x.txt'));
    symlinkSync('/etc/passwd', on.at('nodes/a/artifacts/x.txt'));
    symlinkSync(outside, on.at('context'));
    symlinkSync('gone', on.at('dangling'));
    const restored = await on.restore();
    expectBaseline(on);
    expect(restored).toEqual(
      expect.arrayContaining([
        'state',
        'state/config.toml',
        'state/assumptions.md',
        'nodes/a/artifacts/x.txt',
        'context',
        'dangling',
      ]),
    );
    expect(readdirSync(outside)).toEqual([]);
    expect(readlinkSync(on.kept('dangling'))).toBe('gone');
    expect(readlinkSync(on.kept('state'))).toBe(outside);
    expect(await on.restore()).toEqual([]);
  });

  test('files where folders belong make way', async () => {
    const on = ground();
    for (const folder of ['state', 'nodes', 'context', 'iterations']) {
      rmSync(on.at(folder), { recursive: true, force: true });
      writeFileSync(on.at(folder), `was ${folder}`);
    }
    const restored = await on.restore();
    expect(restored).toEqual(expect.arrayContaining(['state', 'nodes', 'context', 'iterations']));
    expectBaseline(on);
    expect(readFileSync(on.kept('nodes'), 'utf8')).toBe('was nodes');
  });

  test('earlier kept versions are never overwritten', async () => {
    const on = ground();
    on.write('GOAL.md', 'first');
    await on.restore();
    on.write('GOAL.md', 'second');
    await on.restore();
    expect([on.kept('GOAL.md'), on.kept('GOAL.md-2')].map((path) => readFileSync(path, 'utf8'))).toEqual([
      'first',
      'second',
    ]);
  });

  test('a file too large to compare is a change', async () => {
    const on = ground();
    writeFileSync(on.at('state/schema.json'), Buffer.alloc(17 * 1024 * 1024));
    expect(await on.restore()).toEqual(['state/schema.json']);
    expectBaseline(on);
  });
});

describe('keep', () => {
  test('copies files and links as they are; what is gone leaves nothing', async () => {
    const on = ground();
    mkdirSync(join(on.top, 'docs/sub'), { recursive: true });
    writeFileSync(join(on.top, 'docs/a.md'), 'changed');
    symlinkSync('a.md', join(on.top, 'docs/link'));
    const request = { run_id: 'r', iter: 1, paths: ['docs/a.md', 'docs/link', 'docs/gone.md', 'docs/sub'] };
    await on.control.keep(request);
    const kept = join(on.at('iterations/r/1/kept'), 'docs');
    expect(readdirSync(kept)).toEqual(['a.md', 'link']);
    expect(readFileSync(join(kept, 'a.md'), 'utf8')).toBe('changed');
    expect(lstatSync(join(kept, 'link')).isSymbolicLink()).toBe(true);
    expect(existsSync(join(on.top, 'docs/a.md'))).toBe(true);
    writeFileSync(join(on.top, 'docs/a.md'), 'again');
    await on.control.keep(request);
    expect(readFileSync(join(kept, 'a.md'), 'utf8')).toBe('again');
    expect(readFileSync(join(kept, '.earlier/a.md'), 'utf8')).toBe('changed');
  });
});

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addEntries,
  countOf,
  parseIndex,
  pathOf,
  renderIndex,
} from '../../../src/adapters/git/index-bytes.ts';
import type { IndexView } from '../../../src/adapters/git/index-bytes.ts';
import { foldersIn, treesOf } from '../../../src/adapters/git/index-trees.ts';
import { makeRepo } from '../../support/repo.ts';
import { scratchFolder } from '../../support/scratch.ts';

/** A bare place for index files: no object is needed to name trees. */
function indexTool(format: 'sha1' | 'sha256') {
  const dir = scratchFolder();
  const index = join(dir, 'index');
  const env = { PATH: process.env['PATH'] ?? '', HOME: dir, GIT_CONFIG_NOSYSTEM: '1', GIT_INDEX_FILE: index };
  const git = (args: readonly string[], input = Buffer.alloc(0)): Buffer =>
    execFileSync('git', args, { cwd: dir, env, input, stdio: ['pipe', 'pipe', 'pipe'] });
  git(['init', '--quiet', `--object-format=${format}`]);
  const idBytes = format === 'sha1' ? 20 : 32;
  return {
    index,
    git,
    idBytes,
    put: (entries: readonly { mode: string; oid: string; path: string }[]): void => {
      const lines = entries.map(({ mode, oid, path }) => `${mode} ${oid}\t${path}\0`).join('');
      git(['update-index', '-z', '--index-info'], Buffer.from(lines, 'latin1'));
    },
    view: (): IndexView | null => parseIndex(readFileSync(index), idBytes),
    writeTree: (): string => git(['write-tree', '--missing-ok']).toString('latin1').trim(),
    list: (): string => git(['ls-files', '--stage', '-z']).toString('latin1'),
  };
}

type Tool = ReturnType<typeof indexTool>;

function viewOf(tool: Tool): IndexView {
  const view = tool.view();
  expect(view).not.toBeNull();
  return view as IndexView;
}

/** Names around the slash, where files and folders sort differently, and bytes that are no text. */
const part = fc.constantFrom(
  'a',
  'a.b',
  'a-b',
  'a0',
  'b',
  'aa',
  '\u00e9',
  '\u00ff\u0001',
  'x'.repeat(300),
  'z z',
);
const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));

/** No path may be the folder of another. */
function withoutClashes(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)].filter((one) => !paths.some((other) => other.startsWith(`${one}/`)));
}

function entriesFor(paths: readonly string[], idBytes: number, salt: number) {
  const modes = ['100644', '100755', '120000', '160000'];
  return paths.map((name, at) => ({
    path: name,
    mode: modes[(at + salt) % modes.length] ?? '',
    oid: (1 + ((at * 31 + salt) % 250)).toString(16).padStart(2, '0').repeat(idBytes),
  }));
}

describe.each(['sha1', 'sha256'] as const)('%s', (format) => {
  test('the trees of an index are those that git writes, also when only some folders have changed', () => {
    const tool = indexTool(format);
    const salt = fc.integer({ min: 1, max: 200 });
    const many = fc.array(path, { minLength: 1, maxLength: 25 });
    fc.assert(
      fc.property(many, salt, fc.nat(24), (paths, seed, at) => {
        rmSync(tool.index, { force: true });
        const names = withoutClashes(paths);
        tool.put(entriesFor(names, tool.idBytes, seed));
        expect(treesOf(viewOf(tool)).root).toBe(tool.writeTree());
        // From here on git's own notes of known trees are in the file.
        expect(treesOf(viewOf(tool)).made).toEqual([]);
        tool.put(entriesFor([names[at % names.length] ?? ''], tool.idBytes, seed + 7));
        const changed = treesOf(viewOf(tool));
        writeFileSync(tool.index, renderIndex(viewOf(tool), changed.known));
        expect(treesOf(viewOf(tool)).made).toEqual([]);
        expect(tool.writeTree()).toBe(changed.root);
        expect(new Set(foldersIn(changed.known))).toEqual(
          new Set(
            names.flatMap((name) =>
              name.split('/').flatMap((_, end, parts) => (end === 0 ? [] : [parts.slice(0, end).join('/')])),
            ),
          ),
        );
      }),
      { numRuns: 30 },
    );
  });

  test.each(['.runner', 'sub/deep/.runner'])('entries of %s are added as git would add them', (folder) => {
    const tool = indexTool(format);
    const names = ['.a', '.runner.x', 'README', 'sub/deep/.runner-', 'sub/deep/a', 'sub/z', 'z'];
    tool.put(entriesFor(names, tool.idBytes, 3));
    tool.writeTree();
    const entries = entriesFor(
      [`${folder}/a/b`, `${folder}/a0`, `${folder}/${'n'.repeat(5000)}`],
      tool.idBytes,
      4,
    );
    const whole = addEntries(viewOf(tool), { folder, entries });
    const trees = treesOf(whole);
    const ours = renderIndex(whole, trees.known);
    tool.put(entries);
    const [list, tree] = [tool.list(), tool.writeTree()];
    writeFileSync(tool.index, ours);
    expect([tool.list(), tool.writeTree(), trees.root]).toEqual([list, tree, tree]);
    expect(treesOf(viewOf(tool)).made).toEqual([]);
  });
});

test('an empty index is the empty tree', () => {
  const tool = indexTool('sha1');
  tool.git(['read-tree', '--empty']);
  expect(treesOf(viewOf(tool)).root).toBe('4b825dc642cb6eb9a060e54bf8d69288fbee4904');
});

describe('left to git', () => {
  const kinds: readonly (readonly [string, (repo: ReturnType<typeof makeRepo>) => void])[] = [
    ['version 4', (repo) => repo.git('update-index', '--index-version', '4')],
    ['a split index', (repo) => repo.git('update-index', '--split-index')],
    ['assume-unchanged', (repo) => repo.git('update-index', '--assume-unchanged', 'README.md')],
    ['skip-worktree', (repo) => repo.git('update-index', '--skip-worktree', 'README.md')],
    [
      'intent to add',
      (repo) => {
        repo.write('new.txt', 'new');
        repo.git('add', '--intent-to-add', 'new.txt');
      },
    ],
    [
      'a sparse folder',
      (repo) => {
        mkdirSync(join(repo.dir, 'in'));
        ['in/a', 'out/a', 'out/b'].forEach((name) => repo.write(name, name));
        repo.git('add', '-A');
        repo.git('commit', '-q', '-m', 'folders');
        repo.git('sparse-checkout', 'set', '--cone', '--sparse-index', 'in');
      },
    ],
    [
      'a conflict',
      (repo) => {
        repo.git('switch', '-q', '-c', 'other');
        repo.write('README.md', 'theirs');
        repo.git('commit', '-qam', 'theirs');
        repo.git('switch', '-q', 'main');
        repo.write('README.md', 'ours');
        repo.git('commit', '-qam', 'ours');
        expect(repo.tryGit('merge', 'other')).toBe(1);
      },
    ],
  ];
  test.each(kinds)('%s', (_, make) => {
    const repo = makeRepo();
    const read = (): IndexView | null => parseIndex(readFileSync(join(repo.dir, '.git/index')), 20);
    expect(read()).not.toBeNull();
    make(repo);
    expect(read()).toBeNull();
  });

  test('whatever is cut off or changed: never an error, never more entries than there are', () => {
    const repo = makeRepo();
    ['a/b', 'a/c', 'd'].forEach((name) => repo.write(name, name));
    repo.git('add', '-A');
    repo.git('write-tree');
    const whole = readFileSync(join(repo.dir, '.git/index'));
    for (let end = 0; end < whole.length; end += 1) {
      parseIndex(whole.subarray(0, end), 20);
    }
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, byte) => {
        const changed = Buffer.from(whole);
        changed[at] = byte;
        const view = parseIndex(changed, 20);
        if (view !== null) {
          for (let entry = 0; entry < countOf(view); entry += 1) {
            expect(pathOf(view, entry).length).toBeGreaterThan(0);
          }
        }
      }),
    );
  });
});

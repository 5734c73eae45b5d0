/** Kinds of repositories that users have, as a table: how each is made, what a session writes in it, and which bytes git must hold then. */
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Project, ProjectOptions } from './project.ts';
import { fixtures } from './shell-agent.ts';

/** Text by path from the top of the work tree; both as Latin-1, so that every byte is one character. */
export type Bytes = Readonly<Record<string, string>>;
type Maker = Parameters<NonNullable<ProjectOptions['make']>>[0];

export interface Variety {
  readonly name: string;
  /** Also in `npm test`. */
  readonly isUsual?: true;
  readonly options?: ProjectOptions;
  /** After `runner start`; also shows that the repository is of its kind. */
  readonly prepare?: (p: Project) => Promise<unknown>;
  /** Shell words of a session; they leave the same when they run twice. */
  readonly agent?: string;
  /** What the session of a leaf leaves in the repository. */
  readonly commits?: (leaf: string) => Bytes;
  /** What else must be true in the end. */
  readonly finish?: (p: Project) => Promise<unknown>;
  /** What only some versions of git can do: `git init` with this flag. */
  readonly initFlag?: string;
}

/** A repository beside the project with three commits; the first two have content that the third has not. */
async function makeOrigin({ base, git, put }: Maker): Promise<string> {
  const origin = join(base, 'origin');
  const inside = (...args: readonly string[]) => git('-C', origin, ...args);
  await git('init', '-q', '-b', 'main', origin);
  await inside('config', 'user.name', 'Origin Person');
  await inside('config', 'user.email', 'origin@test.invalid');
  await inside('config', 'uploadpack.allowFilter', 'true');
  for (const round of ['one', 'two', 'three']) {
    put('../origin/origin.txt', `${round}\n`);
    await inside('add', '-A');
    await inside('commit', '-q', '-m', round);
  }
  return origin;
}

/** A project cloned from the origin with these flags; `@` is the folder of the origin. */
function clone(...flags: readonly string[]): ProjectOptions {
  return {
    make: async (made) => {
      const origin = await makeOrigin(made);
      const given = flags.map((flag) => flag.replace('@', origin));
      // By URL, because git takes all objects of a plain path.
      await made.git('clone', '-q', ...given, flags.includes('--shared') ? origin : `file://${origin}`, '.');
    },
  };
}

function init(...flags: readonly string[]): ProjectOptions {
  return { make: ({ git }) => git('init', '-q', '-b', 'main', ...flags) };
}

async function setConfig(p: Project, settings: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(settings)) await p.git('config', name, value);
}

/** The file of the git folder as Latin-1. */
async function gitFile(p: Project, name: string): Promise<string> {
  return readFileSync(join(p.top, await p.git('rev-parse', '--git-path', name)), 'latin1');
}

const filterFile = join(fixtures, 'lfs-filter.mjs');

function filter(name: string, kinds: readonly string[]): Variety {
  const big = (leaf: string): string => `${leaf} is big `.repeat(20_000);
  return {
    name,
    options: { files: { '.gitattributes': '*.bin filter=big -text\n' } },
    prepare: async (p) => {
      const program = `'${process.execPath}' '${filterFile}' '${join(p.home, 'big')}'`;
      for (const kind of kinds) await p.git('config', `filter.big.${kind}`, `${program} ${kind}`);
      await p.git('config', 'filter.big.required', 'true');
    },
    agent: `node -e 'fs.writeFileSync(\`big/\${process.env.RUNNER_NODE_ID}.bin\`, \`\${process.env.RUNNER_NODE_ID} is big \`.repeat(20000))'`,
    commits: (leaf) => ({
      [`big/${leaf}.bin`]: `pointer ${createHash('sha256').update(big(leaf)).digest('hex')}\n`,
    }),
    finish: async (p) => {
      for (const file of readdirSync(join(p.dir, 'big')))
        expect(p.read(`big/${file}`)).toBe(big(file.slice(0, -4)));
    },
  };
}

/** As UTF-8, but for one that is not; é once as one character and once as two. */
const oddNames = [
  'with space',
  `quote' and "quotes"`,
  'line\nbreak',
  'tab\tand\rreturn',
  '-leading-dash',
  ':(glob)*',
  'back\\slash',
  ' ',
  ...['\u00e9', 'e\u0301', '日本'].map((name) => Buffer.from(name).toString('latin1')),
  'not-utf8-\xff\xfe',
  'long'.repeat(63),
  Array.from({ length: 20 }, () => 'deep'.repeat(12)).join('/'),
];

/** The name in shell words: every byte in octal, so that no character means anything. */
function shellName(name: string): string {
  const octal = [...name].map(
    (character) => `\\${(character.codePointAt(0) ?? 0).toString(8).padStart(3, '0')}`,
  );
  return `"$(printf '${octal.join('')}')"`;
}

function setHook(p: Project, name: string, script: string): void {
  const file = join(p.top, '.git/hooks', name);
  writeFileSync(file, `#!/bin/sh\n${script} && echo ${name} >> "$HOME/hooks"\n`);
  chmodSync(file, 0o755);
}

export const varieties: readonly Variety[] = [
  { name: 'plain' },
  { name: 'project in a sub-folder', isUsual: true, options: { prefix: 'apps/one/' } },
  {
    name: 'linked work tree',
    isUsual: true,
    options: {
      make: async (made) => {
        const origin = await makeOrigin(made);
        await made.git('-C', origin, 'worktree', 'add', '-q', '-b', 'linked', made.top);
      },
    },
    finish: async (p) => {
      expect(await p.git('rev-parse', '--git-dir')).toContain('/origin/.git/worktrees/');
      expect(await p.git('-C', join(p.base, 'origin'), 'status', '--porcelain')).toBe('');
    },
  },
  { ...filter('LFS-like filter', ['clean', 'smudge']), isUsual: true },
  filter('LFS-like filter process', ['process']),
  {
    name: 'odd names',
    isUsual: true,
    agent: oddNames
      .map(
        (name) =>
          `n=odd/$RUNNER_NODE_ID/${shellName(name)}; mkdir -p "\${n%/*}"; echo "$RUNNER_NODE_ID" > "$n"`,
      )
      .join('\n'),
    commits: (leaf) => Object.fromEntries(oddNames.map((name) => [`odd/${leaf}/${name}`, `${leaf}\n`])),
  },
  {
    name: 'SHA-256',
    options: init('--object-format=sha256'),
    finish: async (p) => expect(await p.git('rev-parse', 'HEAD')).toHaveLength(64),
  },
  {
    name: 'superproject with a submodule',
    options: {
      make: async (made) => {
        const origin = await makeOrigin(made);
        await made.git('init', '-q', '-b', 'main');
        await made.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', origin, 'lib');
        await made.git('-C', 'lib', 'config', 'user.name', 'Module Person');
        await made.git('-C', 'lib', 'config', 'user.email', 'module@test.invalid');
      },
    },
    agent: `echo "$RUNNER_NODE_ID" > lib/lib.txt; git -C lib add -A; git -C lib diff --cached --quiet || git -C lib commit -qm lib`,
    finish: async (p) =>
      expect(await p.git('rev-parse', 'HEAD:lib')).toBe(await p.git('-C', 'lib', 'rev-parse', 'HEAD')),
  },
  {
    name: 'inside a submodule',
    options: {
      // The folder of the whole test is the superproject.
      make: async (made) => {
        const origin = await makeOrigin(made);
        await made.git('clone', '-q', origin, '.');
        await made.git('init', '-q', '-b', 'main', made.base);
        await made.git('-C', made.base, 'submodule', '--quiet', 'add', origin, 'repo');
        await made.git('-C', made.base, 'submodule', '--quiet', 'absorbgitdirs');
      },
    },
    finish: async (p) => {
      expect(await p.git('rev-parse', '--show-superproject-working-tree')).toBe(p.base);
      expect(await p.git('rev-parse', '--git-dir')).toContain('.git/modules/repo');
    },
  },
  {
    name: 'partial clone',
    options: clone('--filter=blob:none'),
    finish: async (p) =>
      expect(await p.git('rev-list', '--objects', '--all', '--missing=print')).toMatch(/^\?[0-9a-f]+$/m),
  },
  {
    name: 'shallow clone',
    options: clone('--depth=1'),
    finish: async (p) => expect(await p.git('rev-parse', '--is-shallow-repository')).toBe('true'),
  },
  {
    name: 'index of version 4',
    prepare: async (p) => {
      await setConfig(p, { 'index.version': '4' });
      await p.git('update-index', '--index-version', '4');
      expect(await gitFile(p, 'index')).toMatch(/^DIRC\0\0\0\u0004/);
    },
  },
  {
    name: 'split index',
    prepare: async (p) => {
      await setConfig(p, { 'core.splitIndex': 'true' });
      await p.git('update-index', '--split-index');
      expect(readdirSync(join(p.top, '.git')).join(' ')).toContain('sharedindex.');
    },
  },
  {
    name: 'untracked cache',
    prepare: async (p) => {
      await setConfig(p, { 'core.untrackedCache': 'true' });
      await p.git('update-index', '--force-untracked-cache');
      await p.status();
      expect(await gitFile(p, 'index')).toContain('UNTR');
    },
  },
  {
    name: 'alternates by --shared',
    options: clone('--shared'),
    prepare: async (p) => expect(await gitFile(p, 'objects/info/alternates')).toContain('/origin/'),
  },
  {
    name: 'alternates by --reference',
    options: clone('--reference', '@'),
    prepare: async (p) => expect(await gitFile(p, 'objects/info/alternates')).toContain('/origin/'),
  },
  {
    name: 'packed refs',
    prepare: async (p) => {
      await p.git('pack-refs', '--all', '--prune');
      expect(existsSync(join(p.top, '.git/refs/heads/runner/test'))).toBe(false);
    },
  },
  {
    name: 'core.autocrlf',
    prepare: (p) => setConfig(p, { 'core.autocrlf': 'true', 'core.safecrlf': 'false' }),
    agent: `printf '%s\\r\\nend\\r\\n' "$RUNNER_NODE_ID" > "$RUNNER_NODE_ID.crlf"; printf 'a\\r\\nb\\0' > "$RUNNER_NODE_ID.bin"`,
    commits: (leaf) => ({ [`${leaf}.crlf`]: `${leaf}\nend\n`, [`${leaf}.bin`]: 'a\r\nb\0' }),
  },
  {
    name: 'attributes',
    options: {
      files: {
        '.gitattributes':
          '* text=auto\n*.crlf text eol=crlf\n*.id ident\n*.raw -text\n*.wide text working-tree-encoding=UTF-16LE-BOM\n',
      },
    },
    agent: `for kind in crlf auto raw; do printf '%s\\r\\n' "$RUNNER_NODE_ID" > "$RUNNER_NODE_ID.$kind"; done
      printf '$Id: old $\\n' > "$RUNNER_NODE_ID.id"; printf '\\377\\376h\\0i\\0\\n\\0' > "$RUNNER_NODE_ID.wide"`,
    commits: (leaf) => ({
      [`${leaf}.crlf`]: `${leaf}\n`,
      [`${leaf}.auto`]: `${leaf}\n`,
      [`${leaf}.raw`]: `${leaf}\r\n`,
      [`${leaf}.id`]: '$Id$\n',
      [`${leaf}.wide`]: 'hi\n',
    }),
  },
  { name: 'core.bigFileThreshold=1', prepare: (p) => setConfig(p, { 'core.bigFileThreshold': '1' }) },
  {
    name: 'git folder elsewhere',
    options: init('--separate-git-dir', '../elsewhere'),
    finish: async (p) => expect(await p.git('rev-parse', '--git-dir')).toBe(join(p.base, 'elsewhere')),
  },
  {
    name: 'hooks on',
    options: { config: '[git]\nrun_hooks = true\n' },
    prepare: async (p) => {
      setHook(p, 'pre-commit', '! git diff --cached --quiet && git diff --quiet');
      setHook(p, 'commit-msg', 'grep -q "^chore(loop): run test iter" "$1"');
    },
    finish: async (p) => {
      const ran = readFileSync(join(p.home, 'hooks'), 'utf8').split('\n');
      const passes = (await p.subjects()).filter((subject) => subject.endsWith('guard=pass'));
      for (const hook of ['pre-commit', 'commit-msg'])
        expect(ran.filter((name) => name === hook).length, hook).toBeGreaterThanOrEqual(passes.length);
    },
  },
  {
    name: 'reftable',
    initFlag: '--ref-format=reftable',
    options: init('--ref-format=reftable'),
    finish: async (p) => expect(await p.git('rev-parse', '--show-ref-format')).toBe('reftable'),
  },
];

/** Honest projects that the rings must not disturb, as a table: how each is made, what a session does, what its guard is. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Project, ProjectOptions } from '../support/project.ts';
import { fixtures } from '../support/shell-agent.ts';

export interface HonestKind {
  readonly name: string;
  /** A program without which it is skipped. */
  readonly needs?: string;
  readonly options?: Pick<ProjectOptions, 'files' | 'prefix'>;
  readonly guard: readonly string[];
  readonly setup?: readonly string[];
  readonly config?: string;
  /** After the first commit, before `runner init`; what it leaves is committed with the run. */
  readonly prepare?: (p: Project) => Promise<unknown>;
  readonly env?: (p: Project) => Readonly<Record<string, string>>;
  /** Shell words of a session; `$RUNNER_NODE_ID` is its leaf. */
  readonly agent: string;
}

const write = `mkdir -p src; echo "part $RUNNER_NODE_ID" > "src/$RUNNER_NODE_ID.txt"`;
const hasParts = `sh -c 'for f in src/*.txt; do grep -q part "$f" || exit 1; done'`;

async function addSubmodule(p: Project): Promise<void> {
  const origin = join(p.home, 'lib-origin');
  await p.git('init', '-q', '-b', 'main', origin);
  writeFileSync(join(origin, 'lib.txt'), 'lib\n');
  await p.git('-C', origin, 'add', '-A');
  await p.git(
    '-C',
    origin,
    '-c',
    'user.name=L',
    '-c',
    'user.email=l@test.invalid',
    'commit',
    '-q',
    '-m',
    'lib',
  );
  await p.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', origin, 'lib');
}

async function setFilter(p: Project): Promise<void> {
  const program = `'${process.execPath}' '${join(fixtures, 'lfs-filter.mjs')}' '${join(p.home, 'big')}'`;
  for (const kind of ['clean', 'smudge', 'process'])
    await p.git('config', `filter.big.${kind}`, `${program} ${kind}`);
  await p.git('config', 'filter.big.required', 'true');
}

async function makeVenv(p: Project): Promise<void> {
  mkdirSync(join(p.dir, '.venv/bin'), { recursive: true });
  writeFileSync(join(p.dir, '.venv/bin/verify'), '#!/bin/sh\nexec grep -q part "$1"\n');
  chmodSync(join(p.dir, '.venv/bin/verify'), 0o755);
  await Promise.resolve();
}

const onPath = (folder: string) => (p: Project) => ({
  PATH: `${join(p.dir, folder)}:${process.env['PATH'] ?? ''}`,
  VIRTUAL_ENV: join(p.dir, '.venv'),
});

export const honestKinds: readonly HonestKind[] = [
  {
    name: 'an agent that commits',
    guard: ['sh', '-c', hasParts],
    agent: `${write}; git add -A; git commit -q -m "feat: $RUNNER_NODE_ID"`,
  },
  {
    name: 'a formatter as guard',
    options: {
      files: {
        'format.sh': `find src -name '*.txt' | while read -r f; do sed -i 's/ *$//' "$f"; done\n! grep -rq ' $' src\n`,
        'src/old.txt': 'part old\n',
      },
    },
    guard: ['sh', 'format.sh'],
    agent: `mkdir -p src; printf 'part %s   \\n' "$RUNNER_NODE_ID" > "src/$RUNNER_NODE_ID.txt"`,
  },
  {
    name: 'a guard on staged files, as lint-staged is one',
    options: {
      files: {
        'staged.sh': `set -e\ngit add -A -- src\ngit diff --cached --name-only --diff-filter=AM -z -- src | xargs -0 -r grep -L part | (! grep .)\ngit stash create > /dev/null\ngit reset -q\n`,
      },
    },
    guard: ['sh', 'staged.sh'],
    agent: write,
  },
  {
    name: 'a guard on all tracked files, as pre-commit is one',
    options: { files: { 'all.sh': `git ls-files -z | xargs -0 grep -L . -- | (! grep 'src/')\n` } },
    guard: ['sh', 'all.sh'],
    agent: write,
  },
  {
    name: 'a folder of the work tree on PATH',
    options: { files: { '.gitignore': '.venv/\n', 'tools/verify': '#!/bin/sh\nexec grep -q part "$1"\n' } },
    guard: ['verify', 'src/a.txt'],
    setup: ['mkdir -p .venv/bin && cp tools/verify .venv/bin/ && chmod +x .venv/bin/verify'],
    prepare: makeVenv,
    env: onPath('.venv/bin'),
    agent: `${write}; verify "src/$RUNNER_NODE_ID.txt"`,
  },
  {
    name: 'an activated virtual environment',
    needs: 'python3',
    options: {
      files: { '.gitignore': '.venv/\n', 'check.py': 'import sys\nassert ".venv" in sys.prefix\n' },
    },
    guard: ['python', 'check.py'],
    setup: ['python3 -m venv --without-pip .venv'],
    prepare: async (p) => {
      const { execa } = await import('execa');
      await execa('python3', ['-m', 'venv', '--without-pip', '.venv'], { cwd: p.dir });
    },
    env: onPath('.venv/bin'),
    agent: write,
  },
  {
    name: 'npm without a network',
    options: {
      files: {
        'package.json': '{"name":"x","version":"1.0.0","scripts":{"test":"node test.js"}}\n',
        'package-lock.json':
          '{"name":"x","version":"1.0.0","lockfileVersion":3,"packages":{"":{"name":"x","version":"1.0.0"}}}\n',
        'test.js': `require('node:fs').readdirSync('.');\n`,
        '.gitignore': 'node_modules/\n',
      },
    },
    guard: ['npm', 'test', '--silent'],
    setup: ['npm ci --offline --silent'],
    agent: write,
  },
  {
    name: "a filter of the user's, as Git LFS is one",
    options: { files: { '.gitattributes': '*.bin filter=big -text\n' } },
    guard: ['sh', '-c', `! grep -l '^pointer' src/*.bin`],
    prepare: setFilter,
    agent: `mkdir -p src; echo "big $RUNNER_NODE_ID" > "src/$RUNNER_NODE_ID.bin"`,
  },
  {
    name: 'autocrlf',
    guard: ['sh', '-c', hasParts],
    prepare: (p) => p.git('config', 'core.autocrlf', 'true'),
    agent: `mkdir -p src; printf 'part %s\\r\\n' "$RUNNER_NODE_ID" > "src/$RUNNER_NODE_ID.txt"; printf 'part x\\n' > "src/lf-$RUNNER_NODE_ID.txt"`,
  },
  {
    name: 'autocrlf with attributes that a session adds to',
    options: { files: { '.gitattributes': '* text=auto\n' } },
    guard: ['sh', '-c', hasParts],
    prepare: (p) => p.git('config', 'core.autocrlf', 'true'),
    agent: `${write}; echo "*.$RUNNER_NODE_ID binary" >> .gitattributes`,
  },
  {
    name: 'generated and ignored build output',
    options: {
      files: {
        '.gitignore': 'out/\n',
        'build.sh': 'mkdir -p out && cat src/*.txt > out/app && grep -q part out/app\n',
      },
    },
    guard: ['sh', 'build.sh'],
    agent: `${write}; sh build.sh`,
  },
  {
    name: 'a folder of a monorepo',
    options: { prefix: 'packages/app/', files: { 'check.sh': hasParts } },
    guard: ['sh', 'check.sh'],
    agent: `${write}; echo shared >> ../../shared.txt`,
  },
  {
    name: 'submodules',
    guard: ['grep', '-q', 'lib', 'lib/lib.txt'],
    prepare: addSubmodule,
    agent: write,
  },
  {
    name: 'hooks on',
    guard: ['sh', '-c', hasParts],
    config: '[git]\nrun_hooks = true\n',
    prepare: async (p) => {
      const file = join(p.top, '.git/hooks/pre-commit');
      writeFileSync(file, '#!/bin/sh\necho ran >> "$HOME/hooks"\n');
      chmodSync(file, 0o755);
      await Promise.resolve();
    },
    agent: write,
  },
  {
    name: 'cargo',
    needs: 'cargo',
    options: {
      files: {
        'Cargo.toml': '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n',
        'src/lib.rs': '#[test]\nfn works() {}\n',
        '.gitignore': 'target/\n',
      },
    },
    guard: ['cargo', 'test', '--offline', '--quiet'],
    setup: ['cargo fetch --offline'],
    env: () => ({
      CARGO_HOME: process.env['CARGO_HOME'] ?? join(process.env['HOME'] ?? '', '.cargo'),
      RUSTUP_HOME: process.env['RUSTUP_HOME'] ?? join(process.env['HOME'] ?? '', '.rustup'),
    }),
    agent: `echo "// $RUNNER_NODE_ID" >> src/lib.rs; cargo test --offline --quiet`,
  },
  {
    name: 'go',
    needs: 'go',
    options: {
      files: {
        'go.mod': 'module example.invalid/x\n\ngo 1.20\n',
        'x.go': 'package x\n\nfunc One() int { return 1 }\n',
      },
    },
    guard: ['go', 'vet', './...'],
    setup: ['go mod download'],
    env: (p) => ({
      GOCACHE: join(p.home, 'go-cache'),
      GOFLAGS: '-mod=mod',
      GOPROXY: 'off',
      GOTOOLCHAIN: 'local',
    }),
    agent: `printf 'package x\\n\\nfunc F%s() int { return 2 }\\n' "$RUNNER_NODE_ID" > "$RUNNER_NODE_ID.go"`,
  },
];

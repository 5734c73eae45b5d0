/**
 * Honest projects in bubblewrap: green inside, or told in one line which setting opens what is missing. `npm test` takes two of them,
 * `npm run test:sandbox` all, with the toolchains in the user's own home folder.
 */
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bwrapName, hasBwrap } from '../support/bwrap.ts';
import { tempFolder, unstartedProject } from '../support/project.ts';

interface Kind {
  readonly name: string;
  /** Programs without which it is skipped. */
  readonly needs: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly guard: readonly string[];
  readonly setup?: readonly string[];
  /** Where its guard must end up. */
  readonly wanted: 'offline' | 'online' | 'outside';
  /** What the guard prints. */
  readonly prints?: () => string;
  /** Needs what only `npm run test:sandbox` may use. */
  readonly isLong?: true;
  /** A folder with programs in `node_modules/.bin`, which is first on PATH and can be read. */
  readonly tools?: () => string;
}

const nodeTest = 'import test from "node:test"; import "./lib.mjs"; test("works", () => {});\n';
const pom =
  '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>b</artifactId><version>1</version><packaging>pom</packaging></project>\n';
const ignore = { '.gitignore': 'node_modules/\ntarget/\n.venv/\n__pycache__/\n' };
const unit =
  'import unittest, sys\nprint(sys.version.split()[0], file=sys.stderr)\nclass T(unittest.TestCase):\n    def test(self): pass\n';
const serve = `require('http').createServer((_, r) => r.end('ok')).listen(0, '127.0.0.1', async function () {
  const answer = await fetch('http://127.0.0.1:' + this.address().port); process.exit(answer.ok ? 0 : 1); });`;

let port = 0;

/** pnpm is a package like any other, so the test brings its own. */
function pnpmFolder(): string {
  const folder = tempFolder('pnpm');
  spawnSync('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefix', folder, 'pnpm@10'], {
    stdio: 'ignore',
  });
  return folder;
}

const kinds: readonly Kind[] = [
  {
    name: 'npm',
    needs: ['npm'],
    files: {
      ...ignore,
      'package.json':
        '{"name":"a","version":"1.0.0","type":"module","scripts":{"test":"node --test a.test.mjs"},"dependencies":{"lib":"file:lib"}}\n',
      'package-lock.json':
        '{"name":"a","version":"1.0.0","lockfileVersion":3,"requires":true,"packages":{"":{"name":"a","version":"1.0.0","dependencies":{"lib":"file:lib"}},"lib":{"version":"1.0.0"},"node_modules/lib":{"resolved":"lib","link":true}}}\n',
      'lib/package.json': '{"name":"lib","version":"1.0.0"}\n',
      'lib.mjs': '',
      'a.test.mjs': nodeTest,
    },
    setup: ['npm ci --offline --no-audit --no-fund'],
    guard: ['npm', 'test'],
    wanted: 'offline',
  },
  {
    name: 'pnpm',
    needs: ['npm'],
    isLong: true,
    tools: pnpmFolder,
    files: {
      ...ignore,
      'package.json':
        '{"name":"a","version":"1.0.0","type":"module","scripts":{"test":"node --test a.test.mjs"},"dependencies":{"lib":"link:lib"}}\n',
      'lib/package.json': '{"name":"lib","version":"1.0.0"}\n',
      'lib.mjs': '',
      'a.test.mjs': nodeTest,
      'check.sh': 'set -e\npnpm install --offline --no-lockfile\npnpm test\n',
    },
    guard: ['sh', 'check.sh'],
    wanted: 'offline',
  },
  {
    name: 'cargo',
    needs: ['cargo'],
    isLong: true,
    files: {
      ...ignore,
      'Cargo.toml': '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n',
      'Cargo.lock': 'version = 3\n\n[[package]]\nname = "a"\nversion = "0.1.0"\n',
      'src/lib.rs': '#[test]\nfn works() {}\n',
    },
    guard: ['cargo', 'test', '--quiet'],
    wanted: 'offline',
  },
  {
    name: 'go',
    needs: ['go'],
    isLong: true,
    files: {
      'go.mod': 'module a\n\ngo 1.20\n',
      'a_test.go': 'package a\n\nimport "testing"\n\nfunc TestA(t *testing.T) {}\n',
    },
    guard: ['go', 'test', './...'],
    wanted: 'offline',
  },
  {
    name: 'maven',
    needs: ['mvn'],
    isLong: true,
    files: { 'pom.xml': pom },
    guard: ['mvn', '-q', '-o', 'validate'],
    wanted: 'offline',
  },
  {
    name: 'python with a virtual environment',
    needs: ['python3'],
    isLong: true,
    files: {
      ...ignore,
      'test_a.py': unit,
      'check.sh': 'set -e\ntest -d .venv || python3 -m venv .venv\n.venv/bin/python -m unittest -q test_a\n',
    },
    guard: ['sh', 'check.sh'],
    wanted: 'offline',
  },
  {
    name: 'python of pyenv in the home folder',
    needs: ['pyenv'],
    isLong: true,
    files: { ...ignore, 'test_a.py': unit },
    guard: ['python3', '-m', 'unittest', '-q', 'test_a'],
    wanted: 'offline',
    prints: () =>
      spawnSync('python3', ['-c', 'import sys; print(sys.version.split()[0])'], {
        encoding: 'utf8',
      }).stdout.trim(),
  },
  {
    name: 'a guard that needs the network',
    needs: [],
    isLong: true,
    files: {
      'check.sh':
        "node -e \"require('net').connect($(cat port), '127.0.0.1').on('error', () => process.exit(1)).on('connect', () => process.exit(0))\"\n",
    },
    guard: ['sh', 'check.sh'],
    wanted: 'online',
  },
  {
    name: 'git commands in the guard',
    needs: [],
    isLong: true,
    files: {
      'check.sh':
        'set -e\ngit log --oneline | grep -q first\ngit status --porcelain > "$TMPDIR/s"\ngit diff --stat HEAD\ngit rev-parse --show-toplevel\ngit ls-files | grep -q check.sh\n',
    },
    guard: ['sh', 'check.sh'],
    wanted: 'offline',
  },
  {
    name: 'a server on a port',
    needs: [],
    files: { 'serve.cjs': serve },
    guard: ['node', 'serve.cjs'],
    wanted: 'offline',
  },
  {
    name: 'a guard that reads the home folder',
    needs: [],
    isLong: true,
    files: { 'check.sh': 'test -e "$HOME/.profile" || test -e "$HOME/.bashrc"\n' },
    guard: ['sh', 'check.sh'],
    wanted: 'outside',
  },
];

const isAll = process.env['RUNNER_SANDBOX_ALL'] !== undefined;
const isThere = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const agent = `name = "command"\ncommand = ["sh", "-c", "echo part >> parts.txt; printf '{\\"status\\":\\"done\\",\\"summary\\":\\"did it\\",\\"children\\":null}' > $RUNNER_OUTPUT"]`;

describe.skipIf(!hasBwrap)(`honest projects in ${bwrapName}`, () => {
  const chosen = kinds.filter(({ isLong = false, needs }) => (isAll || !isLong) && needs.every(isThere));

  test.each(chosen.map((kind) => [kind.name, kind] as const))('%s', async (_name, kind) => {
    const server = createServer((socket) => socket.end());
    onTestFinished(() => void server.close());
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    ({ port } = server.address() as AddressInfo);
    const tools = kind.tools?.() ?? null;
    const path = [
      ...(tools === null ? [] : [join(tools, 'node_modules/.bin')]),
      process.env['PATH'] ?? '',
    ].join(':');
    const read = tools === null ? '' : `read = ["${tools}"]\n`;
    const setup = kind.setup === undefined ? '' : `[automation]\nsetup = ${JSON.stringify(kind.setup)}\n`;
    const p = await unstartedProject({
      files: { ...kind.files, port: String(port) },
      agent,
      guard: kind.guard,
      checkout: 'every',
      config: `${setup}[sandbox]\nkind = "auto"\n${read}`,
    });
    // Toolchains are those of the user; whatever the runner writes goes elsewhere.
    const own = isAll ? { HOME: homedir(), XDG_STATE_HOME: join(p.base, 'state') } : {};
    const pyenv = process.env['PYENV_ROOT'] === undefined ? {} : { PYENV_ROOT: process.env['PYENV_ROOT'] };
    const env = { PATH: path, ...own, ...pyenv };
    if (kind.setup !== undefined)
      for (const words of kind.setup) spawnSync('sh', ['-c', words], { cwd: p.dir, stdio: 'ignore' });
    const started = await p.runWith(env, 'start');
    expect(started, started.err).toMatchObject({ code: 0 });
    expect(p.runState().guard_baseline, started.err + p.log(0, 'guard.log')).toBe('green');
    const stepped = await p.runWith(env, 'step');
    expect(stepped, stepped.err + started.err).toMatchObject({ code: 0 });
    expect(p.meta(1), started.err).toMatchObject({
      guard: 'pass',
      rings: { sandbox: 'bwrap', guard: kind.wanted, checkout: 'every' },
    });
    if (kind.prints !== undefined) expect(p.log(1, 'guard.log')).toContain(kind.prints());
    // What is not the safest way is told, with the setting.
    const told = /the guard runs .*runner config set (sandbox\.\w+)/.exec(started.err)?.[1] ?? null;
    expect(told).toBe(
      { offline: null, online: 'sandbox.guard_network', outside: 'sandbox.guard' }[kind.wanted],
    );
  });
});

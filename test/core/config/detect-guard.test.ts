import { expect, test } from 'vitest';

import { detectGuard } from '../../../src/core/config/detect-guard.ts';
import type { ProjectFacts } from '../../../src/core/config/detect-guard.ts';

const empty: ProjectFacts = { names: [], texts: {} };
const tests = JSON.stringify({ scripts: { test: 'vitest run' } });

interface Files {
  readonly names?: readonly string[];
  readonly justfile?: string | null;
  readonly packageJson?: string | null;
  readonly makefile?: string | null;
}

function command({ names = [], justfile = null, packageJson = null, makefile = null }: Files): string | null {
  const files = { justfile, 'package.json': packageJson, Makefile: makefile };
  const texts = Object.fromEntries(
    Object.entries(files).flatMap(([name, text]) => (text === null ? [] : [[name, text]])),
  );
  const found = detectGuard({ names, texts });
  return found.warning === null ? found.command.join(' ') : null;
}

test.each([
  'ci:\n',
  'ci: check\n\techo',
  'default:\n\nci arg="x":\n',
  '@ci:\n',
  'x := "1"\nci *args: fmt\n',
  'alias ci := check\n',
])('justfile %j has the recipe', (justfile) => {
  expect(command({ justfile, packageJson: tests })).toBe('just ci');
});

test.each(['ci := "x"\n', 'check:\n\tci: x\n', '# ci:\n', 'cinema:\n', 'build: ci\n', ''])(
  'justfile %j has not',
  (justfile) => {
    expect(command({ justfile })).toBeNull();
    expect(command({ justfile, packageJson: tests })).toBe('npm test');
  },
);

test.each([
  '{',
  '{}',
  '{"scripts":{}}',
  '{"scripts":null}',
  '{"scripts":{"test":""}}',
  '{"scripts":{"test":3}}',
  '"x"',
  'null',
  '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}',
])('package.json %s has no test script', (packageJson) => {
  expect(command({ packageJson, names: ['go.mod'] })).toBe('go test ./...');
});

test.each(['test:\n', 'test: build\n\tgo', 'build test check: x\n', '.PHONY: test\ntest::\n', 'test x:\n'])(
  'Makefile %j has the target',
  (makefile) => {
    expect(command({ makefile })).toBe('make test');
  },
);

test.each([
  'test := 1\n',
  'test = 1\n',
  'test ::= 1\n',
  '# test:\n',
  '.PHONY: test\n',
  '\ttest:\n',
  'mytest:\n',
  'a: test\n',
])('Makefile %j has not', (makefile) => {
  expect(command({ makefile })).toBeNull();
});

test('the first of the list wins', () => {
  const all = { justfile: 'ci:\n', packageJson: tests, makefile: 'test:\n', names: ['Cargo.toml', 'go.mod'] };
  expect(command(all)).toBe('just ci');
  expect(command({ ...all, justfile: null })).toBe('npm test');
  expect(command({ ...all, justfile: null, packageJson: null })).toBe('make test');
  const bare = { ...all, justfile: null, packageJson: null, makefile: null };
  expect(command(bare)).toBe('cargo test');
  expect(command({ ...bare, names: ['go.mod'] })).toBe('go test ./...');
});

test('nothing found: just ci and what is missing', () => {
  expect(detectGuard(empty)).toEqual({
    command: ['just', 'ci'],
    because: null,
    warning:
      'no check found: there is no justfile, package.json test script, Makefile test target, Cargo.toml, go.mod or tests of Python (tox, nox, pytest). The guard is "just ci"; add that recipe or set guard.command in .runner/state/config.toml',
  });
  expect(detectGuard({ ...empty, texts: { '.justfile': 'x:\n' } }).warning).toContain(
    'the justfile has no recipe "ci"',
  );
});

test.each<[readonly string[], Readonly<Record<string, string>>, string]>([
  [['tox.ini'], { 'tox.ini': '[tox]\nenvlist = py3\n' }, 'tox'],
  [['pyproject.toml'], { 'pyproject.toml': '[tool.tox]\n' }, 'tox'],
  [['noxfile.py'], {}, 'nox'],
  [['noxfile.py', 'uv.lock'], {}, 'uv run nox'],
  [['pytest.ini'], {}, 'python3 -m pytest'],
  [['conftest.py', 'poetry.lock'], {}, 'poetry run pytest'],
  [['pyproject.toml', 'uv.lock'], { 'pyproject.toml': '[tool.pytest.ini_options]\n' }, 'uv run pytest'],
  [
    ['pyproject.toml'],
    { 'pyproject.toml': '[dependency-groups]\ndev = ["pytest>=8"]\n' },
    'python3 -m pytest',
  ],
  [['setup.cfg'], { 'setup.cfg': '[tool:pytest]\n' }, 'python3 -m pytest'],
  [['tox.ini'], { 'tox.ini': '[pytest]\n' }, 'python3 -m pytest'],
])('Python: %j', (names, texts, wanted) => {
  const { command: found, because } = detectGuard({ names, texts });
  expect(found.join(' ')).toBe(wanted);
  expect(because).not.toBeNull();
});

test('a Python project without tests has no check', () => {
  expect(command({ names: ['pyproject.toml', 'uv.lock'] })).toBeNull();
});

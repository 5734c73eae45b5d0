/** Guards that can never fail, or never succeed, are seen; whatever could go either way is not called so. */
import { expect, test } from 'vitest';
import { guardSource, judgeGuard } from '../../../src/core/config/guard-ability.ts';

test.each([
  [['true'], { kind: 'always', name: 'true' }],
  [['/bin/echo', 'x'], { kind: 'always', name: 'echo' }],
  [['ls'], { kind: 'always', name: 'ls' }],
  [['ls', 'needed.txt'], { kind: 'file' }],
  [['sh', '-c', 'make'], { kind: 'shell', text: 'make', stopsOnError: false }],
  [['bash', '-euc', 'make'], { kind: 'shell', text: 'make', stopsOnError: true }],
  [['bash', '-o', 'errexit', '-c', 'make'], { kind: 'shell', text: 'make', stopsOnError: true }],
  [['sh', 'check.sh'], { kind: 'file' }],
  [['sh', '-c'], { kind: 'file' }],
  [['npm', 'test'], { kind: 'package_script', name: 'test' }],
  [['npm', '--silent', 'run', 'ci'], { kind: 'package_script', name: 'ci' }],
  [['npm', 'run'], { kind: 'package_script', name: '' }],
  [['npm', 'ci'], { kind: 'file' }],
  [['npm'], { kind: 'file' }],
  [['just', 'ci'], { kind: 'just', recipe: 'ci' }],
  [['just'], { kind: 'file' }],
  [['just', '--justfile', 'x', 'ci'], { kind: 'file' }],
  [['./check'], { kind: 'file' }],
  [[], { kind: 'file' }],
] as const)('%j', (command, source) => {
  expect(guardSource([...command])).toEqual(source);
});

test.each([
  ['make test', 'ok'],
  ['make test && echo fine', 'ok'],
  ['true', 'fail'],
  ['exit 0', 'fail'],
  ['make test || true', 'fail'],
  ['make test || echo "never mind"', 'fail'],
  ['make test; exit 0', 'fail'],
  ['make test; true', 'fail'],
  ['set -e; make test; echo fine', 'ok'],
  ['set -e; true; echo fine', 'fail'],
  ['make test\n# the end\necho fine\n', 'fail'],
  ['exit 1', 'ok'],
  ['', 'fail'],
  ['# only words', 'fail'],
])('a script %j: %s', (text, status) => {
  expect(judgeGuard({ kind: 'shell', text, stopsOnError: false }, null).status).toBe(status);
  expect(judgeGuard({ kind: 'file' }, text).status).toBe(status);
  expect(judgeGuard({ kind: 'package_script', name: 'test' }, text).status).toBe(status);
});

test('a shell that stops at the first error can fail before its last line', () => {
  expect(judgeGuard({ kind: 'shell', text: 'make; echo fine', stopsOnError: true }, null).status).toBe('ok');
});

test.each([
  ['ci:\n    make test\n', 'ok'],
  ['ci: test lint\n', 'ok'],
  ['ci: test\n    echo fine\n', 'ok'],
  ['# words\n[private]\nci:\n    @echo fine\n    -make test\n', 'fail'],
  ['ci:\n', 'fail'],
  ['ci:\n    true\n    make\n', 'ok'],
  ['ci:\n    #!/bin/sh\n    true\n', 'ok'],
])('a recipe %j: %s', (text, status) => {
  expect(judgeGuard({ kind: 'just', recipe: 'ci' }, text).status).toBe(status);
});

test('what is not there, and what always fails', () => {
  expect(judgeGuard({ kind: 'just', recipe: 'ci' }, null).message).toBe("the justfile has no recipe 'ci'");
  expect(judgeGuard({ kind: 'package_script', name: 'ci' }, null).message).toBe(
    "package.json has no script 'ci'",
  );
  const placeholder = 'echo "Error: no test specified" && exit 1';
  expect(judgeGuard({ kind: 'package_script', name: 'test' }, placeholder)).toEqual({
    status: 'fail',
    message: "the script 'test' is the placeholder of npm init, which always fails",
  });
  expect(judgeGuard({ kind: 'always', name: 'true' }, null).message).toContain('true always succeeds');
  expect(judgeGuard({ kind: 'file' }, null).status).toBe('ok');
});

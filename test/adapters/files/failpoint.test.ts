import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { bundleAdapters } from '../../support/adapter-bundle.ts';
import { scratchFolder } from '../../support/scratch.ts';

const bundle = await bundleAdapters(['files/failpoint']);
const code = `
  adapters.failpoint('write:before:a');
  adapters.failpoint('write:after:a');
  adapters.failpoint('rename:before:a');
  process.stdout.write('end');
`;

test('without the variables it does nothing', () => {
  expect(bundle.run({ code })).toMatchObject({ exitCode: 0, stdout: 'end', stderr: '' });
});

test('the log lists every hit in order', () => {
  const log = path.join(scratchFolder(), 'log');
  expect(bundle.run({ code, env: { RUNNER_FAILPOINT_LOG: log } }).stdout).toBe('end');
  expect(readFileSync(log, 'utf8')).toBe('write:before:a\nwrite:after:a\nrename:before:a\n');
});

test('the process dies by SIGKILL at the hit, which is still logged, and nothing after it runs', () => {
  const log = path.join(scratchFolder(), 'log');
  const result = bundle.run({ code, env: { RUNNER_FAILPOINT_LOG: log, RUNNER_FAILPOINT: '2' } });
  expect(result).toMatchObject({ exitCode: null, signal: 'SIGKILL', stdout: '' });
  expect(readFileSync(log, 'utf8')).toBe('write:before:a\nwrite:after:a\n');
});

test('a number past the last hit changes nothing', () => {
  expect(bundle.run({ code, env: { RUNNER_FAILPOINT: '4' } })).toMatchObject({ exitCode: 0, stdout: 'end' });
});

test.each(['0', '-1', 'x', '1.5', ''])('"%s" is refused instead of being ignored', (value) => {
  const result = bundle.run({ code, env: { RUNNER_FAILPOINT: value } });
  expect(result.exitCode).toBe(1);
  expect(result.stderr).toContain(`RUNNER_FAILPOINT is "${value}"`);
});

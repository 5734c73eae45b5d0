import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { notifier } from '../../../src/adapters/processes/notifier.ts';
import { scratchFolder, waitUntil } from '../../support/scratch.ts';

const env = { PATH: process.env['PATH'], OPENAI_API_KEY: 'secret' };

test('the program gets one line of JSON, in the project folder, without credentials', async () => {
  const projectDir = scratchFolder();
  const command = ['sh', '-c', 'cat > got.json; env > env.txt'];
  expect(
    await notifier({ projectDir, env }).send({ command, payload: { status: 'complete', text: 'ü' } }),
  ).toBeNull();
  expect(readFileSync(join(projectDir, 'got.json'), 'utf8')).toBe('{"status":"complete","text":"ü"}\n');
  expect(readFileSync(join(projectDir, 'env.txt'), 'utf8')).not.toContain('secret');
});

test('a program that does not read its input is fine', async () => {
  const projectDir = scratchFolder();
  const payload = 'x'.repeat(5_000_000);
  expect(await notifier({ projectDir, env }).send({ command: ['true'], payload })).toBeNull();
});

test.each([
  [['sh', '-c', 'exit 3'], /^notify\.command \(sh -c "exit 3"\) ended with exit code 3$/],
  [['sh', '-c', 'kill -9 $$'], /failed: /],
  [['no-such-program-here'], /^notify\.command \(no-such-program-here\) failed: .*ENOENT/],
  [[], /failed: /],
])('%j gives a warning', async (command, warning) => {
  expect(await notifier({ projectDir: scratchFolder(), env }).send({ command, payload: 1 })).toMatch(warning);
});

test('one that hangs is ended with all it started', async () => {
  const projectDir = scratchFolder();
  const command = ['sh', '-c', 'sleep 600 & echo $! > child; wait'];
  const sent = notifier({ projectDir, env, timeoutMs: 1500 }).send({ command, payload: 1 });
  const pid = await waitUntil(
    'the child',
    () => existsSync(join(projectDir, 'child')) && Number(readFileSync(join(projectDir, 'child'), 'utf8')),
  );
  expect(await sent).toMatch(/was ended after 1.5 s$/);
  await waitUntil('the child to be gone', () => {
    const status = existsSync(`/proc/${pid}/status`)
      ? readFileSync(`/proc/${pid}/status`, 'utf8')
      : 'State:\tZ';
    return /State:\s+[ZX]/.test(status);
  });
});

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/adapters/files/clock.ts';
import { runCaptured } from '../../../src/adapters/processes/captured-run.ts';
import { fixtures } from '../../support/adapter-bundle.ts';
import { scratchFolder } from '../../support/scratch.ts';

function run(argv: readonly string[], timeoutMs = 60_000): Promise<string | null> {
  return runCaptured({
    argv,
    cwd: scratchFolder(),
    env: { PATH: process.env['PATH'] ?? '' },
    timeoutMs,
    bytesMax: 10_000,
    clock: systemClock(),
    interrupts: { current: () => null, subscribe: () => () => undefined },
  });
}

test('what a program prints on stdout, and nothing of one that fails', async () => {
  expect(await run(['sh', '-c', 'echo one; echo two >&2'])).toBe('one\n');
  expect(await run(['sh', '-c', 'echo one; exit 1'])).toBeNull();
  expect(await run(['sh', '-c', 'echo one; kill -9 $$'])).toBeNull();
  expect(await run(['no-such-program-here'])).toBeNull();
});

test('one that hangs or floods is ended', async () => {
  expect(await run(['sh', '-c', 'echo one; sleep 600'], 300)).toBeNull();
  expect(await run(['yes'])).toBeNull();
});

test('a child that holds the output is not waited for', async () => {
  expect(await run([process.execPath, join(fixtures, 'leaves-grandchild.mjs')])).toMatch(/\d/);
});

import path from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/adapters/files/clock.ts';
import { repositoryLock } from '../../../src/adapters/runs/repository-lock.ts';
import { RunnerError } from '../../../src/core/errors.ts';
import { scratchFolder, waitUntil } from '../../support/scratch.ts';

test('a living holder is waited for, two minutes at most', async () => {
  const root = scratchFolder();
  let now = 0;
  let looks = 0;
  const monotonicMs = (): number => {
    looks += 1;
    return now;
  };
  const lock = repositoryLock({
    file: path.join(root, 'runner', 'lock'),
    root,
    quarantineDir: path.join(root, 'quarantine'),
    clock: { ...systemClock(), monotonicMs },
    onNote: () => {},
  });
  const ends: string[] = [];
  const wait = async (name: string): Promise<void> => {
    const end = await lock
      .hold(name, async () => 'held')
      .catch((error: unknown) => (error instanceof RunnerError ? error.code : 'other'));
    ends.push(`${name}: ${end}`);
  };
  const others: Promise<void>[] = [];
  await lock.hold('first', async () => {
    others.push(wait('early'));
    now = 60_000;
    const before = looks;
    await waitUntil('more tries', () => looks > before + 6);
    others.push(wait('late'));
    now = 121_000;
    await waitUntil('the end of one', () => ends.length > 0);
  });
  await Promise.all(others);
  expect(ends).toEqual(['early: LOCKED', 'late: held']);
});

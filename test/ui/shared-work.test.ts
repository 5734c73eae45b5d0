/** Work that is shared: few times for many, and never an answer from before the question. */
import { expect, test } from 'vitest';
import { sharedWork } from '../../src/ui/shared-work.ts';

test('whoever asks while it is done gets the next one, together with all others', async () => {
  let state = 0;
  let times = 0;
  const gates: (() => void)[] = [];
  const ask = sharedWork(async () => {
    times += 1;
    const seen = state;
    await new Promise<void>((resolve) => gates.push(resolve));
    return seen;
  });
  const first = ask();
  state = 1;
  const others = Array.from({ length: 50 }, () => ask());
  gates[0]?.();
  expect(await first).toBe(0);
  gates[1]?.();
  expect(new Set(await Promise.all(others))).toEqual(new Set([1]));
  expect(times).toBe(2);
  state = 2;
  const last = ask();
  gates[2]?.();
  expect(await last).toBe(2);
});

test('a failure is that of those who asked, and the next work is done', async () => {
  let isBroken = true;
  const ask = sharedWork(async () => {
    if (isBroken) throw new Error('broken');
    return 'fine';
  });
  const [first, second] = [ask(), ask()];
  await expect(first).rejects.toThrow('broken');
  await expect(second).rejects.toThrow('broken');
  isBroken = false;
  expect(await ask()).toBe('fine');
});

import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { layout } from '../../../src/adapters/files/layout.ts';
import { runStateStore } from '../../../src/adapters/project/run-state-store.ts';
import { defaultRunState, renderRunState } from '../../../src/core/iteration/run-state.ts';
import { stateFileBytesMax } from '../../../src/core/limits.ts';
import { scratchFolder } from '../../support/scratch.ts';

test('[ancestor: run_state run_state_round_trips] on disk: what is saved loads equal', async () => {
  const place = layout(scratchFolder());
  const store = runStateStore(place);
  expect(await store.load()).toEqual(defaultRunState);
  const state = { ...defaultRunState, run_id: 'r', next_iter: 4, last_summary: 'ü' };
  await store.save(state);
  expect(readFileSync(place.runState, 'utf8')).toBe(renderRunState(state));
  expect(await store.load()).toEqual(state);
});

test('what is no run state is named with its problems', async () => {
  const place = layout(scratchFolder());
  mkdirSync(dirname(place.runState), { recursive: true });
  writeFileSync(place.runState, '{"next_iter":0,"extra":1}');
  await expect(runStateStore(place).load()).rejects.toMatchObject({
    code: 'RUN_STATE_INVALID',
    message: `${place.runState} is not a valid run state`,
    details: [expect.stringContaining('extra') as unknown, expect.stringContaining('next_iter') as unknown],
    hint: `git restore -- ${place.runState}`,
  });
  writeFileSync(place.runState, Buffer.alloc(stateFileBytesMax + 1));
  await expect(runStateStore(place).load()).rejects.toMatchObject({ code: 'RUN_STATE_INVALID' });
});

test('a link is refused', async () => {
  const place = layout(scratchFolder());
  mkdirSync(dirname(place.runState), { recursive: true });
  writeFileSync(`${place.runState}.real`, renderRunState(defaultRunState));
  symlinkSync(`${place.runState}.real`, place.runState);
  await expect(runStateStore(place).load()).rejects.toMatchObject({ code: 'RUN_STATE_INVALID' });
  await expect(runStateStore(place).save(defaultRunState)).rejects.toMatchObject({ code: 'LAYOUT_INVALID' });
});

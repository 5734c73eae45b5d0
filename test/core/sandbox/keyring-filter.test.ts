import { expect, test } from 'vitest';
import { keyringFilter } from '../../../src/core/sandbox/keyring-filter.ts';

/** As the kernel plays it: the action for a call with this number. */
function play(audit: number, number: number): number {
  const view = new DataView(keyringFilter().buffer);
  let held = 0;
  for (let at = 0; ; at += 1) {
    const [code, value] = [view.getUint16(at * 8, true), view.getUint32(at * 8 + 4, true)];
    const jump = (holds: boolean): number => view.getUint8(at * 8 + (holds ? 2 : 3));
    if (code === 0x06) return value;
    if (code === 0x20) held = value === 4 ? audit : number;
    if (code === 0x54) held = (held & value) >>> 0;
    if (code === 0x15) at += jump(held === value);
    if (code === 0x35) at += jump(held >= value);
  }
}

test.each([
  ['x86_64', 0xc000003e, 248],
  ['i386', 0x40000003, 286],
  ['aarch64', 0xc00000b7, 217],
  ['arm', 0x40000028, 309],
])('%s: the three calls are refused, those beside them allowed', (_name, audit, first) => {
  const refused = [first, first + 1, first + 2, 0x40000000 + first];
  expect(refused.map((number) => play(audit, number))).toEqual(refused.map(() => 0x00050001));
  const allowed = [0, first - 1, first + 3, 1000];
  expect(allowed.map((number) => play(audit, number))).toEqual(allowed.map(() => 0x7fff0000));
});

test('what it does not know is allowed', () => {
  expect(play(0x16, 248)).toBe(0x7fff0000);
});

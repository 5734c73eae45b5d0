/**
 * A filter of system calls (seccomp) that refuses those of the kernel's key rings, which no namespace divides: a session would read and
 * change the keys of the user's own. As the bytes that bubblewrap reads; it allows everything else.
 */

/** Numbers of add_key, request_key and keyctl, which follow each other, by the kernel's names of what it runs on. */
const machines = [
  { audit: 0xc000003e, first: 248 },
  { audit: 0x40000003, first: 286 },
  { audit: 0xc00000b7, first: 217 },
  { audit: 0x40000028, first: 309 },
] as const;

const calls = 3;
const allow = 0x7fff0000;
const refuse = 0x00050001;

interface Step {
  readonly code: number;
  readonly value: number;
  /** Steps to pass over when the comparison holds, and when not. */
  readonly yes?: number;
  readonly no?: number;
}

const load = 0x20;
const equals = 0x15;
const isAtLeast = 0x35;
const mask = 0x54;
const end = 0x06;

const steps: readonly Step[] = [
  { code: load, value: 4 },
  ...machines.flatMap(({ audit, first }): readonly Step[] => [
    { code: equals, value: audit, no: 6 },
    { code: load, value: 0 },
    // The same calls with short pointers.
    { code: mask, value: 0xbfffffff },
    { code: isAtLeast, value: first, no: 2 },
    { code: isAtLeast, value: first + calls, yes: 1 },
    { code: end, value: refuse },
    { code: end, value: allow },
  ]),
  { code: end, value: allow },
];

export function keyringFilter(): Uint8Array {
  const view = new DataView(new ArrayBuffer(steps.length * 8));
  for (const [index, { code, value, yes = 0, no = 0 }] of steps.entries()) {
    view.setUint16(index * 8, code, true);
    view.setUint8(index * 8 + 2, yes);
    view.setUint8(index * 8 + 3, no);
    view.setUint32(index * 8 + 4, value, true);
  }
  return new Uint8Array(view.buffer);
}

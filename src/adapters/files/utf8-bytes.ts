/** Finds where UTF-8 characters begin and end in raw bytes, which may be invalid. Pure; it only computes positions. */
import { isUtf8 } from 'node:buffer';

const windowBytes = 64 * 1024;
/** The longest tail of a character after its first byte. */
const continuationMax = 3;

/** Offset of the first byte that is not part of valid UTF-8; the length when all of it is valid. */
export function firstInvalidByte(bytes: Uint8Array): number {
  let valid = 0;
  for (const window of [windowBytes, continuationMax + 1]) {
    for (let run = validRun(bytes, { from: valid, window }); run > 0;) {
      valid += run;
      run = validRun(bytes, { from: valid, window });
    }
  }
  return valid;
}

/** How many of the first bytes to leave out so that the rest does not start inside a character. */
export function continuationsAtStart(bytes: Uint8Array): number {
  let count = 0;
  while (count < continuationMax && isContinuation(bytes[count])) count += 1;

  return count;
}

/** How many of the last bytes belong to a character that is not complete. */
export function unfinishedAtEnd(bytes: Uint8Array): number {
  let tail = 0;
  while (tail < continuationMax && isContinuation(bytes[bytes.length - 1 - tail])) tail += 1;

  const lead = bytes[bytes.length - 1 - tail];
  return lead !== undefined && characterLength(lead) > tail + 1 ? tail + 1 : 0;
}

/** A window may end inside a character: up to three bytes less are tried too. */
function validRun(bytes: Uint8Array, place: { readonly from: number; readonly window: number }): number {
  const whole = Math.min(place.window, bytes.length - place.from);
  for (let run = whole; run > 0 && run >= whole - continuationMax; run -= 1)
    if (isUtf8(bytes.subarray(place.from, place.from + run))) return run;

  return 0;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function characterLength(lead: number): number {
  if (lead >= 0xf0) return 4;

  if (lead >= 0xe0) return 3;

  return lead >= 0xc0 ? 2 : 1;
}

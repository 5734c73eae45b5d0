/**
 * Redacts secrets in text that leaves the machine: known values, and anything shaped like a token, a key or a password. It can
 * miss a secret of an unknown shape, so people still have to check the text before they share it. Pure; apart from secrets the
 * text stays the same.
 */

export const redactedWord = '[redacted]';

/** Shorter values would be found in the middle of ordinary words. */
const secretLengthMin = 6;

/** Replaced as a whole. */
const shapes: readonly RegExp[] = [
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[^]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|$)/g,
  /\bgh[pousr]_[A-Za-z0-9]{30,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/g,
  /\bglpat-[A-Za-z0-9_-]{16,}/g,
  /\bnpm_[A-Za-z0-9]{30,}/g,
  /\bpypi-[A-Za-z0-9_-]{50,}/g,
  /\bsk-[A-Za-z0-9_-]{20,}/g,
  /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
  /\bya29\.[A-Za-z0-9_-]{20,}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  /\bfk-[A-Za-z0-9_-]{20,}/g,
  /\bhf_[A-Za-z0-9]{30,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g,
];

/** The first group stays. */
const places: readonly RegExp[] = [
  /\b((?:authorization|proxy-authorization)["']?\s{0,4}[:=]\s{0,4}["']?(?:bearer|basic|token)\s{1,4})[A-Za-z0-9._~+/=-]{6,}/gi,
  /\b((?:bearer)\s{1,4})[A-Za-z0-9._~+/=-]{20,}/gi,
  /\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/?#@"'<>]{0,200}:)[^\s/?#@"'<>]{1,500}(?=@)/gi,
  /\b([A-Z0-9_]{0,40}(?:API_?KEY|SECRET|TOKEN|PASSWORD|PASSWD|ACCESS_KEY|PRIVATE_KEY)[A-Z0-9_]{0,40}["']?\s{0,4}[:=]\s{0,4}["']?)[^\s"',;\\]{8,}/g,
];

/** The end of a key whose beginning was cut off. */
const keyTail = /^[^]*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----/;

/** `values`: texts that are secret wherever they occur; short ones are ignored. */
export function redactor(values: readonly string[]): (text: string) => string {
  const known = [...new Set(values)]
    .filter((value) => value.length >= secretLengthMin)
    // The longest first: one may be part of another.
    .toSorted((a, b) => b.length - a.length);
  return (text) => {
    let left = text;
    for (const value of known) left = left.replaceAll(value, () => redactedWord);
    for (const shape of shapes) left = left.replaceAll(shape, redactedWord);
    for (const place of places)
      left = left.replaceAll(place, (_all, kept: string) => `${kept}${redactedWord}`);
    return left.replace(keyTail, redactedWord);
  };
}

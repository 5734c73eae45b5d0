/** Parses a `Range` header: which bytes of a file it asks for. Only one range of bytes is supported. */

export type ByteRange =
  | { readonly kind: 'all' }
  /** Both ends included. */
  | { readonly kind: 'part'; readonly start: number; readonly end: number }
  | { readonly kind: 'none' };

export function parseRange(header: string | null, size: number): ByteRange {
  if (header === null) return { kind: 'all' };
  const [, first, last] = /^bytes=([0-9]{0,15})-([0-9]{0,15})$/.exec(header.trim()) ?? [];
  if (first === undefined || last === undefined || first + last === '') return { kind: 'none' };
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return start <= end ? { kind: 'part', start, end } : { kind: 'none' };
}

import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { systemHasher } from '../../../src/adapters/files/hasher.ts';

test('sha256 of the UTF-8 bytes, in hex', () => {
  const hasher = systemHasher();
  expect(hasher.sha256('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  expect(hasher.sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(hasher.sha256('é')).toBe('4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c');
});

test('a long text as a short one, wherever characters begin and end', () => {
  const hasher = systemHasher();
  for (const text of [
    '🙂'.repeat(100_000),
    `x${'🙂'.repeat(100_000)}`,
    'é'.repeat(65_536),
    '\ud83d'.repeat(65_537),
  ])
    expect(hasher.sha256(text)).toBe(createHash('sha256').update(text, 'utf8').digest('hex'));
});

test('cookies are long, plain and never the same', () => {
  const hasher = systemHasher();
  const cookies = Array.from({ length: 1000 }, () => hasher.cookie());
  expect(new Set(cookies).size).toBe(1000);
  expect(cookies.every((cookie) => /^[0-9a-f]{32}$/.test(cookie))).toBe(true);
});

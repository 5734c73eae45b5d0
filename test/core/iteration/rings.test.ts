import { expect, test } from 'vitest';
import { renderRings } from '../../../src/core/iteration/rings.ts';

test('the rings that are on, in one line', () => {
  expect(renderRings({ settings: true, checkout: 'final' })).toBe('settings refs checkout=final');
  expect(renderRings({ settings: false, checkout: 'off' })).toBe('checkout=off');
});

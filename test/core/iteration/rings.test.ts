/** §14: which rings are on, in one line. */
import { expect, test } from 'vitest';
import { checkoutHash } from '../../../src/core/iteration/checkout-plan.ts';
import { renderRings, ringsOf } from '../../../src/core/iteration/rings.ts';
import { configWith, sha256 } from '../../support/facts.ts';

test('auto counts as off until it is decided', () => {
  const config = configWith();
  const rings = (guard_checkout: Parameters<typeof ringsOf>[0]['runState']['guard_checkout']) =>
    ringsOf({ config, runState: { guard_checkout }, sha256 });
  expect(rings(null)).toEqual({ sandbox: 'none', settings: true, checkout: 'off' });
  const decided = { mode: 'final', reason: '', sha256: checkoutHash({ config, sha256 }) } as const;
  expect(rings(decided)).toEqual({ sandbox: 'none', settings: true, checkout: 'final' });
});

test('one line', () => {
  expect(renderRings({ sandbox: 'none', settings: true, checkout: 'every' })).toBe(
    'sandbox=none settings=on checkout=every',
  );
  expect(renderRings({ sandbox: 'docker', settings: false, checkout: 'off' })).toBe(
    'sandbox=docker settings=off checkout=off',
  );
});

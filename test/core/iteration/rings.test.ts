/** §14: which rings are on, in one line. */
import { expect, test } from 'vitest';
import { checkoutHash } from '../../../src/core/iteration/checkout-plan.ts';
import { describeSandbox, renderProcesses, renderRings, ringsOf } from '../../../src/core/iteration/rings.ts';
import { configWith, sha256 } from '../../support/facts.ts';

test('auto counts as off until it is decided', () => {
  const config = configWith();
  const rings = (guard_checkout: Parameters<typeof ringsOf>[0]['runState']['guard_checkout']) =>
    ringsOf({ config, runState: { guard_checkout }, sha256 });
  expect(rings(null)).toEqual({ sandbox: 'none', guard: 'outside', settings: true, checkout: 'off' });
  const decided = { mode: 'final', reason: '', sha256: checkoutHash({ config, sha256 }) } as const;
  expect(rings(decided)).toEqual({ sandbox: 'none', guard: 'outside', settings: true, checkout: 'final' });
});

test('one line', () => {
  expect(renderRings({ sandbox: 'none', guard: 'outside', settings: true, checkout: 'every' })).toBe(
    'sandbox=none settings=on checkout=every',
  );
  expect(renderRings({ sandbox: 'docker', guard: 'online', settings: false, checkout: 'off' })).toBe(
    'sandbox=docker guard=online settings=off checkout=off',
  );
});

test('where the guard runs', () => {
  const config = configWith();
  const guardOf = (sandbox: Partial<typeof config.sandbox>) =>
    ringsOf({
      config: { ...config, sandbox: { ...config.sandbox, ...sandbox } },
      runState: { guard_checkout: null },
      sha256,
    });
  expect(guardOf({ kind: 'bwrap', guard: true, guard_network: false })).toMatchObject({
    sandbox: 'bwrap',
    guard: 'offline',
  });
  expect(guardOf({ kind: 'bwrap', guard: true, guard_network: true }).guard).toBe('online');
  expect(guardOf({ kind: 'bwrap', guard: false, guard_network: false }).guard).toBe('outside');
  expect((['none', 'bwrap', 'docker'] as const).map((sandbox) => renderProcesses({ sandbox }))).toEqual([
    'group+cookie',
    'group+cookie+namespace',
    'group+cookie+container',
  ]);
});

test('what status shows of the sandbox', () => {
  const config = configWith();
  expect(describeSandbox(config, { setting: 'auto', isStarted: false })).toEqual({
    setting: 'auto',
    kind: null,
    guard: null,
    permissions: null,
  });
  expect(describeSandbox(config, { setting: 'auto', isStarted: true })).toMatchObject({
    kind: 'none',
    guard: 'outside',
  });
  expect(describeSandbox(config, { setting: 'none', isStarted: false })).toMatchObject({ kind: 'none' });
});

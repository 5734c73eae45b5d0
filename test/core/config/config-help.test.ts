/** The settings as `help config` shows them: all of them, each with what it needs. */
import { expect, test } from 'vitest';
import { listSettings } from '../../../src/core/config/config-help.ts';
import { configKeys } from '../../../src/core/settings.js';
import { parseConfig } from '../../../src/core/config/config.ts';

test('every key, in order, with a meaning; one of each kind in full', () => {
  const settings = listSettings();
  expect(settings.map(({ key }) => key)).toEqual(configKeys.map(({ key }) => key));
  for (const { key, means } of settings) expect(means, key).toMatch(/^\S.*\.$/);
  const of = (key: string) => settings.find((setting) => setting.key === key);
  expect(of('max_iterations')).toEqual({
    key: 'max_iterations',
    kind: 'integer',
    default: '50',
    allowed: '1 to 1000000',
    variable: 'RUNNER_MAX_ITERATIONS',
    means: 'Iterations a run may use in total.',
  });
  expect(of('limits.max_cost_usd')).toMatchObject({ default: null, allowed: 'above 0 to 1000000000' });
  expect(of('git.sign')).toMatchObject({ default: 'false', allowed: 'true, false' });
  expect(of('guard.command')).toMatchObject({ default: '["just", "ci"]', allowed: 'list of texts' });
  expect(of('on_timeout')).toMatchObject({ default: '"stop"', allowed: '"stop", "continue"' });
  expect(of('agent.model')).toMatchObject({ default: null, allowed: 'text' });
});

test('the defaults shown are values the parser takes', () => {
  for (const { key, default: standard } of listSettings()) {
    if (standard === null) continue;
    const item: unknown = JSON.parse(standard);
    const value = key.split('.').reduceRight<unknown>((inner, part) => ({ [part]: inner }), item);
    expect(parseConfig(value), key).toMatchObject({ ok: true });
  }
});

import { expect, test } from 'vitest';
import { parseConfig } from '../../../src/core/config/config.ts';
import { defaultConfig } from '../../../src/core/config/default-config.ts';

test('the defaults are what an empty file means', () => {
  expect(parseConfig({})).toEqual({ ok: true, config: defaultConfig });
});

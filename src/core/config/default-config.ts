/** The settings of an empty file. */
import { assert } from '../errors.ts';
import { parseConfig } from './config.ts';
import type { Config } from '../types.ts';

export const defaultConfig: Config = makeDefaults();

function makeDefaults(): Config {
  const parsed = parseConfig({});
  assert(parsed.ok, 'the defaults are valid');
  return parsed.config;
}

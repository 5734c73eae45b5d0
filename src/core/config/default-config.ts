/** The settings of an empty file. On their own: who reads a file fills in the defaults on the way. */
import { assert } from '../errors.ts';
import { readConfig } from './quick-read.ts';
import type { Config } from '../types.ts';

export const defaultConfig: Config = makeDefaults();

function makeDefaults(): Config {
  const config = readConfig({});
  assert(config !== null, 'the defaults are valid');
  return config;
}

/**
 * Switches one protection off, so that a control run can show that an attack works without it (§14). Only a test build knows it: in
 * the product the constant is false and the bundler drops the rest.
 */

/** Written by scripts/build.mjs; missing where the sources run unbundled. */
declare const __RUNNER_TEST_BUILD__: boolean;

export type Protection =
  | 'settings'
  | 'refs'
  | 'special'
  | 'checkout'
  | 'ratchet'
  | 'bytes'
  | 'env'
  | 'programs'
  | 'objects'
  | 'redact';

/** `RUNNER_TEST_OFF` lists names with commas between them. */
export function isOff(name: Protection): boolean {
  if (typeof __RUNNER_TEST_BUILD__ === 'undefined' || !__RUNNER_TEST_BUILD__) return false;

  return (process.env['RUNNER_TEST_OFF'] ?? '').split(',').includes(name);
}

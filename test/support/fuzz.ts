/**
 * How many cases a property runs, and its seed: `RUNNER_FUZZ_CASES` raises the first, `RUNNER_FUZZ_SEED` pins the second. Vitest loads this
 * before every test file, so a property that says nothing has 400 cases, in the whole suite 1,000.
 */
import fc from 'fast-check';
import { isWhole } from './whole.ts';

const wanted = process.env['RUNNER_FUZZ_CASES'];
const given = process.env['RUNNER_FUZZ_SEED'];

/** A long run says with which seed it can be played again, also when it ends well; a failure says its own in any case. */
const seed = given === undefined ? (Date.now() ^ (process.pid << 16)) | 0 : Number(given);
if (wanted !== undefined)
  process.stdout.write(`properties: ${wanted} cases each, RUNNER_FUZZ_SEED=${seed}\n`);

fc.configureGlobal({ numRuns: Number(wanted ?? (isWhole ? 1000 : 400)), seed });

/** Fewer for a property whose cases are costly, unless somebody asks for a number. */
export function fuzzCases(cases: number): { numRuns: number } {
  return { numRuns: Number(wanted ?? cases) };
}

/** How many cases a property runs, and its seed: `RUNNER_FUZZ_CASES` raises the first, `RUNNER_FUZZ_SEED` pins the second. */
const wanted = process.env['RUNNER_FUZZ_CASES'];
const given = process.env['RUNNER_FUZZ_SEED'];

/** A long run says with which seed it can be played again, also when it ends well; a failure says its own in any case. */
const seed = given === undefined ? (Date.now() ^ (process.pid << 16)) | 0 : Number(given);
if (wanted !== undefined)
  process.stdout.write(`properties: ${wanted} cases each, RUNNER_FUZZ_SEED=${seed}\n`);

export function fuzzCases(cases: number): { numRuns: number; seed: number } {
  return { numRuns: Number(wanted ?? cases), seed };
}

/** How many cases a property runs, and its seed: `RUNNER_FUZZ_CASES` raises the first, `RUNNER_FUZZ_SEED` pins the second. */
export function fuzzCases(cases: number): { numRuns: number; seed?: number } {
  const wanted = Number(process.env['RUNNER_FUZZ_CASES'] ?? cases);
  const seed = process.env['RUNNER_FUZZ_SEED'];
  return seed === undefined ? { numRuns: wanted } : { numRuns: wanted, seed: Number(seed) };
}

import { accessSync, constants } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { isWhole, sampleNames } from './test/support/whole.ts';

/** `.ci/run` counts the tests from this file; everybody else gets only the readable report. */
const resultsFile = process.env['TEST_RESULTS_FILE'];

/** Every state write is synced; where there is a memory disk the throw-away projects do without the waiting. */
function memoryDisk(): Record<string, string> {
  try {
    accessSync('/dev/shm', constants.W_OK);
    return { TMPDIR: '/dev/shm' };
  } catch {
    return {};
  }
}

export default defineConfig({
  test: {
    env: process.env['TMPDIR'] === undefined ? memoryDisk() : {},
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/initialised.ts'],
    setupFiles: ['test/support/fuzz.ts'],
    ...(isWhole ? {} : { testNamePattern: sampleNames() }),
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A busy machine is no failure.
    expect: { poll: { timeout: 30_000 } },
    fileParallelism: true,
    // A process for each file costs more than many of the files. Tests share nothing that they change: no module is mocked.
    isolate: false,
    // More than cores: most tests wait for processes.
    maxWorkers: 5,
    reporters: resultsFile === undefined ? ['default'] : ['default', ['json', { outputFile: resultsFile }]],
    coverage: {
      provider: 'v8',
      include: ['src/core/**/*.ts', 'src/eval/cases/*.ts', 'src/eval/report/*.ts'],
      // Types only: nothing in them can be covered.
      exclude: [
        'src/core/**/*.d.ts',
        'src/core/types.ts',
        'src/core/agents/session.ts',
        'src/core/proof/transition.ts',
        'src/core/views/control-api.ts',
        'src/core/views/web-api.ts',
        'src/eval/cases/types.ts',
      ],
      reporter: ['text-summary', 'json-summary'],
      thresholds: { branches: 100, functions: 100, lines: 100, statements: 100 },
    },
  },
});

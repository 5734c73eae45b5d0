/** `--no-input`: read wherever it stands, and asked of no command that has no question. */
import { expect, test } from 'vitest';
import { parseCommandLine } from '../../src/cli/program.ts';

const streams = {
  out: () => undefined,
  err: () => undefined,
  columns: () => null,
  rows: () => null,
  onResize: () => () => undefined,
  outColumns: () => null,
  send: async () => true,
};

test.each([
  [['loop'], false],
  [['--no-input', 'loop'], true],
  [['loop', '--no-input'], true],
  [['--no-input', 'loop', '--no-input'], true],
  [['start', '--no-baseline'], false],
])('%j', (argv, noInput) => {
  const parsed = parseCommandLine(argv, streams);
  expect(parsed).toMatchObject({ kind: 'call', call: { noInput } });
});

/** Whatever command line is read quickly, the full parser reads the same way. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commandTable } from '../../src/cli/command-table.ts';
import { parseCommandLine } from '../../src/cli/program.ts';
import { readCommandLine } from '../../src/cli/quick-line.ts';

const quiet = { out: () => {} };
const names = commandTable.map(({ name }) => name);
const flags = [
  '--json',
  '--quiet',
  '--verbose',
  '-C',
  '--force',
  '--new',
  '--no-baseline',
  '--agent',
  '--help',
  '--',
];
const words = fc.array(fc.constantFrom(...names, ...flags, 'dir', '-x', ''), { maxLength: 5 });

test('read quickly is read the same', () => {
  let read = 0;
  fc.assert(
    fc.property(
      fc.oneof(
        words,
        fc.tuple(fc.constantFrom(...names), words).map(([name, rest]) => [name, ...rest]),
      ),
      (argv) => {
        const quick = readCommandLine(argv);
        if (quick === null) return;
        read += 1;
        expect({ kind: 'call', call: quick }).toEqual(parseCommandLine(argv, quiet));
      },
    ),
  );
  expect(read).toBeGreaterThan(20);
  expect(readCommandLine(['select', '--json', '-C', 'x'])).toMatchObject({
    name: 'select',
    directory: 'x',
    json: true,
  });
});

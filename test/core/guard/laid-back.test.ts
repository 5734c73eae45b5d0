/** §14: which files of a change are laid back. */
import { expect, test } from 'vitest';
import { selectLaidBack } from '../../../src/core/guard/laid-back.ts';

const changed = ['README.md', 'ci/check.sh', 'src/a.ts', 'src/a.test.ts', 'tests/x/deep.py'];

test('all but tests by their usual names', () => {
  expect(selectLaidBack({ changed, prefix: '', tests: null, guardFiles: [] })).toEqual([
    'README.md',
    'ci/check.sh',
    'src/a.ts',
  ]);
});

test('protected files and tests as they are set stay, too', () => {
  const apart = { tests: ['README.md'], guardFiles: ['ci/check.sh'] };
  expect(selectLaidBack({ changed, prefix: '', ...apart })).toEqual([
    'src/a.ts',
    'src/a.test.ts',
    'tests/x/deep.py',
  ]);
});

test('globs count from the project folder', () => {
  const paths = ['app/tests/a.py', 'tests/b.py', 'app/src/c.py'];
  const apart = { tests: ['tests/**'], guardFiles: [] };
  expect(selectLaidBack({ changed: paths, prefix: 'app/', ...apart })).toEqual([
    'tests/b.py',
    'app/src/c.py',
  ]);
});

/** §14: which files of a change are laid back. */
import { expect, test } from 'vitest';
import { selectLaidBack } from '../../../src/core/iteration/laid-back.ts';
import { configWith } from '../../support/facts.ts';

const changed = ['README.md', 'ci/check.sh', 'src/a.ts', 'src/a.test.ts', 'tests/x/deep.py'];

test('all but tests by their usual names', () => {
  expect(selectLaidBack({ changed, prefix: '', config: configWith() })).toEqual([
    'README.md',
    'ci/check.sh',
    'src/a.ts',
  ]);
});

test('protected files and tests as they are set stay, too', () => {
  const config = configWith({ guard: { tests: ['README.md'], protect: ['ci'] } });
  expect(selectLaidBack({ changed, prefix: '', config })).toEqual([
    'src/a.ts',
    'src/a.test.ts',
    'tests/x/deep.py',
  ]);
});

test('globs count from the project folder', () => {
  const paths = ['app/tests/a.py', 'tests/b.py', 'app/src/c.py'];
  const config = configWith({ guard: { tests: ['tests/**'] } });
  expect(selectLaidBack({ changed: paths, prefix: 'app/', config })).toEqual(['tests/b.py', 'app/src/c.py']);
});

import { expect, test } from 'vitest';
import { checkPersonsFiles, personsFiles } from '../../../src/core/proof/check-files.ts';

test('people’s commands change their own files', () => {
  const inside = [{ path: 'state/config.toml', file: null }];
  expect(checkPersonsFiles('config set', { inside, outside: [] })).toBeNull();
  expect(checkPersonsFiles('answer', { inside, outside: [] })).toMatchObject({ found: 'removed' });
  expect(checkPersonsFiles('update', { inside: [], outside: ['a'] })).toBeNull();
  expect(checkPersonsFiles('edit', { inside: [], outside: ['a'] })).toMatchObject({ rule: 'a' });
  expect(personsFiles('unknown')).toBeNull();
});

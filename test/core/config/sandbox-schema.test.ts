import { expect, test } from 'vitest';
import { parseConfig } from '../../../src/core/config/config.ts';

test.each([
  [
    { kind: 'dokcer' },
    'sandbox.kind: must be one of "auto", "none", "bwrap", "docker", not "dokcer"; did you mean "docker"?',
  ],
  [{ image: '--privileged' }, 'sandbox.image: must be the name of an image, not "--privileged"'],
  [{ read: ['opt'] }, 'sandbox.read[0]: must be a path that begins with / or ~/, not "opt"'],
  [{ write: ['~user/x'] }, 'sandbox.write[0]: must be a path that begins with / or ~/, not "~user/x"'],
  [{ memory_mb: 1 }, 'sandbox.memory_mb: must be a whole number from 64 to 16777216, not 1'],
])('%j', (sandbox, wanted) => {
  const parsed = parseConfig({ sandbox });
  expect(parsed.ok ? [] : parsed.problems.map(({ key, message }) => `${key}: ${message}`)).toEqual([wanted]);
});

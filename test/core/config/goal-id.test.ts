import { describe, expect, test } from 'vitest';

import { checkGoalId } from '../../../src/core/config/goal-id.ts';

describe('checkGoalId', () => {
  test('[ancestor: goal validate_id_rejects_slash] a slash is refused', () => {
    expect(checkGoalId('a/b')).toBe("id must be [A-Za-z0-9._-] only (got 'a/b')");
  });

  test.each(['a', 'A.b_c-9', '9', 'lock', 'a.locks', 'x'.repeat(100)])('accepts %s', (id) => {
    expect(checkGoalId(id)).toBeNull();
  });

  test.each(['', 'a b', 'é', '.a', '-a', 'a.', 'a.lock', 'a..b', 'x'.repeat(101), 'a\n'])(
    'refuses %j',
    (id) => {
      expect(checkGoalId(id)).not.toBeNull();
    },
  );
});

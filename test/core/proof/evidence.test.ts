import { expect, test } from 'vitest';
import { fitsPurpose, parseOutcomeName } from '../../../src/core/proof/evidence.ts';
import { outcomeNames } from '../../../src/core/iteration/outcome-row.ts';

test('only repairs come to the outcomes of repairs, and anything can be cut off', () => {
  expect(outcomeNames.filter((name) => fitsPurpose(name, 'repair'))).toEqual([
    ...['interrupted', 'out-of-time', 'undone', 'blocked', 'agent-failed', 'repaired', 'repair-fruitless'],
  ]);
  expect(fitsPurpose('repaired', 'execute')).toBe(false);
  expect(parseOutcomeName('pass')).toBe('pass');
  expect(parseOutcomeName('passed')).toBeNull();
});

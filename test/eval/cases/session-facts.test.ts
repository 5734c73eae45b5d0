import { expect, test } from 'vitest';
import { parseSessionFact } from '../../../src/eval/cases/session-facts.ts';

const meta = { iter: 2, exit_codes: { agent: 127, guard: null } };

test('an iteration as the loop tells it, with the exit code of its record', () => {
  const step = { iter: 2, failure: 'crashed', message: 'ended with 127', waited_secs: 15 };
  const fact = { failure: 'crashed', message: 'ended with 127', waited_secs: 15, exit_code: 127 };
  expect(parseSessionFact(step, [null, meta])).toEqual(fact);
  expect(parseSessionFact({ ...step, iter: 3 }, [null, meta])).toEqual({ ...fact, exit_code: null });
});

test('what is not told is not guessed', () => {
  expect(parseSessionFact({ iter: 1, failure: null }, [])).toEqual({
    failure: null,
    message: '',
    waited_secs: 0,
    exit_code: null,
  });
});

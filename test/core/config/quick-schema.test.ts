import { expect, test } from 'vitest';
import { fillValue } from '../../../src/core/config/quick-schema.ts';

test('a schema reads what it says and nothing else', () => {
  const misfit = { ok: false };
  expect(fillValue({}, 'x')).toEqual({ ok: true, value: 'x' });
  expect(fillValue({ type: 'boolean' }, true)).toEqual({ ok: true, value: true });
  expect(fillValue({ type: 'array' }, [1])).toEqual({ ok: true, value: [1] });
  expect(fillValue({ items: { type: 'string' } }, ['a', 1])).toEqual(misfit);
  const either = { anyOf: [{ type: 'string' }, { type: 'null' }] };
  expect(fillValue(either, null)).toEqual({ ok: true, value: null });
  expect(fillValue(either, 1)).toEqual(misfit);
  expect(fillValue({ minItems: 1 }, [])).toEqual(misfit);
  expect(fillValue({ minLength: 1 }, '')).toEqual(misfit);
  expect(fillValue({ pattern: '^a' }, 'b')).toEqual(misfit);
  expect(fillValue({ maximum: 3 }, 2)).toEqual({ ok: true, value: 2 });
  expect(fillValue({}, Infinity)).toEqual(misfit);
  expect(fillValue({ type: 'object' }, { a: 1 })).toEqual(misfit);
  expect(fillValue({ type: 'object' }, new Date(0))).toEqual(misfit);
  expect(fillValue({ type: 'object', properties: { a: { type: 'string', default: 1 } } }, {})).toEqual({
    ok: true,
    value: {},
  });
});

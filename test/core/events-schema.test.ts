import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderEventLine } from '../../src/core/agents/agent-events.ts';
import { failureKinds } from '../../src/core/agents/failure.ts';
import { arbEvent, eventPlace, plainEvents } from '../support/events.ts';

type Line = Readonly<Record<string, unknown>>;

const schema = JSON.parse(readFileSync('schemas/events/v1.schema.json', 'utf8')) as {
  readonly $id: string;
  readonly oneOf: readonly { readonly $ref: string }[];
};
const isEvent = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schema);

const plain = Object.values(plainEvents).map((event) => ({
  type: event.type,
  line: JSON.parse(renderEventLine(event, eventPlace)) as Line,
}));

describe.each(plain)('$type', ({ line }) => {
  test('as it is written', () => {
    expect(isEvent(line), JSON.stringify(isEvent.errors)).toBe(true);
    expect(isEvent({ ...line, role: 'review', session: 2 })).toBe(true);
  });

  test('no key more, no key less', () => {
    expect(isEvent({ ...line, more: 1 })).toBe(false);
    for (const key of Object.keys(line)) {
      const { [key]: _left, ...rest } = line;
      expect(isEvent(rest), key).toBe(false);
    }
  });

  test('no key of another kind of value', () => {
    for (const key of Object.keys(line)) expect(isEvent({ ...line, [key]: [] }), key).toBe(false);
    for (const wrong of [{ v: 2 }, { seq: 0 }, { session: 0 }, { role: 'guard' }, { type: 'other' }])
      expect(isEvent({ ...line, ...wrong }), JSON.stringify(wrong)).toBe(false);
  });
});

test('the parts of what was used are all there, and none is below zero', () => {
  const line = plain.find(({ type }) => type === 'usage')?.line ?? {};
  for (const key of ['input_tokens', 'cached_input_tokens', 'output_tokens', 'cost_usd']) {
    const usage = { ...plainEvents.usage.usage, [key]: undefined };
    expect(isEvent({ ...line, usage: JSON.parse(JSON.stringify(usage)) as object }), key).toBe(false);
    expect(isEvent({ ...line, usage: { ...plainEvents.usage.usage, [key]: -1 } }), key).toBe(false);
  }
  expect(isEvent({ ...line, usage: { ...plainEvents.usage.usage, more: 1 } })).toBe(false);
});

test('it has every kind of event and no other', () => {
  expect(schema.oneOf.map(({ $ref }) => $ref)).toEqual(
    Object.keys(plainEvents).map((type) => `#/$defs/${type}`),
  );
  expect(schema.$id).toBe('https://runner.local/schemas/events/v1.schema.json');
});

test('whatever an agent prints, the line fits the schema', () => {
  fc.assert(
    fc.property(arbEvent, (event) => {
      const isValid = isEvent(JSON.parse(renderEventLine(event, eventPlace)));
      expect(isValid, JSON.stringify(isEvent.errors)).toBe(true);
    }),
  );
});

test('the schema of meta.json knows every kind of failure', () => {
  const meta = JSON.parse(readFileSync('schemas/meta/v1.schema.json', 'utf8')) as {
    properties: { failure: { enum: readonly unknown[] } };
  };
  expect(meta.properties.failure.enum).toEqual([...failureKinds, null]);
});

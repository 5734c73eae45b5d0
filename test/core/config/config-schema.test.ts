import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';

import { describe, expect, test } from 'vitest';

import { configJsonSchema } from '../../../src/core/config/config-schema.ts';
import { configKeys } from '../../../src/core/settings.js';
import { configSchemaText } from '../../../src/core/shipped.js';

interface Field {
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Field>>;
}

/** Dotted keys and their fields, tables left out. */
function listFields({ properties = {} }: Field): readonly (readonly [string, Field])[] {
  return Object.entries(properties).flatMap(([key, field]) =>
    field.properties === undefined
      ? [[key, field] as const]
      : listFields(field).map(([name, inner]) => [`${key}.${name}`, inner] as const),
  );
}

describe('the shipped JSON Schema', () => {
  test('is what the checks are made of', () => {
    const shipped: unknown = JSON.parse(readFileSync('schemas/config/v1.schema.json', 'utf8'));
    expect(shipped).toEqual(JSON.parse(JSON.stringify(configJsonSchema())));
    expect(JSON.parse(configSchemaText)).toEqual(shipped);
    expect(configSchemaText.endsWith('}\n')).toBe(true);
  });

  test('describes every key', () => {
    const described = listFields(configJsonSchema() as Field).map(
      ([key, { description }]) => [key, description] as const,
    );
    expect(described.map(([key]) => key)).toEqual(configKeys.map(({ key }) => key));
    expect(described.filter(([, description]) => (description ?? '').length < 10)).toEqual([]);
  });

  test('shows a value for every key: its default, or an example where it has none', () => {
    const fields = listFields(configJsonSchema() as Field);
    expect(fields.filter(([, field]) => 'default' in field === 'examples' in field)).toEqual([]);
    const validate = new Ajv2020({ allErrors: true, strict: true }).compile(configJsonSchema() as object);
    for (const [key, field] of fields) {
      for (const value of field.examples ?? [field.default]) {
        validate(key.split('.').reduceRight<unknown>((inner, part) => ({ [part]: inner }), value));
        expect(validate.errors, key).toBeNull();
      }
    }
  });
});

test('every key has its kind', () => {
  const kinds = Object.fromEntries(configKeys.map(({ key, kind }) => [key, kind]));
  expect(kinds).toMatchObject({
    max_iterations: 'integer',
    on_stuck: 'text',
    'agent.model': 'text',
    'agent.env': 'list',
    'agent.command': 'list',
    'limits.max_run_secs': 'integer',
    'limits.max_tokens': 'integer',
    'limits.max_cost_usd': 'number',
    'guard.baseline': 'boolean',
    'review.agent': 'text',
    'tree.allow_removal': 'boolean',
  });
});

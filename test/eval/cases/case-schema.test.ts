import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evalCaseJsonSchema } from '../../../src/eval/cases/case-schema.ts';
import { parseEvalCase } from '../../../src/eval/cases/case.ts';

describe('the shipped JSON Schema', () => {
  const shipped = JSON.parse(readFileSync('schemas/eval_case/v1.schema.json', 'utf8')) as object;
  const validate = new Ajv2020({ allErrors: true, strict: true }).compile(shipped);

  test('is what the checks are made of', () => {
    expect(shipped).toEqual(JSON.parse(JSON.stringify(evalCaseJsonSchema())));
  });

  test('describes every key', () => {
    const { properties } = shipped as { properties: Record<string, { description?: string }> };
    expect(Object.entries(properties).filter(([, field]) => (field.description ?? '').length < 8)).toEqual(
      [],
    );
  });

  test('accepts what the checks accept, and the checks accept nothing more', () => {
    const word = fc.constantFrom('a', 'b/c', '../x', '', '.', 'x y');
    const check = fc.oneof(
      fc.record({ type: fc.constant('file_exists'), path: word }),
      fc.record(
        { type: fc.constant('file_contains'), path: word, text: word, pattern: word },
        { requiredKeys: ['type', 'path'] },
      ),
      fc.record(
        {
          type: fc.constant('command_fails'),
          cmd: fc.array(word),
          timeout_secs: fc.integer(),
          env: fc.object(),
        },
        { requiredKeys: ['type'] },
      ),
      fc.record({ type: fc.constant('tree'), passes: fc.boolean() }, { requiredKeys: ['type'] }),
      fc.record(
        { type: fc.constantFrom('runner_completed', 'other', 3), max: fc.nat() },
        { requiredKeys: [] },
      ),
      fc.anything(),
    );
    const file = fc.record(
      {
        case: fc.record(
          { id: fc.constantFrom('a', 'A', 3), goal: fc.constantFrom('g', ' ', '') },
          { requiredKeys: [] },
        ),
        checks: fc.array(check, { maxLength: 3 }),
        files: fc.dictionary(word, fc.constantFrom('x', 3)),
        env: fc.dictionary(fc.constantFrom('A', 'a b', '__proto__'), fc.constantFrom('x', '')),
        config: fc.record({ max_iterations: fc.integer(), x: fc.nat() }, { requiredKeys: [] }),
        fixture: word,
        other: fc.nat(),
      },
      { requiredKeys: ['case', 'checks'] },
    );
    fc.assert(
      fc.property(fc.oneof(file, fc.anything()), (value) => {
        const parsed = parseEvalCase(value);
        if (!parsed.ok) expect(parsed.problems.length).toBeGreaterThan(0);
        else expect(validate(value), JSON.stringify(validate.errors)).toBe(true);
      }),
    );
  });
});

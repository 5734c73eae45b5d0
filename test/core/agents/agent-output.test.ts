import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lastJsonObject, parseAgentOutput } from '../../../src/core/agents/agent-output.ts';
import { agentOutputSchemaText } from '../../../src/core/shipped.js';
import { packageVersion } from '../../../src/core/version.js';

function parseText(text: string) {
  return parseAgentOutput({ kind: 'text', text });
}

function errorOf(value: unknown): string {
  const parsed = parseText(JSON.stringify(value));
  return parsed.ok ? 'accepted' : parsed.error;
}

describe('parseAgentOutput', () => {
  test('[ancestor: executor execute_and_load_reads_output] reads an answer with and without children', () => {
    const children = [{ title: 't', goal: 'g', acceptance: ['a'] }];
    for (const output of [
      { status: 'done', summary: 's', children: null },
      { status: 'decomposed', summary: '', children },
      { status: 'retry', summary: 's', children: [] },
    ])
      expect(parseText(JSON.stringify(output))).toStrictEqual({ ok: true, output });
  });

  test('a missing children key counts as null', () => {
    const output = { status: 'done', summary: 's', children: null };
    expect(parseText('{"status":"done","summary":"s"}')).toStrictEqual({ ok: true, output });
  });

  test('[ancestor: executor execute_and_load_errors_on_missing_output] missing, unreadable, too large', () => {
    expect(parseAgentOutput({ kind: 'missing' })).toStrictEqual({ ok: false, error: 'there is no answer' });
    expect(parseAgentOutput({ kind: 'unreadable', message: 'not UTF-8' })).toStrictEqual({
      ok: false,
      error: 'the answer cannot be read: not UTF-8',
    });
    const error = 'the answer has 70000 bytes; at most 65536 are allowed';
    expect(parseAgentOutput({ kind: 'too_large', bytes: 70_000, bytesMax: 65_536 })).toStrictEqual({
      ok: false,
      error,
    });
  });

  test('the size is counted in bytes', () => {
    const frame = JSON.stringify({ status: 'done', summary: '', children: null });
    const fits = frame.replace('""', `"${'é'.repeat((65_536 - frame.length) / 2)}"`);
    const room = 65_536 - Buffer.byteLength(fits);
    const exact = fits.replace('é', `é${' '.repeat(room)}`);
    expect(Buffer.byteLength(exact)).toBe(65_536);
    expect(parseText(exact).ok).toBe(true);
    expect(parseText(`${exact} `)).toStrictEqual({
      ok: false,
      error: 'the answer has 65537 bytes; at most 65536 are allowed',
    });
  });

  test('what is not JSON is told with its place', () => {
    expect(parseText('Done!\n{}')).toStrictEqual({
      ok: false,
      error:
        "the answer is not valid JSON: line 1, column 1: 'Done' is not JSON; only true, false, null and plain decimal numbers may be unquoted",
    });
    expect(parseText('{"status":"done",\n"status":"retry"}')).toStrictEqual({
      ok: false,
      error: "the answer is not valid JSON: line 2, column 1: duplicate key 'status'",
    });
  });

  test.each<[unknown, string]>([
    [[], 'must be an object'],
    [null, 'must be an object'],
    ['done', 'must be an object'],
    [{ status: 'ok', summary: 's' }, 'status must be one of done, retry, decomposed'],
    [
      { status: 1, extra: 1 },
      "missing key 'summary'; unknown key 'extra'; status must be a string; status must be one of done, retry, decomposed",
    ],
    [{ status: 'done', summary: 's', children: {} }, 'children must be a list or null'],
    [
      { status: 'done', summary: 's', children: [{ title: 't', goal: 1, acceptance: [1], id: 'x' }, 2] },
      "children[0]: unknown key 'id'; children[0].goal must be a string; children[0].acceptance[0] must be a string; children[1] must be an object",
    ],
  ])('not of the schema: %j', (value, errors) => {
    expect(errorOf(value)).toBe(`the answer does not fit its schema: ${errors}`);
  });

  test('of very many errors the first fifty are told', () => {
    const error = errorOf({ status: 'done', summary: 's', children: Array.from({ length: 60 }, () => 1) });
    expect(error.split('; ')).toHaveLength(51);
    expect(error.endsWith('children[49] must be an object; and 10 more')).toBe(true);
    const fifty = errorOf({ status: 'done', summary: 's', children: Array.from({ length: 50 }, () => 1) });
    expect(fifty.endsWith('children[49] must be an object')).toBe(true);
  });
});

describe('lastJsonObject', () => {
  test.each<[string, string | null]>([
    ['', null],
    ['no object', null],
    ['{"a":1}', '{"a":1}'],
    ['Done:\n```json\n{"a":{"b":[1]}}\n```\nBye.', '{"a":{"b":[1]}}'],
    ['{"a":1} then {"b":2}', '{"b":2}'],
    ['{"a":1} then {"b":2', '{"a":1}'],
    ['a stray } and { before {"a":"}{"} and } after {', '{"a":"}{"}'],
    ['{"cut":{"a":1}', '{"a":1}'],
    ['use {braces} for {"a":1}', '{"a":1}'],
    ["{'a':1}", null],
    ['{"a":1,"a":2}', null],
  ])('%j', (text, expected) => {
    expect(lastJsonObject(text)).toBe(expected);
  });

  test('finds an answer between prose', () => {
    const arbProse = fc.string({ unit: fc.constantFrom('a', ' ', '"', '\n', '`', "'", '[', '\\') });
    const arbBefore = fc.string({ unit: fc.constantFrom('a', ' ', '"', '\n', '{', '}', '[', ':', '\\') });
    fc.assert(
      fc.property(arbBefore, fc.dictionary(fc.string(), fc.jsonValue()), arbProse, (before, value, after) => {
        fc.pre(!Object.hasOwn(value, '__proto__') && !/\d{16}|e\+|"__proto__"/.test(JSON.stringify(value)));
        const answer = JSON.stringify(value);
        // No closing brace follows, so nothing that starts before the answer can contain it.
        const text = `${before}\n\n${answer}\n${after}`;
        expect(lastJsonObject(text)).toBe(answer);
      }),
    );
  });

  test('stays bounded on a text made to be tried again and again', () => {
    expect(lastJsonObject('{"a":'.repeat(13_000))).toBeNull();
    expect(lastJsonObject('{"a":[0,'.repeat(8_000))).toBeNull();
    expect(lastJsonObject('{'.repeat(65_536))).toBeNull();
  });
});

test('the shipped texts are those of the files, and the schema fits strict structured output', () => {
  const file = new URL('../../../schemas/agent_output/v1.schema.json', import.meta.url);
  expect(agentOutputSchemaText).toBe(readFileSync(file, 'utf8'));
  const schema = JSON.parse(agentOutputSchemaText) as { required: string[]; properties: object };
  expect(schema.required).toStrictEqual(Object.keys(schema.properties));
  const packageFile = new URL('../../../package.json', import.meta.url);
  expect(packageVersion).toBe((JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }).version);
});

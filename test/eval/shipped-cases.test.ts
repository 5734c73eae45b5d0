/** The cases that ship: sound by the parser and by the schema, with a solution each, and whole when npm has packed them. */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { loadCases } from '../../src/eval/harness/case-files.ts';
import { evalPlace } from '../../src/eval/harness/place.ts';

const root = path.dirname(path.dirname(import.meta.dirname));
const place = evalPlace({ root, cases: null });
const { cases, problems } = await loadCases(place);
const schema = JSON.parse(
  readFileSync(path.join(root, 'schemas/eval_case/v1.schema.json'), 'utf8'),
) as object;
const validate = new Ajv2020({ allErrors: true, strict: false }).compile(schema);

test('every case file is a case, and there are enough of them', () => {
  expect(problems).toEqual([]);
  expect(cases.length).toBeGreaterThanOrEqual(9);
  const tags = new Set(cases.flatMap((item) => item.case.tags));
  for (const tag of ['js', 'go', 'python', 'c', 'rust', 'shell', 'decompose', 'refactoring', 'trap'])
    expect(tags).toContain(tag);
});

describe.each(cases.map((item) => [item.case.id, item] as const))('%s', (id, { case: evalCase, file }) => {
  const text = readFileSync(file, 'utf8');

  test('fits the schema that editors use', () => {
    expect(path.basename(file)).toBe(`${id}.toml`);
    expect(text.split('\n', 1)).toEqual(['#:schema ../../schemas/eval_case/v1.schema.json']);
    validate(parse(text));
    expect(validate.errors ?? []).toEqual([]);
  });

  test('has a solution, programs it needs, a guard, and a check besides the end of the loop', () => {
    expect(evalCase.oracle).toEqual({ script: `${id}.oracle.json` });
    expect(evalCase.requires).not.toEqual([]);
    expect(evalCase.config).toHaveProperty('guard.command');
    const types = evalCase.checks.map(({ type }) => type);
    expect(types).toContain('runner_completed');
    expect(types.some((type) => type === 'command_succeeds' || type === 'file_contains')).toBe(true);
    const commands = evalCase.checks.flatMap((check) => ('cmd' in check ? check.cmd.slice(0, 1) : []));
    expect(commands.filter((program) => !evalCase.requires.includes(program))).toEqual([]);
  });
});

test('no fixture has a file that npm leaves out of a package', () => {
  const names = readdirSync(path.join(place.casesDir, 'fixtures'), { recursive: true }).map(String);
  expect(names.length).toBeGreaterThan(20);
  const left = /(?:^|\/)(?:\.gitignore|\.npmignore|\.npmrc|\.git|node_modules|package-lock\.json)(?:\/|$)/;
  expect(names.filter((name) => left.test(name))).toEqual([]);
});

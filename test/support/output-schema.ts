/** The shipped schema of what a command prints with `--json`, checked with ajv as a user's own program would. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { repositoryRoot } from './project.ts';

/** `name`: the command with `-` for spaces (`config-list`), or `error`. */
export function expectOutput(name: string, value: unknown): void {
  const file = join(repositoryRoot, 'schemas', 'output', 'v1', `${name}.schema.json`);
  const schema = JSON.parse(readFileSync(file, 'utf8')) as object;
  const validate = new Ajv2020({ allErrors: true, strict: true }).compile(schema);
  validate(value);
  expect(validate.errors ?? [], JSON.stringify(value)).toEqual([]);
}

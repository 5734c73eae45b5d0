/** The shipped schema of what a command prints with `--json`, checked with ajv as a user's own program would. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { repositoryRoot } from './project.ts';

const folder = join(repositoryRoot, 'schemas', 'output', 'v1');

/** Every output that has a schema, by the name `expectOutput` knows it by. */
export function listOutputs(): readonly string[] {
  return readdirSync(folder).map((file) => file.replace(/\.schema\.json$/, ''));
}

/** All of them together: one may refer to another. */
function loadSchemas(): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, strict: true });
  for (const name of listOutputs())
    ajv.addSchema(JSON.parse(readFileSync(join(folder, `${name}.schema.json`), 'utf8')) as object, name);

  return ajv;
}

/** `name`: the command with `-` for spaces (`config-list`), `error`, `events` or `notify`. */
export function expectOutput(name: string, value: unknown): void {
  const ajv = loadSchemas();
  ajv.validate(name, value);
  expect(ajv.errors ?? [], JSON.stringify(value)).toEqual([]);
}

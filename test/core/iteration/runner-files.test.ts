import { expect, test } from 'vitest';
import { gitattributesText, gitignoreText } from '../../../src/core/iteration/initial-files.ts';
import { runnerFiles } from '../../../src/core/iteration/runner-files.ts';

test("the runner's own files hold the shipped schemas", () => {
  const files = runnerFiles();
  expect(files).toMatchObject({ '.gitignore': gitignoreText, '.gitattributes': gitattributesText });
  expect(JSON.parse(files['state/schema.json'] ?? '')).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Task Tree v1',
  });
  expect(JSON.parse(files['state/agent_output.schema.json'] ?? '')).toHaveProperty('properties.status');
});

import { expect, test } from 'vitest';
import { ownerOf } from '../../../src/core/iteration/ownership.ts';

test.each([
  ['.gitignore', 'runner'],
  ['.gitattributes', 'runner'],
  ['GOAL.md', 'human'],
  ['state/tree.json', 'tree'],
  ['state/schema.json', 'runner'],
  ['state/agent_output.schema.json', 'runner'],
  ['state/config.schema.json', 'runner'],
  ['state/script.schema.json', 'runner'],
  ['state/config.toml', 'human'],
  ['state/run_state.json', 'runner'],
  ['state/tree.rejected.json', 'runner'],
  ['state/assumptions.md', 'agent'],
  ['state/questions.md', 'agent'],
  ['state/feedback.md', 'agent'],
  ['state/improvements.md', 'agent'],
  ['nodes/a/context.md', 'human'],
  ['nodes/a/tools.json', 'human'],
  ['nodes/a/last.json', 'runner'],
  ['nodes/a/artifacts/x/last.json', 'agent'],
  ['nodes/a/last.json/x', 'agent'],
  ['nodes/a/notes.md', 'agent'],
  ['nodes/last.json', 'agent'],
  ['context/goal.md', 'local'],
  ['context', 'local'],
  ['iterations/run-1/3/meta.json', 'local'],
  ['contextual.md', 'agent'],
  ['other/GOAL.md', 'agent'],
  ['state/constructor', 'agent'],
])('%s is for %s', (path, owner) => {
  expect(ownerOf(path)).toBe(owner);
});

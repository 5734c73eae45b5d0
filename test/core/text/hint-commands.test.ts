import { expect, test } from 'vitest';
import { listCommands } from '../../../src/core/text/hint-commands.ts';

test.each([
  ['runner loop', ['runner loop']],
  [
    'runner config set max_iterations 100, then: runner loop',
    ['runner config set max_iterations 100', 'runner loop'],
  ],
  ['runner explain, then: runner retry root.2', ['runner explain', 'runner retry root.2']],
  ['codex login (or set CODEX_API_KEY)', ['codex login']],
  ['npm install -g @openai/codex, then: codex login', ['npm install -g @openai/codex', 'codex login']],
  ['git add -A && git commit, or: git stash -u', ['git add -A && git commit', 'git stash -u']],
  [
    'runner config set iteration_timeout_secs 60, or: runner config set on_timeout continue, then: runner loop',
    ['runner config set iteration_timeout_secs 60', 'runner config set on_timeout continue', 'runner loop'],
  ],
  ['runner log --failed, then: runner loop', ['runner log --failed', 'runner loop']],
  ['RUNNER_GIT_SIGN=false runner loop (goes on without signing)', ['RUNNER_GIT_SIGN=false runner loop']],
  ['start claude and log in (or set ANTHROPIC_API_KEY)', []],
  ['set --max-iterations to at least 4, or remove it: it overrides the file', []],
  ['', []],
])('%s', (hint, commands) => {
  expect(listCommands(hint)).toEqual(commands);
  for (const command of commands) expect(hint).toContain(command);
});

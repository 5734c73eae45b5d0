import { expect, test } from 'vitest';
import { listRemedies, renderSettingCommands } from '../../../src/core/config/setting-remedy.ts';

const text = 'max_iterations = 5\n[agent]\nname = "codex"\neffort = "high"\n[review]\nagent = "claude"\n';

test('keys that others need come first, then what is set; who works stays', () => {
  expect(listRemedies(text, { key: 'agent.name', typed: 'command' })).toEqual([
    { key: 'agent.command', typed: '["./agent.sh"]' },
    { key: 'agent.script', typed: 'script.json' },
    { key: 'max_iterations', typed: null },
    { key: 'agent.effort', typed: null },
  ]);
});

test('what is taken out may take out who needs it', () => {
  const keys = listRemedies(text, { key: 'agent.command', typed: null }).map(({ key }) => key);
  expect(keys).toEqual(['agent.script', 'max_iterations', 'agent.name', 'agent.effort', 'review.agent']);
});

test('one line for a shell', () => {
  const changes = [
    { key: 'agent.effort', typed: null },
    { key: 'agent.command', typed: '["a b"]' },
  ];
  expect(renderSettingCommands(changes)).toBe(
    `runner config unset agent.effort && runner config set agent.command '["a b"]'`,
  );
});

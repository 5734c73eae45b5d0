import { expect, test } from 'vitest';
import { checkJoined, resolveConfig } from '../../../src/core/config/config-rules.ts';
import type { JoinedKeys } from '../../../src/core/config/config-rules.ts';
import { defaultConfig } from '../../../src/core/config/default-config.ts';

const nothing: JoinedKeys = { agent: { name: 'codex' }, limits: {}, sandbox: { kind: 'none' }, review: {} };

test.each<readonly [string, Partial<JoinedKeys>, readonly string[]]>([
  ['nothing set', {}, []],
  ['a command without its words', { agent: { name: 'command' } }, ['agent.command']],
  ['a reviewer without its words', { review: { agent: 'command' } }, ['agent.command']],
  ['a script that is missing', { agent: { name: 'scripted' } }, ['agent.script']],
  [
    'a workspace nobody enforces',
    { agent: { name: 'claude', permissions: 'workspace' } },
    ['agent.permissions'],
  ],
  ['a workspace that is', { agent: { name: 'codex', permissions: 'workspace' } }, []],
  [
    'a workspace that a container enforces',
    { agent: { name: 'claude', permissions: 'workspace' }, sandbox: { kind: 'docker' } },
    [],
  ],
  [
    'recorded answers in a container',
    { agent: { name: 'scripted', script: 'a.json' }, sandbox: { kind: 'docker' } },
    ['sandbox.kind'],
  ],
  ['a model without a reviewer', { review: { model: 'm' } }, ['review.agent']],
  [
    'tokens that are not told',
    { agent: { name: 'copilot' }, limits: { max_tokens: 1 } },
    ['limits.max_tokens'],
  ],
  [
    'a reviewer that does not tell its cost',
    { agent: { name: 'claude' }, limits: { max_cost_usd: 1 }, review: { agent: 'codex' } },
    ['limits.max_cost_usd'],
  ],
])('%s', (_, keys, wanted) => {
  expect(checkJoined({ ...nothing, ...keys }).map(({ key }) => key)).toEqual(wanted);
});

test('what is not set becomes null, and keys stand in the documented order', () => {
  const { agent, ...rest } = defaultConfig;
  const file = {
    ...rest,
    limits: {},
    review: {},
    notify: {},
    sandbox: { ...rest.sandbox, root: undefined },
    automation: { ...rest.automation, max_parallel: undefined },
    git: { ...rest.git, push: undefined },
    guard: { ...rest.guard, timeout_secs: undefined, protect: undefined, tests: undefined },
  };
  const { name, extra_args, env, max_failures, max_wait_secs } = agent;
  const resolved = resolveConfig({ ...file, agent: { max_wait_secs, name, env, extra_args, max_failures } });
  expect(JSON.stringify(resolved)).toBe(JSON.stringify(defaultConfig));
});

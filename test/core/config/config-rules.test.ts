import { expect, test } from 'vitest';
import { checkJoined, resolveConfig } from '../../../src/core/config/config-rules.ts';
import type { JoinedKeys } from '../../../src/core/config/config-rules.ts';
import { defaultConfig } from '../../../src/core/config/default-config.ts';

const unset = { plan: {}, escalate: { after_attempts: 2 } };
const nothing: JoinedKeys = {
  agent: { name: 'codex', ...unset },
  limits: {},
  sandbox: { kind: 'none' },
  review: {},
};

test.each<readonly [string, Partial<JoinedKeys>, readonly string[]]>([
  ['nothing set', {}, []],
  ['a command without its words', { agent: { ...unset, name: 'command' } }, ['agent.command']],
  ['a reviewer without its words', { review: { agent: 'command' } }, ['agent.command']],
  ['a script that is missing', { agent: { ...unset, name: 'scripted' } }, ['agent.script']],
  [
    'a workspace nobody enforces',
    { agent: { ...unset, name: 'claude', permissions: 'workspace' }, sandbox: { kind: 'none' } },
    ['agent.permissions'],
  ],
  ['a workspace that is', { agent: { ...unset, name: 'codex', permissions: 'workspace' } }, []],
  [
    'a workspace that a container enforces',
    { agent: { ...unset, name: 'claude', permissions: 'workspace' }, sandbox: { kind: 'docker' } },
    [],
  ],
  [
    'recorded answers in a container',
    { agent: { ...unset, name: 'scripted', script: 'a.json' }, sandbox: { kind: 'docker' } },
    ['sandbox.kind'],
  ],
  [
    'recorded answers in bubblewrap',
    { agent: { ...unset, name: 'scripted', script: 'a' }, sandbox: { kind: 'bwrap' } },
    [],
  ],
  ...(['bwrap', 'docker'] as const).map(
    (kind) =>
      [
        `full permissions in ${kind}`,
        { agent: { ...unset, name: 'codex', permissions: 'full' }, sandbox: { kind } },
        ['agent.permissions'],
      ] as const,
  ),
  [
    'full permissions where the sandbox is open',
    { agent: { ...unset, name: 'codex', permissions: 'full' } },
    [],
  ],
  ['a model without a reviewer', { review: { model: 'm' } }, ['review.agent']],
  ['arguments without a reviewer', { review: { extra_args: [] } }, ['review.agent']],
  ['an effort the agent knows', { agent: { ...unset, name: 'codex', effort: 'high' } }, []],
  [
    'an effort it does not know',
    { agent: { ...unset, name: 'claude', effort: 'minimal' } },
    ['agent.effort'],
  ],
  ['an effort only its model knows', { agent: { ...unset, name: 'droid', effort: 'huge' } }, []],
  [
    'an effort of an agent without any',
    {
      agent: {
        name: 'gemini',
        effort: 'high',
        plan: { effort: 'high' },
        escalate: { effort: 'low', after_attempts: 2 },
      },
    },
    ['agent.effort', 'agent.plan.effort', 'agent.escalate.effort'],
  ],
  ['an effort of a reviewer without any', { review: { agent: 'gemini', effort: 'high' } }, ['review.effort']],
  [
    'other models of an agent without any',
    {
      agent: {
        name: 'scripted',
        script: 'a.json',
        plan: { model: 'm' },
        escalate: { model: 'm', after_attempts: 2 },
      },
    },
    ['agent.plan.model', 'agent.escalate.model'],
  ],
  [
    'tokens that are not told',
    { agent: { ...unset, name: 'copilot' }, limits: { max_tokens: 1 } },
    ['limits.max_tokens'],
  ],
  [
    'a reviewer that does not tell its cost',
    { agent: { ...unset, name: 'claude' }, limits: { max_cost_usd: 1 }, review: { agent: 'codex' } },
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
    sandbox: { ...rest.sandbox, root: undefined, guard: undefined, guard_network: undefined },
    automation: { ...rest.automation, max_parallel: undefined },
    git: { ...rest.git, push: undefined },
    guard: { ...rest.guard, timeout_secs: undefined, protect: undefined, tests: undefined },
  };
  const { name, extra_args, env, max_failures, max_wait_secs } = agent;
  const spelled = { max_wait_secs, name, env, extra_args, max_failures, ...unset };
  const resolved = resolveConfig({ ...file, agent: spelled });
  expect(JSON.stringify(resolved)).toBe(JSON.stringify(defaultConfig));
});

test('an effort that is refused is told with what the agent takes', () => {
  const { agent } = nothing;
  const told = checkJoined({ ...nothing, agent: { ...agent, name: 'pi', effort: 'max' } });
  expect(told).toEqual([
    {
      key: 'agent.effort',
      message:
        'must be one of "off", "minimal", "low", "medium", "high", "xhigh" for the agent "pi", not "max"',
    },
  ]);
});

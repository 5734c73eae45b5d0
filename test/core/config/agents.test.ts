import { expect, test } from 'vitest';
import { agentTraits } from '../../../src/core/config/agents.ts';
import { configJsonSchema } from '../../../src/core/config/config-schema.ts';

test('every agent of the configuration has its traits (§9)', () => {
  const { properties } = configJsonSchema() as {
    properties: {
      agent: { properties: { name: { enum: string[] } } };
      review: { properties: { agent: { enum: string[] } } };
    };
  };
  const names = properties.agent.properties.name.enum;
  expect(Object.keys(agentTraits)).toEqual(names);
  expect(properties.review.properties.agent.enum).toEqual(names.filter((name) => name !== 'scripted'));
});

test('what each can be held to and what it reports', () => {
  const named = (trait: keyof (typeof agentTraits)['codex']): readonly string[] =>
    Object.entries(agentTraits).flatMap(([name, traits]) => (traits[trait] ? [name] : []));
  expect(named('efforts')).toEqual(
    Object.keys(agentTraits).filter((name) => !['gemini', 'scripted'].includes(name)),
  );
  expect(named('takesModel')).not.toContain('scripted');
  expect(named('enforcesWorkspace')).toEqual(['codex']);
  expect(named('reportsCost')).toEqual(['claude', 'opencode', 'pi']);
  expect(named('reportsTokens')).toEqual(
    Object.keys(agentTraits).filter((name) => !['copilot', 'command', 'scripted'].includes(name)),
  );
});

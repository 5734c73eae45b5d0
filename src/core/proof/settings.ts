/**
 * The settings that decided an iteration (§15): config.toml at B with the overrides that its commit names. Only the keys the proof
 * uses are read, so that runs of other versions, with other keys, can be checked.
 */
import { layConfig, readOverrides } from '../config/config-layers.ts';
import { defaultConfig } from '../config/default-config.ts';
import type { Config } from '../types.ts';
import type { Trailers } from './trailers.ts';

/** `file`: config.toml as a value. */
export function provenConfig(file: unknown, trailers: Trailers): Config {
  const flags = readOverrides(trailers.get('Setting') ?? []);
  const { value } = layConfig({ file, env: {}, flags });
  // Values of known keys were valid when they were used; one that is not leads to a transition that does not follow.
  const at = (key: string, otherwise: unknown): never => (valueAt(value, key) ?? otherwise) as never;
  const { guard, tree, review, automation, agent, sandbox } = defaultConfig;
  return {
    ...defaultConfig,
    max_attempts_default: at('max_attempts_default', defaultConfig.max_attempts_default),
    on_stuck: at('on_stuck', defaultConfig.on_stuck),
    tree: {
      allow_removal: at('tree.allow_removal', tree.allow_removal),
      max_repairs: at('tree.max_repairs', tree.max_repairs),
    },
    guard: {
      ...guard,
      command: at('guard.command', guard.command),
      protect: at('guard.protect', guard.protect),
      policy: at('guard.policy', guard.policy),
      empty_change: at('guard.empty_change', guard.empty_change),
      counterfactual: at('guard.counterfactual', guard.counterfactual),
      checkout: at('guard.checkout', guard.checkout),
    },
    agent: { ...agent, permissions: at('agent.permissions', agent.permissions) },
    sandbox: {
      ...sandbox,
      kind: at('sandbox.kind', sandbox.kind),
      guard: at('sandbox.guard', sandbox.guard),
      guard_network: at('sandbox.guard_network', sandbox.guard_network),
    },
    review: { ...review, agent: at('review.agent', review.agent) },
    automation: { ...automation, setup: at('automation.setup', automation.setup) },
  };
}

function valueAt(value: unknown, key: string): unknown {
  return key
    .split('.')
    .reduce<unknown>(
      (table, name) =>
        typeof table === 'object' && table !== null
          ? Object.getOwnPropertyDescriptor(table, name)?.value
          : undefined,
      value,
    );
}

/**
 * Rules of the settings beyond single keys, and how a file's values become a Config (§9).
 */
import { agentTraits } from './agents.ts';
import type { AgentName, Config } from '../types.ts';

/** One thing wrong in the configuration. `key` is dotted; empty for the document itself. */
export interface ConfigProblem {
  readonly key: string;
  readonly message: string;
}

type UnsetKeys<T> = { [K in keyof T]-?: null extends T[K] ? K : never }[keyof T];

/** A section as the file spells it: what is not set is absent, never null. */
type Spelled<T> = {
  readonly [K in Exclude<keyof T, UnsetKeys<T>>]: T[K] extends Plain | readonly unknown[]
    ? T[K]
    : Spelled<T[K]>;
} & {
  readonly [K in UnsetKeys<T>]?: Exclude<T[K], null> | undefined;
};

type Plain = string | number | boolean;

/** A whole file, defaults filled in. */
export type ConfigFile = {
  readonly [K in keyof Config]: Config[K] extends Plain ? Config[K] : Spelled<Config[K]>;
};

export interface JoinedKeys {
  readonly agent: Pick<
    ConfigFile['agent'],
    'name' | 'command' | 'script' | 'permissions' | 'effort' | 'plan' | 'escalate'
  >;
  readonly limits: Pick<ConfigFile['limits'], 'max_tokens' | 'max_cost_usd'>;
  readonly sandbox: Pick<ConfigFile['sandbox'], 'kind'>;
  readonly review: ConfigFile['review'];
}

/** Rules that join keys. */
export function checkJoined({ agent, limits, sandbox, review }: JoinedKeys): readonly ConfigProblem[] {
  const { name, command, script, permissions: wanted } = agent;
  const traits = agentTraits[name];
  const problems: ConfigProblem[] = [];
  const refuse = (key: string, message: string): void => void problems.push({ key, message });
  if (name === 'command' && command === undefined)
    refuse('agent.command', 'must be set when agent.name is "command"');

  if (name !== 'command' && review.agent === 'command' && command === undefined)
    refuse('agent.command', 'must be set when review.agent is "command"');

  if (name === 'scripted' && script === undefined)
    refuse('agent.script', 'must be set when agent.name is "scripted"');

  if (name === 'scripted' && sandbox.kind === 'docker') {
    refuse(
      'sandbox.kind',
      `must not be "docker" when agent.name is "scripted", which is part of runner itself`,
    );
  }

  if (wanted === 'full' && (sandbox.kind === 'bwrap' || sandbox.kind === 'docker'))
    refuse('agent.permissions', `"full" means no sandbox, and sandbox.kind is "${sandbox.kind}"`);

  if (!traits.enforcesWorkspace && wanted === 'workspace' && sandbox.kind === 'none') {
    refuse(
      'agent.permissions',
      `"workspace" cannot be enforced for agent.name "${name}"; must be "full" or not set`,
    );
  }
  // A limit needs agents that report what they use, the reviewer included.
  for (const who of new Set([name, ...(review.agent === undefined ? [] : [review.agent])])) {
    if (limits.max_tokens !== undefined && !agentTraits[who].reportsTokens)
      refuse('limits.max_tokens', `cannot be kept: the agent "${who}" reports no tokens`);

    if (limits.max_cost_usd !== undefined && !agentTraits[who].reportsCost)
      refuse('limits.max_cost_usd', `cannot be kept: the agent "${who}" reports no cost`);
  }
  const [asked] = Object.keys(review).filter((key) => review[key as keyof typeof review] !== undefined);
  if (asked !== undefined && review.agent === undefined)
    refuse('review.agent', `must be set when review.${asked} is set`);

  return [...problems, ...checkModels(agent), ...checkEffort('review.effort', review.effort, review.agent)];
}

function checkModels({ name, effort, plan, escalate }: JoinedKeys['agent']): readonly ConfigProblem[] {
  const others = Object.entries({ 'agent.plan.model': plan.model, 'agent.escalate.model': escalate.model });
  const isRefused = !agentTraits[name].takesModel;
  return [
    ...others.flatMap(([key, model]) =>
      isRefused && model !== undefined
        ? [{ key, message: `cannot be set: the agent "${name}" has no model` }]
        : [],
    ),
    ...checkEffort('agent.effort', effort, name),
    ...checkEffort('agent.plan.effort', plan.effort, name),
    ...checkEffort('agent.escalate.effort', escalate.effort, name),
  ];
}

function checkEffort(
  key: string,
  effort: string | undefined,
  agent: AgentName | undefined,
): readonly ConfigProblem[] {
  if (effort === undefined || agent === undefined) return [];
  const { efforts } = agentTraits[agent];
  if (efforts === null) return [{ key, message: `cannot be set: the agent "${agent}" has no effort` }];
  if (efforts === 'any' || efforts.includes(effort)) return [];
  const allowed = efforts.map((word) => `"${word}"`).join(', ');
  return [{ key, message: `must be one of ${allowed} for the agent "${agent}", not "${effort}"` }];
}

/** Keys in the documented order, whatever the order of the file. */
export function resolveConfig(file: ConfigFile): Config {
  const { agent, limits, guard, automation, sandbox, review, tree, git, notify } = file;
  return {
    max_iterations: file.max_iterations,
    max_attempts_default: file.max_attempts_default,
    iteration_timeout_secs: file.iteration_timeout_secs,
    executor_output_limit_bytes: file.executor_output_limit_bytes,
    guard_output_limit_bytes: file.guard_output_limit_bytes,
    prompt_budget_bytes: file.prompt_budget_bytes,
    on_stuck: file.on_stuck,
    on_timeout: file.on_timeout,
    agent: resolveAgent(agent),
    limits: {
      max_run_secs: limits.max_run_secs ?? null,
      max_tokens: limits.max_tokens ?? null,
      max_cost_usd: limits.max_cost_usd ?? null,
    },
    guard: {
      command: guard.command,
      timeout_secs: guard.timeout_secs ?? null,
      baseline: guard.baseline,
      empty_change: guard.empty_change,
      protect: guard.protect ?? null,
      policy: guard.policy,
      tests: guard.tests ?? null,
      checkout: guard.checkout,
      counterfactual: guard.counterfactual,
      env: guard.env,
    },
    automation: {
      setup: automation.setup,
      setup_timeout_secs: automation.setup_timeout_secs,
      max_parallel: automation.max_parallel ?? null,
    },
    sandbox: {
      root: sandbox.root ?? null,
      kind: sandbox.kind,
      image: sandbox.image,
      network: sandbox.network,
      guard: sandbox.guard ?? null,
      guard_network: sandbox.guard_network ?? null,
      read: sandbox.read,
      write: sandbox.write,
      memory_mb: sandbox.memory_mb,
      max_processes: sandbox.max_processes,
    },
    review: {
      agent: review.agent ?? null,
      model: review.model ?? null,
      effort: review.effort ?? null,
      bin: review.bin ?? null,
      extra_args: review.extra_args ?? null,
      env: review.env ?? null,
    },
    tree: { allow_removal: tree.allow_removal, max_repairs: tree.max_repairs },
    git: { run_hooks: git.run_hooks, sign: git.sign, push: git.push ?? null },
    notify: { command: notify.command ?? null },
  };
}

function resolveAgent(agent: ConfigFile['agent']): Config['agent'] {
  return {
    name: agent.name,
    model: agent.model ?? null,
    effort: agent.effort ?? null,
    bin: agent.bin ?? null,
    extra_args: agent.extra_args,
    env: agent.env,
    command: agent.command ?? null,
    script: agent.script ?? null,
    permissions: agent.permissions ?? null,
    permission_mode: agent.permission_mode ?? null,
    idle_timeout_secs: agent.idle_timeout_secs ?? null,
    max_failures: agent.max_failures,
    max_wait_secs: agent.max_wait_secs,
    plan: { model: agent.plan.model ?? null, effort: agent.plan.effort ?? null },
    escalate: {
      model: agent.escalate.model ?? null,
      effort: agent.escalate.effort ?? null,
      after_attempts: agent.escalate.after_attempts,
    },
  };
}

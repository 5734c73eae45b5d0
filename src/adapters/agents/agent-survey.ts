/** Lists every agent on this machine: program, version, login. Starts no session and shows no secret. */
import type { AgentFacts } from '../../core/views/doctor.ts';
import { defaultConfig } from '../../core/config/default-config.ts';
import { reviewConfig } from '../../core/iteration/review.ts';
import type { Config } from '../../core/types.ts';
import { loadVersion, lookUp, requireProgram } from './agent-program.ts';
import type { AgentSessionOptions } from './agent-program.ts';
import { findLogin } from './credentials.ts';
import type { ExecutorSpec } from './executors/spec.ts';
import { executorTable } from './executors/table.ts';

/** Null config: the settings are not valid, so no agent is the configured one. */
export async function surveyAgents(
  options: AgentSessionOptions,
  config: Config | null,
): Promise<readonly AgentFacts[]> {
  const table = executorTable(options.entryFile);
  const roleOf = (spec: ExecutorSpec): AgentFacts['role'] => {
    if (spec.name === config?.agent.name) return 'agent';

    return spec.name === config?.review.agent ? 'reviewer' : 'other';
  };
  const rank = { agent: 0, reviewer: 1, other: 2 };
  const specs = Object.values(table)
    .filter((spec) => spec.defaultBin !== null || roleOf(spec) !== 'other')
    .toSorted((a, b) => rank[roleOf(a)] - rank[roleOf(b)]);
  return Promise.all(specs.map((spec) => survey(options, { spec, role: roleOf(spec), config })));
}

interface Surveyed {
  readonly spec: ExecutorSpec;
  readonly role: AgentFacts['role'];
  readonly config: Config | null;
}

async function survey(options: AgentSessionOptions, surveyed: Surveyed): Promise<AgentFacts> {
  const { spec, role } = surveyed;
  const config = configFor(surveyed);
  // The scripted agent also needs its script.
  const program =
    role === 'agent'
      ? await requireProgram(options, { spec, config }).catch(() => null)
      : await lookUp(options, { spec, config });
  const version =
    program === null || !spec.hasVersionFlag ? null : await loadVersion(options, { spec, config, program });
  const { installHint } = spec;
  return {
    name: spec.name,
    role,
    program,
    version,
    proven: spec.provenVersions,
    hazard: spec.hazard?.({ config, env: options.env }) ?? null,
    installHint,
    login: await findLogin(spec, { env: options.env, model: config.agent.model }),
  };
}

/** `agent.bin` and the like are the configured agent's own, `review.bin` the reviewer's. */
function configFor({ spec, role, config }: Surveyed): Config {
  const own = role === 'reviewer' && config !== null ? reviewConfig(config) : config;
  if (own !== null && role !== 'other') return own;

  const command = config?.agent.command ?? null;
  return { ...defaultConfig, agent: { ...defaultConfig.agent, name: spec.name, command } };
}

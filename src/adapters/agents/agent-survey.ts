/** Lists every agent on this machine: program, version, login. Starts no session and shows no secret. */
import type { AgentFacts } from '../../core/views/doctor.ts';
import { defaultConfig } from '../../core/config/default-config.ts';
import type { Config } from '../../core/types.ts';
import { loadVersion, lookUp, requireProgram } from './agent-program.ts';
import type { AgentSessionOptions } from './agent-program.ts';
import { listCredentials, nameCredential } from './credentials.ts';
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
    installHint,
    login: await loginOf(options, { spec, config }),
  };
}

/** `agent.bin` and the like are the configured agent's own. */
function configFor({ spec, role, config }: Surveyed): Config {
  if (config !== null && role === 'agent') return config;

  const command = config?.agent.command ?? null;
  return { ...defaultConfig, agent: { ...defaultConfig.agent, name: spec.name, command } };
}

async function loginOf(
  { env }: AgentSessionOptions,
  { spec, config }: { readonly spec: ExecutorSpec; readonly config: Config },
): Promise<AgentFacts['login']> {
  if (spec.credentials.length === 0) return null;

  const [used, ...hidden] = await listCredentials(spec, { env, model: config.agent.model });
  return {
    used: used === undefined ? null : nameCredential(used),
    variable: used?.variable ?? null,
    hidden: hidden.map(nameCredential),
    fix: spec.fixes.not_logged_in ?? 'log in',
  };
}

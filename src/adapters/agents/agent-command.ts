/**
 * How a session of the configured agent is started: arguments and environment, for the session itself and for commands that
 * only show them.
 */
import { isContained } from '../../core/sandbox/sandbox.ts';
import { RunnerError } from '../../core/errors.ts';
import { agentOutputSchemaText, reviewSchemaText } from '../../core/shipped.js';
import type { Config } from '../../core/types.ts';
import type { SessionPreview, SessionRequest, SessionRole } from '../../ports/sessions.ts';
import { lookUp, programName, requireProgram } from './agent-program.ts';
import type { ProgramOptions } from './agent-program.ts';
import { loadUserLogin } from './credentials.ts';
import type { AgentCommand, ExecutorSpec, UserLogin } from './executors/spec.ts';
import { executorTable } from './executors/table.ts';
import type { PrivateLayout } from '../files/layout.ts';
import { cookieVariable } from '../processes/process-table.ts';
import { sandboxFolder } from '../processes/sandbox/folder.ts';
import type { SandboxFolder } from '../processes/sandbox/folder.ts';
import { agentEnv } from '../processes/session-env.ts';
import type { agentVariables } from '../processes/session-env.ts';

export interface CommandOptions extends ProgramOptions {
  readonly own: PrivateLayout;
  /** Top of the work tree. */
  readonly top: string;
  /** Name of the repository (`placeName` of its common git folder). */
  readonly repository: string;
  /** Program file of the runner itself, for the scripted agent. */
  readonly entryFile: string | null;
}

/** What of a session its command depends on; the prompt goes to stdin and is no part of it. */
/** Files the agent is given and the one it leaves; in a sandbox they are not in the git folder. */
export interface SessionFiles {
  /** Trusted folder above all of them. */
  readonly root: string;
  readonly dir: string;
  readonly answer: string;
  readonly schema: string;
}

export function sessionFiles(own: PrivateLayout, folder: SandboxFolder | null): SessionFiles {
  if (folder === null) return { root: own.gitDir, dir: own.root, answer: own.answer, schema: own.schema };

  return { root: folder.io, dir: folder.io, answer: folder.answer, schema: folder.schema };
}

export type CommandInput = Pick<
  SessionRequest,
  'role' | 'run_id' | 'iter' | 'node_id' | 'judged_sessions' | 'config'
>;

interface Choice {
  readonly login: UserLogin;
  readonly spec: ExecutorSpec;
  readonly request: CommandInput;
  readonly files: SessionFiles;
}

export function schemaOf(role: SessionRole): string {
  return role === 'review' ? reviewSchemaText : agentOutputSchemaText;
}

export async function buildCommand(
  options: CommandOptions,
  { spec, request, files, login }: Choice,
): Promise<AgentCommand> {
  const { place } = options;
  const { config, role } = request;
  // One that vanished since the checks fails to start, which is the agent's failure and not ours.
  const program = (await lookUp(options, { spec, config })) ?? programName({ spec, config });
  return spec.command({
    config,
    role,
    program,
    projectDir: place.projectDir,
    isContained: isContained(config),
    ownDir: files.dir,
    answerFile: files.answer,
    schemaFile: files.schema,
    schemaText: schemaOf(role),
    session: request.judged_sessions + 1,
    login,
    userEnv: options.env,
  });
}

export function buildEnv(
  options: CommandOptions,
  { spec, request, files, login, command }: Choice & { readonly command: AgentCommand },
): Record<string, string> {
  const { top, repository, env } = options;
  const { run_id, iter, node_id, role, config } = request;
  const told: Partial<Record<keyof typeof agentVariables, string>> = {
    RUNNER_ROLE: role,
    RUNNER_SCHEMA: files.schema,
    ...(spec.answersInFile ? { RUNNER_OUTPUT: files.answer } : {}),
    ...(spec.name === 'command' ? modelVariables(config) : {}),
  };
  return agentEnv({
    user: env,
    place: { run_id, iter, node_id, top, repository },
    names: [...spec.credentialNames, ...login.names, ...config.agent.env],
    added: { ...login.env, ...command.env, ...told },
  });
}

/** A program of the user's own has no flags that are known. */
function modelVariables({
  agent: { model, effort },
}: Config): Partial<Record<'RUNNER_MODEL' | 'RUNNER_EFFORT', string>> {
  return {
    ...(model === null ? {} : { RUNNER_MODEL: model }),
    ...(effort === null ? {} : { RUNNER_EFFORT: effort }),
  };
}

/** Starts nothing and writes nothing; shows only the names of environment variables. */
export async function previewCommand(
  options: CommandOptions,
  request: CommandInput,
): Promise<SessionPreview> {
  const { config } = request;
  const spec = executorTable(options.entryFile)[config.agent.name];
  const files = sessionFiles(options.own, isContained(config) ? sandboxFolder(options.env, options) : null);
  const choice = { spec, request, files, login: loadUserLogin(spec, options.env) };
  const command = await buildCommand(options, choice);
  const names = Object.keys(buildEnv(options, { ...choice, command }));
  const unset = { ...options, env: {} };
  const set = new Set(Object.keys(buildEnv(unset, { ...choice, command })));
  return {
    name: spec.name,
    model: config.agent.model,
    effort: config.agent.effort,
    argv: command.argv,
    cwd: options.place.projectDir,
    stdin: command.stdin,
    env_set: [...set, cookieVariable].toSorted(),
    env_passed: names.filter((name) => !set.has(name)).toSorted(),
    problem: await findProblem(options, request),
  };
}

async function findProblem(options: CommandOptions, { config }: CommandInput): Promise<RunnerError | null> {
  const spec = executorTable(options.entryFile)[config.agent.name];
  try {
    await requireProgram(options, { spec, config });
    return null;
  } catch (error) {
    if (error instanceof RunnerError && (error.code === 'AGENT_MISSING' || error.code === 'SCRIPT_INVALID'))
      return error;

    throw error;
  }
}

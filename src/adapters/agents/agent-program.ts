/** The program of the configured agent: its path, its requirements, and the version it reports. Starts no session. */
import { isAbsolute, resolve } from 'node:path';
import { RunnerError } from '../../core/errors.ts';
import { firstLine } from '../../core/agents/agent-events.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import { cleanText } from '../../core/text/terminal-text.ts';
import type { Redactor } from '../../core/text/redact.ts';
import type { Config, Env } from '../../core/types.ts';
import type { Clock, Interrupts } from '../../ports/sessions.ts';
import type { ExecutorSpec } from './executors/spec.ts';
import { lookAt } from '../files/look-at.ts';
import type { Layout, PrivateLayout } from '../files/layout.ts';
import { runCaptured } from '../processes/captured-run.ts';
import { findProgram } from '../processes/program-path.ts';
import { imageHint, isFromImage } from '../processes/sandbox/sandbox.ts';
import type { Sandbox } from '../processes/sandbox/sandbox.ts';
import { checkScript } from './script-file.ts';
import { agentEnv } from '../processes/session-env.ts';

const versionTimeoutMs = 15_000;
const versionBytesMax = 4096;

/** What it takes to find a program. */
export interface ProgramOptions {
  readonly place: Layout;
  readonly env: Env;
  /** What its sessions run in, where the settings ask for that; missing: it is not asked. */
  readonly sandbox?: Sandbox;
}

export interface AgentSessionOptions extends ProgramOptions {
  readonly own: PrivateLayout;
  /** Top of the work tree. */
  readonly top: string;
  /** Name of the repository (`placeName` of its common git folder). */
  readonly repository: string;
  readonly clock: Clock;
  readonly interrupts: Interrupts;
  /** For everything that is kept or shown of a session; asked anew, because an agent may renew its login. */
  readonly redactor: () => Redactor;
  /** Program file of the runner itself, for the scripted agent; null when the runner is one executable file. */
  readonly entryFile: string | null;
  /** Between TERM and KILL, and after an answer; tests shorten them. */
  readonly graceMs?: number;
  readonly answerGraceMs?: number;
  /** Called when its processes have ended, before anything they left is read (§14). */
  readonly afterEnd?: (place: { readonly iter: number }) => Promise<void>;
}

interface Choice {
  readonly spec: ExecutorSpec;
  readonly config: Config;
}

export function programName({ spec, config }: Choice): string {
  return config.agent.bin ?? spec.defaultBin ?? config.agent.command?.[0] ?? process.execPath;
}

/** In a sandbox a plain name is the image's. */
export async function lookUp(options: ProgramOptions, choice: Choice): Promise<string | null> {
  const name = programName(choice);
  if (isFromImage(choice.config, name)) return name;
  return findProgram(name, {
    cwd: options.place.projectDir,
    pathEnv: options.env['PATH'],
  });
}

export async function requireProgram(options: ProgramOptions, choice: Choice): Promise<string> {
  const program = await lookUp(options, choice);
  if (program === null) throw missing(options, choice);
  await requireInImage(options, choice);
  await checkInside(options, choice);
  // The scripted agent's program is always there; without its script every session would fail.
  await checkScript(choice.config, options.place.projectDir);
  return program;
}

/** For a run that gets a work tree of its own: a relative path leads into that one, where setup may put the program. */
export async function requireInstalled(options: ProgramOptions, choice: Choice): Promise<void> {
  const name = programName(choice);
  if (name.includes('/') && !isAbsolute(name)) return;
  if ((await lookUp(options, choice)) === null) throw missing(options, choice);
}

function missing({ place }: ProgramOptions, choice: Choice): RunnerError {
  const { spec } = choice;
  const name = programName(choice);
  const path = resolve(place.projectDir, name);
  if (name.includes('/') && lookAt(path)?.isFile() === true) {
    return new RunnerError({
      code: 'AGENT_MISSING',
      message: `the program '${name}' of the agent '${spec.name}' is not executable`,
      hint: `chmod +x ${shellWord(path)}`,
    });
  }
  return new RunnerError({
    code: 'AGENT_MISSING',
    message: `the program '${name}' of the agent '${spec.name}' was not found`,
    hint: spec.installHint,
  });
}

async function requireInImage({ sandbox }: ProgramOptions, { spec, config }: Choice): Promise<void> {
  const name = programName({ spec, config });
  if (sandbox === undefined || !isFromImage(config, name) || (await sandbox.hasProgram(config, name))) return;
  throw new RunnerError({
    code: 'AGENT_MISSING',
    message: `the image '${config.sandbox.image}' has no program '${name}' of the agent '${spec.name}'`,
    hint: imageHint,
  });
}

/** A missing program is reported only when it is needed. */
export async function checkInside(options: ProgramOptions, choice: Choice): Promise<void> {
  const path = await lookUp(options, choice);
  if (path === null || isFromImage(choice.config, path)) return;
  await options.sandbox?.checkSame(choice.config, { role: 'agent', name: programName(choice), path });
}

/** Only for the records, so no answer in time is no error. */
export async function loadVersion(
  options: AgentSessionOptions,
  { spec, program, config }: Choice & { readonly program: string },
): Promise<string | null> {
  const { sandbox } = options;
  if (sandbox !== undefined && config.sandbox.kind === 'docker')
    return shown(await sandbox.loadVersion(config, program));
  const printed = await runCaptured({
    argv: [program, '--version'],
    cwd: options.place.projectDir,
    env: agentEnv({
      user: options.env,
      place: null,
      names: [...spec.credentialNames, ...config.agent.env],
      added: {},
    }),
    timeoutMs: versionTimeoutMs,
    bytesMax: versionBytesMax,
    clock: options.clock,
    interrupts: options.interrupts,
  });
  return shown(printed);
}

function shown(printed: string | null): string | null {
  return printed === null ? null : firstLine(cleanText(printed));
}

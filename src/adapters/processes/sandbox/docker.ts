/**
 * The calls to docker that are not the session itself: is it there, what is in the image, and the end of a container. Every call is
 * bounded in time; nothing is ever pulled.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isEngineVariable } from '../../../core/sandbox/sandbox.ts';
import { RunnerError } from '../../../core/errors.ts';
import { firstLine } from '../../../core/agents/agent-events.ts';
import { cleanLine } from '../../../core/text/terminal-text.ts';
import type { Env } from '../../../core/types.ts';
import { findProgram } from '../program-path.ts';
import { withoutWorkTree } from '../search-path.ts';

const callMs = 30_000;
/** How often a removal that docker has already begun is asked for again. */
const removalsMax = 100;
const removalMs = 100;

export interface ImageFacts {
  /** `NAME=value`; null: none. */
  readonly env: readonly string[] | null;
  /** The engine runs without root, so that its root is the user. */
  readonly isRootless: boolean;
}

export interface Docker {
  /** The program; throws SANDBOX_MISSING. */
  program(): Promise<string>;
  /** The user's variables that docker's own command line needs. */
  readonly env: Readonly<Record<string, string>>;
  /** Contract: throws SANDBOX_MISSING when there is no engine, or no such image. */
  inspect(image: string): Promise<ImageFacts>;
  /** Contract: stdout of a container that ends within the time; null: it ended otherwise. `build`: its arguments, given its name. */
  ask(build: (name: string) => readonly string[]): Promise<string | null>;
  /** Contract: there is no container of this name. Throws SANDBOX_MISSING when that cannot be known. */
  end(name: string): Promise<void>;
}

interface Answer {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Null: it is not installed. */
export async function findDocker(env: Env, top: string): Promise<string | null> {
  return findProgram('docker', { cwd: '/', pathEnv: withoutWorkTree(env, top)['PATH'] });
}

export function docker(user: Env, top: string): Docker {
  const env = Object.fromEntries(
    Object.entries(user).flatMap(([name, value]) =>
      value !== undefined && isEngineVariable(name) ? [[name, value]] : [],
    ),
  );
  const program = async (): Promise<string> => {
    const found = await findDocker(user, top);
    if (found !== null) return found;
    throw missing('the program docker was not found', `install docker, or ${instead}`);
  };
  const call = async (args: readonly string[]): Promise<Answer> => {
    const { execa } = await import('execa');
    const result = await execa(await program(), args, {
      env,
      extendEnv: false,
      stdin: 'ignore',
      reject: false,
      timeout: callMs,
    });
    return { ok: result.exitCode === 0, stdout: result.stdout, stderr: result.stderr };
  };
  const end = (name: string): Promise<void> => endContainer(call, name);
  return {
    program,
    env,
    inspect: (image) => inspect(call, image),
    ask: async (build) => {
      const name = `runner-ask-${randomBytes(8).toString('hex')}`;
      try {
        const { ok, stdout } = await call(build(name));
        return ok ? stdout : null;
      } finally {
        await end(name);
      }
    },
    end,
  };
}

type Call = (args: readonly string[]) => Promise<Answer>;

const instead = 'go without: runner config set sandbox.kind none';

async function inspect(call: Call, image: string): Promise<ImageFacts> {
  const engine = await call(['info', '--format', '{{json .SecurityOptions}}']);
  if (!engine.ok) throw noEngine(engine);
  const found = await call(['image', 'inspect', '--format', '{{json .Config.Env}}', image]);
  if (!found.ok) {
    const build = 'in a checkout of runner: docker build -f packaging/docker/Dockerfile -t runner .';
    throw missing(
      `docker has no image '${image}'`,
      `${image === 'runner' ? build : `docker pull ${image}`} (or name another: runner config set sandbox.image <name>)`,
    );
  }
  return {
    env: JSON.parse(found.stdout) as readonly string[] | null,
    isRootless: engine.stdout.includes('name=rootless'),
  };
}

async function endContainer(call: Call, name: string): Promise<void> {
  for (let left = removalsMax; ; left -= 1) {
    const removed = await call(['rm', '--force', '--volumes', name]);
    if (removed.ok || /no such container/i.test(removed.stderr)) return;
    // With --rm docker removes it itself, and may be at it.
    if (left === 0 || !/already in progress/i.test(removed.stderr)) throw noEngine(removed);
    await sleep(removalMs);
  }
}

function noEngine({ stderr }: Answer): RunnerError {
  const said = cleanLine(firstLine(stderr) ?? 'no answer');
  return missing(
    `docker does not answer: ${said}`,
    `start the docker engine and see: docker info (or ${instead})`,
  );
}

export function missing(message: string, hint: string): RunnerError {
  return new RunnerError({ code: 'SANDBOX_MISSING', message, hint });
}

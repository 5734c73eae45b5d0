/**
 * Runs one session of the configured agent (§5): prompt from a file, output to files in the git folder, the answer read
 * afterwards. What the agent did is a value; only what the runner itself cannot do is an error.
 */
import { parseAgentOutput } from '../core/agent-output.ts';
import { answerBytesMax, logDiskBytesMax } from '../core/limits.ts';
import type { SessionEnd, SessionResult } from '../core/session.ts';
import { agentOutputSchemaText } from '../core/shipped.js';
import { cleanLine } from '../core/terminal-text.ts';
import type { SourceText } from '../core/types.ts';
import type { Executor, SessionRequest } from '../ports/sessions.ts';
import { executorTable } from './executors/table.ts';
import type { Ended, ExecutorSpec } from './executors/spec.ts';
import { clearFile } from './clear-way.ts';
import { readText, saveFile } from './files.ts';
import type { PrivateLayout } from './layout.ts';
import { lineReader } from './line-reader.ts';
import { saveSessionLogs } from './agent-logs.ts';
import { loadVersion, lookUp, programName, requireProgram } from './agent-program.ts';
import type { AgentSessionOptions } from './agent-program.ts';
import { readSmallFile } from './small-file.ts';
import { readTail } from './log-cut.ts';
import { runProcess } from './process.ts';
import type { ProcessResult } from './process.ts';
import { agentEnv } from './session-env.ts';

/** Holds the answer of an agent that prints it, with room for what else is in that record. */
const tailBytes = 4 * 1024 * 1024;
const stderrTailBytes = 16 * 1024;

export function agentSession(options: AgentSessionOptions): Executor {
  const table = executorTable(options.entryFile);
  const versions = new Map<string, string | null>();
  return {
    describe: async (config) => {
      const spec = table[config.agent.name];
      const program = await requireProgram(options, { spec, config });
      if (spec.hasVersionFlag && !versions.has(program)) {
        versions.set(program, await loadVersion(options, { spec, program, config }));
      }
      const version = spec.hasVersionFlag ? (versions.get(program) ?? null) : null;
      return { name: spec.name, version, model: config.agent.model };
    },
    run: (request) => runSession(options, table[request.config.agent.name], request),
    salvage: (request) => saveSessionLogs(options, request),
  };
}

async function runSession(
  options: AgentSessionOptions,
  spec: ExecutorSpec,
  request: SessionRequest,
): Promise<SessionResult> {
  const { place, own } = options;
  const { config } = request;
  // One that vanished since the checks fails to start, which is the agent's failure and not ours.
  const program = (await lookUp(options, { spec, config })) ?? programName({ spec, config });
  await prepareFiles(own, request.prompt);
  const { argv, env, stdin } = spec.command({
    config,
    program,
    projectDir: place.projectDir,
    answerFile: own.answer,
    schemaFile: place.outputSchema,
    schemaText: agentOutputSchemaText,
    session: request.judged_sessions + 1,
  });
  const watcher = watchOutput(spec, request);
  const idleSecs = config.agent.idle_timeout_secs ?? spec.idleTimeoutSecs ?? 0;
  const result = await runProcess({
    argv,
    cwd: place.projectDir,
    env: agentEnv({
      user: options.env,
      place: { run_id: request.run_id, iter: request.iter, node_id: request.node_id, top: options.top },
      names: [...spec.credentialNames, ...config.agent.env],
      added: {
        ...env,
        RUNNER_SCHEMA: place.outputSchema,
        ...(spec.answersInFile ? { RUNNER_OUTPUT: own.answer } : {}),
      },
    }),
    stdinFile: stdin === 'prompt' ? own.prompt : null,
    stdoutFile: own.stdout,
    stderrFile: own.stderr,
    deadlineMs: request.deadlineMs,
    idleTimeoutMs: idleSecs === 0 ? null : idleSecs * 1000,
    isBusy: watcher.isBusy,
    diskBytesMax: logDiskBytesMax,
    cookie: request.cookie,
    clock: options.clock,
    interrupts: options.interrupts,
    onChunk: watcher.onChunk,
    followAll: true,
    hasAnswered: () => watcher.hasAnswer() || (spec.answersInFile && hasAnswerFile(own.answer)),
    answerGraceMs: options.answerGraceMs ?? spec.answerGraceMs,
    ...(options.graceMs === undefined ? {} : { graceMs: options.graceMs }),
  });
  await saveSessionLogs(options, request);
  const read = await readResult({ own, spec, result, idleSecs });
  // What is left here after a crash can only be of the session that crashed.
  for (const file of [own.answer, own.stdout, own.stderr]) {
    await clearFile(file, own);
  }
  return read;
}

/** Whatever an earlier session left must not be taken for this one's. */
async function prepareFiles(own: PrivateLayout, prompt: string): Promise<void> {
  const below = { root: own.gitDir };
  for (const file of [own.answer, own.prompt, own.stdout, own.stderr]) {
    await clearFile(file, own);
  }
  await saveFile(own.prompt, prompt, below);
}

function watchOutput(
  spec: ExecutorSpec,
  request: SessionRequest,
): { onChunk: (text: string) => void; isBusy: () => boolean; hasAnswer: () => boolean } {
  let tools = 0;
  let answered = false;
  const onChunk = lineReader((text) => {
    const followed = spec.follow(text);
    tools = Math.max(0, tools + followed.tools);
    answered ||= followed.answer !== null && isAnswer(followed.answer);
    if (followed.line !== null) {
      request.onActivity({ line: cleanLine(followed.line) });
    }
  });
  return { onChunk, isBusy: () => tools > 0, hasAnswer: () => answered };
}

function isAnswer(text: string): boolean {
  return parseAgentOutput({ kind: 'text', text }).ok;
}

/** Looked at between two waits, so it must not wait itself, not even for what is no regular file. */
function hasAnswerFile(path: string): boolean {
  const text = readSmallFile(path, answerBytesMax);
  return text !== null && isAnswer(text);
}

interface Finished {
  readonly own: PrivateLayout;
  readonly spec: ExecutorSpec;
  readonly result: ProcessResult;
  readonly idleSecs: number;
}

async function readResult({ own, spec, result, idleSecs }: Finished): Promise<SessionResult> {
  const ended: Ended = {
    stdoutTail: await readTail(own.stdout, tailBytes),
    stderrTail: await readTail(own.stderr, stderrTailBytes),
    answerFile: await readText(own.answer, { bytesMax: answerBytesMax, root: own.gitDir }),
    exitCode: result.exitCode,
  };
  const answer = spec.read(ended);
  return {
    end: judgeSessionEnd({ spec, result, idleSecs, ended, answer }),
    answer,
    exit_code: result.exitCode,
    duration_ms: result.durationMs,
    leftovers: result.leftovers,
  };
}

interface Facts extends Omit<Finished, 'own'> {
  readonly ended: Ended;
  readonly answer: SourceText;
}

function judgeSessionEnd({ spec, result, idleSecs, ended, answer }: Facts): SessionEnd {
  switch (result.end) {
    case 'interrupted':
      return { kind: 'interrupted', signal: result.interruptSignal ?? 'SIGTERM' };
    case 'deadline':
      return { kind: 'out_of_time', seconds: Math.round(result.durationMs / 1000) };
    case 'answered':
      return { kind: 'exited' };
    case 'not_started':
      return { kind: 'failed', reason: `${spec.name} could not be started: ${result.startError ?? ''}` };
    case 'idle':
    case 'timeout':
      return {
        kind: 'failed',
        reason: `${spec.name} was silent for ${idleSecs} s (agent.idle_timeout_secs)`,
      };
    case 'disk_cap':
      return { kind: 'failed', reason: `${spec.name} printed more than ${logDiskBytesMax} bytes` };
    case 'exited':
      return judgeExit({ spec, result, ended, answer });
  }
}

function judgeExit({ spec, result, ended, answer }: Omit<Facts, 'idleSecs'>): SessionEnd {
  if (result.exitCode === 0) {
    return { kind: 'exited' };
  }
  const blocked = parseAgentOutput(answer).ok ? null : spec.blocked(ended);
  if (blocked !== null) {
    return { kind: 'blocked', reason: cleanLine(blocked.reason), fix: blocked.fix };
  }
  const how = result.signal === null ? `exit code ${result.exitCode}` : `signal ${result.signal}`;
  return { kind: 'failed', reason: `${spec.name} ended with ${how}` };
}

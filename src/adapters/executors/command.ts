/**
 * Any program as agent: prompt on stdin, answer in the file that RUNNER_OUTPUT names or, when it writes none and exits 0,
 * the last JSON object it prints.
 */
import { lastJsonObject } from '../../core/agent-output.ts';
import type { SourceText } from '../../core/types.ts';
import { firstLine } from './records.ts';
import type { AgentCommand, CommandRequest, Ended, ExecutorSpec } from './spec.ts';

export const commandAgent: ExecutorSpec = {
  name: 'command',
  defaultBin: null,
  installHint: 'set agent.command in .runner/state/config.toml to a program that exists and commit it',
  hasVersionFlag: false,
  answersInFile: true,
  idleTimeoutSecs: null,
  // It may well write its answer first and tidy up afterwards.
  answerGraceMs: 60_000,
  credentialNames: [],
  command,
  follow: (line) => ({ line: firstLine(line), tools: 0, answer: null }),
  read,
  blocked: () => null,
};

function command({ config, program }: CommandRequest): AgentCommand {
  const [, ...args] = config.agent.command ?? [];
  return { argv: [program, ...args, ...config.agent.extra_args], env: {}, stdin: 'prompt' };
}

function read({ answerFile, stdoutTail, exitCode }: Ended): SourceText {
  if (answerFile.kind !== 'missing' || exitCode !== 0) {
    return answerFile;
  }
  const text = lastJsonObject(stdoutTail);
  return text === null ? answerFile : { kind: 'text', text };
}

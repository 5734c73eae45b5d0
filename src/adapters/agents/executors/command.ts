/**
 * Any program as agent: prompt on stdin, answer in the file that RUNNER_OUTPUT names or, when it writes none and exits 0,
 * the last JSON object it prints.
 */
import type { AgentCommand, CommandRequest, ExecutorSpec } from './spec.ts';

export const commandAgent: ExecutorSpec = {
  name: 'command',
  defaultBin: null,
  installHint: 'set agent.command in .runner/state/config.toml to a program that exists and commit it',
  provenVersions: [],
  hasVersionFlag: false,
  answersInFile: true,
  answersInText: true,
  idleTimeoutSecs: null,
  // It may well write its answer first and tidy up afterwards.
  answerGraceMs: 60_000,
  credentialNames: [],
  credentials: [],
  fixes: {},
  command,
  // So an answer over several lines is found too.
  printsText: true,
  follow: (line) => [{ type: 'message', text: `${line}\n`, partial: true }],
  // Whatever a program of the user's own prints, it cannot be known what its words mean.
  failure: () => 'crashed',
};

function command({ config, program }: CommandRequest): AgentCommand {
  const [, ...args] = config.agent.command ?? [];
  return { argv: [program, ...args, ...config.agent.extra_args], env: {}, stdin: 'prompt' };
}

/** The built-in agent that plays recorded answers: the runner starts itself with the hidden command `play-script`. */
import { resolve } from 'node:path';
import { scriptHint } from '../script-file.ts';
import type { ExecutorSpec } from './spec.ts';

/** `entryFile` is the program file of the runner itself; null when it is one executable file and needs none. */
export function scriptedAgent(entryFile: string | null): ExecutorSpec {
  return {
    name: 'scripted',
    defaultBin: null,
    installHint: scriptHint,
    provenVersions: [],
    hasVersionFlag: false,
    answersInFile: true,
    answersInText: false,
    idleTimeoutSecs: null,
    answerGraceMs: 10_000,
    credentialNames: [],
    credentials: [],
    fixes: {},
    command: ({ config, program, projectDir, session }) => ({
      argv: [
        program,
        ...(entryFile === null ? [] : [entryFile]),
        'play-script',
        resolve(projectDir, config.agent.script ?? ''),
        String(session),
      ],
      env: {},
      stdin: 'none',
    }),
    follow: (line) => [{ type: 'message', text: line, partial: false }],
    failure: () => 'crashed',
  };
}

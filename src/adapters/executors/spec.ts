/** What the runner knows of one agent program: how to start it, how to follow it, how to read its answer. Types only. */
import type { Config, SourceText } from '../../core/types.ts';

export interface CommandRequest {
  readonly config: Config;
  /** The program, found. */
  readonly program: string;
  readonly projectDir: string;
  /** Where the agent leaves its answer, out of the work tree. */
  readonly answerFile: string;
  /** `.runner/state/agent_output.schema.json`, and its text. */
  readonly schemaFile: string;
  readonly schemaText: string;
  /** Number of the session from 1, for the scripted agent. */
  readonly session: number;
}

export interface AgentCommand {
  readonly argv: readonly string[];
  /** Variables set for the agent. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: 'prompt' | 'none';
}

export interface Followed {
  /** One readable line of what the agent did, or null. */
  readonly line: string | null;
  /** Tool calls opened minus tool calls closed. */
  readonly tools: number;
  /** Text of the answer, where the line carries it. */
  readonly answer: string | null;
}

export interface Ended {
  /** The last part of what the agent printed. */
  readonly stdoutTail: string;
  readonly stderrTail: string;
  /** What stands in the answer file. */
  readonly answerFile: SourceText;
  readonly exitCode: number | null;
}

export interface Blocked {
  readonly reason: string;
  /** The command or setting that helps. */
  readonly fix: string;
}

export interface ExecutorSpec {
  readonly name: Config['agent']['name'];
  /** Program that is looked for when `agent.bin` is not set; null: the config or the runner itself names it. */
  readonly defaultBin: string | null;
  readonly installHint: string;
  readonly hasVersionFlag: boolean;
  /** Whether it writes its answer to the file we name; the others end with it, and a file would be taken too early. */
  readonly answersInFile: boolean;
  readonly idleTimeoutSecs: number | null;
  /** How long an agent that has answered may go on before it is ended. */
  readonly answerGraceMs: number;
  /** Variables that hold its credentials or say where they are; no guard ever gets them. */
  readonly credentialNames: readonly string[];
  readonly command: (request: CommandRequest) => AgentCommand;
  readonly follow: (line: string) => Followed;
  readonly read: (ended: Ended) => SourceText;
  /** Why no session can work until a person does something; null when unclear. */
  readonly blocked: (ended: Ended) => Blocked | null;
}

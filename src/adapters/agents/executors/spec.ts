/** What the runner knows about one agent program: how to start it, how to follow it, how to read its answer. Types only. */
import type { AgentEvent, EventPlace } from '../../../core/agents/agent-events.ts';
import type { FailureKind } from '../../../core/agents/failure.ts';
import type { Transcript } from '../../../core/agents/transcript.ts';
import type { Config, Env, SourceText } from '../../../core/types.ts';

export interface CommandRequest {
  /** For a review with the reviewer's agent and model in `agent`. */
  readonly config: Config;
  /** A reviewer may not edit; agents that can enforce this do. */
  readonly role: EventPlace['role'];
  /** The program, found. */
  readonly program: string;
  readonly projectDir: string;
  /** It runs in a sandbox of ours, so its own is off. */
  readonly isContained: boolean;
  /** A folder of the runner's own, out of the work tree, for files the agent must be given. */
  readonly ownDir: string;
  /** Where the agent leaves its answer, out of the work tree. */
  readonly answerFile: string;
  /** The schema of the answer as a file, and its text. */
  readonly schemaFile: string;
  readonly schemaText: string;
  /** Number of the session from 1, for the scripted agent. */
  readonly session: number;
  /** What the user's own settings of the agent say about its login. */
  readonly login: UserLogin;
  /** The user's environment. */
  readonly userEnv: Env;
}

export interface AgentCommand {
  readonly argv: readonly string[];
  /** Variables set for the agent. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: 'prompt' | 'none';
  /** Files to write before it starts, all directly in `ownDir`. */
  readonly files?: readonly { readonly path: string; readonly text: string }[];
}

export interface Ended {
  readonly transcript: Transcript;
  /** The last part of what it wrote to stderr. */
  readonly stderr: string;
  /** Content of the answer file. */
  readonly answerFile: SourceText;
  readonly exitCode: number | null;
}

export interface UserLoginRequest {
  /** The settings file of the agent; null: there is none. */
  readonly text: string | null;
  /** As people write it. */
  readonly path: string;
  /** The user's. */
  readonly env: Env;
}

/** A login that lives in the user's own settings of an agent, which a session does not load (§14). */
export interface UserLogin {
  /** Arguments and variables that carry it. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Variables of the user's environment that it needs. */
  readonly names: readonly string[];
  /** Settings that are a login, by their names. */
  readonly settings: readonly string[];
  /** The one login that counts, whatever others there are, without any secret; null: none does. */
  readonly only: string | null;
  /** What it lacks, as one clause; null: nothing. */
  readonly missing: string | null;
  /** What helps when it does not work, instead of a new login; null: it is not this login. */
  readonly fix: string | null;
}

export const noUserLogin: UserLogin = {
  args: [],
  env: {},
  names: [],
  settings: [],
  only: null,
  missing: null,
  fix: null,
};

export interface HomeFile {
  readonly homeVariable: string | null;
  readonly homeFolder: string;
  readonly name: string;
  /** The agent renews it, and nothing in it starts a program: what a sandbox made of it is brought back. */
  readonly isRenewed?: boolean;
}

/** Where an agent finds its login, in the order in which the agent itself looks. */
export interface CredentialSource {
  /** The variable that holds it; null: a file of the agent's own. */
  readonly variable: string | null;
  /** Paths below HOME, or below the folder that `homeVariable` names. */
  readonly file?: HomeFile;
  /** The setting of the agent's own settings file that gives it. */
  readonly setting?: string;
  readonly means: string;
  /** It serves only models of this provider, as in `agent.model = "<provider>/<model>"`; missing: all that the agent has. */
  readonly provider?: string;
}

export interface ExecutorSpec {
  readonly name: Config['agent']['name'];
  /** Program that is looked for when `agent.bin` is not set; null: the config or the runner itself names it. */
  readonly defaultBin: string | null;
  readonly installHint: string;
  /** Versions the flags were proven with; empty for programs of the user's own. */
  readonly provenVersions: readonly string[];
  readonly hasVersionFlag: boolean;
  /** Why its sessions would fail on this machine, where that can be known before; null: nothing is. */
  readonly hazard?: (place: {
    readonly config: Config;
    readonly env: Env;
  }) => { readonly what: string; readonly fix: string } | null;
  /** Whether it writes its answer to the file we name; the others end with it, and a file would be taken too early. */
  readonly answersInFile: boolean;
  /** Whether the last JSON object of its final message counts as answer; else only what it gives by schema. */
  readonly answersInText: boolean;
  readonly idleTimeoutSecs: number | null;
  /** How long an agent that has answered may go on before it is ended. */
  readonly answerGraceMs: number;
  /** Variables that pass to this agent only: credentials, and where they are. */
  readonly credentialNames: readonly string[];
  readonly credentials: readonly CredentialSource[];
  /** Further files it needs in a sandbox: the key of a sealed login, settings that choose one. */
  readonly sandboxFiles?: readonly HomeFile[];
  /** Its settings file, where that may hold a login. */
  readonly userSettings?: {
    readonly file: HomeFile;
    readonly login: (request: UserLoginRequest) => UserLogin;
  };
  /** What helps against a failure, where the agent has its own command or setting for it. */
  readonly fixes: Readonly<Partial<Record<FailureKind, string>>>;
  readonly command: (request: CommandRequest) => AgentCommand;
  /** Everything it prints is one message: no line of it means anything by itself. */
  readonly printsText?: boolean;
  /** One line of stdout to events. Never throws; a line it does not know is no event. */
  readonly follow: (line: string) => readonly AgentEvent[];
  /** Lines of stderr that report what was used, for agents that tell it on stdout only at the end. They are kept in no log. */
  readonly report?: {
    readonly isReport: (line: string) => boolean;
    readonly follow: ExecutorSpec['follow'];
  };
  /** The last retry before it fell silent, for agents that report retries only on stderr. */
  readonly lastRetry?: (stderr: string) => string | null;
  /** Refusals, for agents that report them only on stderr. */
  readonly denials?: (stderr: string) => readonly string[];
  /** Recognises failures that the common patterns miss; null: use the common table. */
  readonly failure?: (ended: Ended) => FailureKind | null;
}

/** The ports together: what `step` and `loop` act through. Types only; every method carries its contract in its own file. */
import type { GitPort } from './git.ts';
import type { Judge, SetupRunner } from './judge.ts';
import type { Reporter } from './reporter.ts';
import type { RepositoryLock, RunRecords } from './runs.ts';
import type { EditQueue, PauseFlag, RunNotes } from './steer.ts';
import type {
  Clock,
  CommandInterrupts,
  Executor,
  GuardRunner,
  Hasher,
  Lock,
  Notifier,
  SandboxCheck,
  Sweeper,
  Waiter,
} from './sessions.ts';
import type {
  ConfigFile,
  ConfigStore,
  ContextWriter,
  ControlFiles,
  GoalStore,
  IterationLogger,
  Journal,
  PromptBuilder,
  RunStateStore,
  Sidecars,
  TreeStore,
  Workspace,
} from './stores.ts';

/** Everything `step` and `loop` act through. */
export interface Ports {
  readonly clock: Clock;
  readonly interrupts: CommandInterrupts;
  readonly waiter: Waiter;
  readonly lock: Lock;
  readonly journal: Journal;
  readonly trees: TreeStore;
  readonly runStates: RunStateStore;
  readonly configs: ConfigStore;
  readonly configFile: ConfigFile;
  readonly goals: GoalStore;
  readonly sidecars: Sidecars;
  readonly prompts: PromptBuilder;
  readonly contexts: ContextWriter;
  readonly executor: Executor;
  readonly guards: GuardRunner;
  readonly judge: Judge;
  readonly setups: SetupRunner;
  readonly sandbox: SandboxCheck;
  readonly sweeper: Sweeper;
  readonly git: GitPort;
  readonly controlFiles: ControlFiles;
  readonly workspace: Workspace;
  readonly logs: IterationLogger;
  readonly pauses: PauseFlag;
  readonly queue: EditQueue;
  readonly notes: RunNotes;
  readonly notifier: Notifier;
  readonly reporter: Reporter;
  readonly hasher: Hasher;
  readonly records: RunRecords;
  /** Beside `lock`, which is of this work tree. */
  readonly repositoryLock: RepositoryLock;
  /** What the header of a run tells about the machine. */
  readonly notices: readonly string[];
}

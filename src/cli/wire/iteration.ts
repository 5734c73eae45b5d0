/** Composition root: a folder, an environment and flags in, all adapters out. */
import { agentSession } from '../../adapters/agents/agent-session.ts';
import { systemClock } from '../../adapters/files/clock.ts';
import { configFile, configStore } from '../../adapters/project/config-store.ts';
import { contextWriter } from '../../adapters/project/context-writer.ts';
import { controlFiles } from '../../adapters/project/control-files.ts';
import { editQueue } from '../../adapters/project/edit-queue.ts';
import { gitAdapter } from '../../adapters/git/git.ts';
import { goalStore } from '../../adapters/project/goal-store.ts';
import { guardRunner } from '../../adapters/processes/guard-runner.ts';
import { systemHasher } from '../../adapters/files/hasher.ts';
import { iterationLogger } from '../../adapters/project/iteration-logger.ts';
import { journalStore } from '../../adapters/project/journal-store.ts';
import { layout, privateLayout } from '../../adapters/files/layout.ts';
import type { LogPlace } from '../../adapters/files/layout.ts';
import { placeName } from '../../adapters/files/state-home.ts';
import { notifier } from '../../adapters/processes/notifier.ts';
import { pauseFlag } from '../../adapters/project/pause-flag.ts';
import { processTable } from '../../adapters/processes/process-table.ts';
import { promptBuilder } from '../../adapters/project/prompt-builder.ts';
import { runNoteFile } from '../../adapters/project/run-note-file.ts';
import { runStateStore } from '../../adapters/project/run-state-store.ts';
import { sandbox } from '../../adapters/processes/sandbox/sandbox.ts';
import type { Sandbox } from '../../adapters/processes/sandbox/sandbox.ts';
import { searchPathNotes, withAbsolutePath } from '../../adapters/processes/search-path.ts';
import { setupRunner } from '../../adapters/processes/setup-runner.ts';
import { secretRedactor } from '../../adapters/agents/secret-values.ts';
import { sidecars } from '../../adapters/project/sidecars.ts';
import { signalProcess, sweeper } from '../../adapters/processes/sweep.ts';
import { waiter } from '../../adapters/processes/waiter.ts';
import { treeStore } from '../../adapters/project/tree-store.ts';
import { realFolder, workspace } from '../../adapters/project/workspace.ts';
import { fittingHint } from '../../core/config/setting-hint.ts';
import { redactDeep } from '../../core/text/redact.ts';
import type { Redactor } from '../../core/text/redact.ts';
import type { RunEndings } from '../../ports/endings.ts';
import type { GitPort } from '../../ports/git.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Reporter } from '../../ports/reporter.ts';
import { processInterrupts } from '../interrupts.ts';
import { liveReporter, silentReporter } from '../output/live.ts';
import type { LiveReporter } from '../output/live.ts';
import type { CommandCall } from '../program.ts';
import type { Settings } from '../output/streams.ts';
import { lockOf, requireOutside, runsOf } from './files.ts';
import { requireHere } from './locate.ts';
import { logPlaceOf } from './log-place.ts';

export interface Project {
  readonly ports: Ports;
  /** Git's part of ending whole runs, with the same settings as `ports.git`. */
  readonly endings: RunEndings;
  closeLive(): void;
  close(): void;
}

export interface Opening {
  readonly command: 'start' | 'step' | 'loop' | 'finish' | 'update' | 'abandon' | 'clean' | 'audit';
  /** Reporters besides the one for people. They write to the same terminal, so there is no live view then. */
  readonly reporters: readonly Reporter[];
  /** Reporters that write elsewhere. */
  readonly followers?: readonly Reporter[];
  /** Where iterations are logged; missing: in the project, or where the work tree's background run keeps them. */
  readonly logs?: LogPlace;
  /** Of a command that listened for signals before; missing: from now on. */
  readonly signals?: Signals;
}

/** Signals, and whose processes the second one ends. */
export interface Signals {
  readonly interrupts: ReturnType<typeof processInterrupts>;
  readonly active: { cookie: string; sandbox: Sandbox | null };
}

export async function openProject(
  settings: Settings,
  { overrides }: Pick<CommandCall, 'overrides'>,
  { command, reporters: others, followers = [], logs, signals }: Opening,
): Promise<Project> {
  const clock = systemClock();
  const live = settings.quiet
    ? silentReporter
    : liveReporter({ settings, nowMs: () => clock.monotonicMs(), isPlain: others.length > 0 });
  // A large repository takes a moment to look at, and silence looks like a hang.
  if (command !== 'start') live.say(`${command}: checking the run and the repository`);
  const projectDir = await realFolder(settings.directory);
  const { active, interrupts } = signals ?? openSignals(live);
  const env = withAbsolutePath(settings.env);
  const redactor = secretRedactor(settings.env);
  const git = gitAdapter({ projectDir, env, interrupts });
  const { top, git_dir, common_dir, prefix } = await git.locate();
  const repository = placeName(common_dir);
  requireOutside(settings, { top, repository });
  await requireHere(projectDir, top);
  const place = layout(projectDir, logs ?? (await logPlaceOf({ top, git_dir, common_dir })));
  const own = privateLayout(git_dir);
  const afterEnd = ({ iter }: { readonly iter: number }): Promise<void> => git.putBack(iter);
  const box = sandbox({ own, top, commonDir: common_dir, repository, env, entryFile: settings.entryFile });
  active.sandbox = box;
  const session = { sandbox: box, place, own, top, repository, env, clock, interrupts, redactor, afterEnd };
  const executor = agentSession({ ...session, entryFile: settings.entryFile });
  const guards = guardRunner(session);
  const setups = setupRunner(session);
  const sources = { place, env: settings.env, flags: overrides };
  const ports: Ports = {
    clock,
    interrupts,
    waiter: waiter({ clock, interrupts }),
    lock: await lockOf(settings, git_dir),
    journal: journalStore({ own, env: settings.env }),
    trees: treeStore(place),
    runStates: runStateStore(place),
    configs: configStore(sources),
    configFile: configFile(sources),
    goals: goalStore(place),
    sidecars: sidecars(place),
    prompts: promptBuilder(place),
    contexts: contextWriter(place),
    executor: { ...executor, run: noting(active, (request) => executor.run(request)) },
    guards: { ...guards, run: noting(active, (request) => guards.run(request)) },
    judge: git.judge,
    setups: { run: noting(active, (request) => setups.run(request)) },
    sandbox: box,
    sweeper: sweeper(box),
    git: withoutSecrets(git, redactor),
    controlFiles: controlFiles({ place, own, top, git }),
    workspace: workspace(place.projectDir, git_dir),
    logs: iterationLogger(place, (text) => redactor().redact(text)),
    pauses: pauseFlag(own),
    queue: editQueue(own, clock),
    notes: runNoteFile({ own, prefix }, { redactor, fit: fittingHint({ env, flags: overrides }) }),
    notifier: notifier({ projectDir: place.projectDir, env }),
    reporter: all([live, ...others, ...followers]),
    hasher: systemHasher(),
    ...(await runsOf(settings, common_dir)),
    notices: searchPathNotes(settings.env, top),
  };
  return {
    ports,
    endings: withoutSecretsAtEnd(git.endings, redactor),
    closeLive: () => live.close(),
    close: () => closeAll(live, signals === undefined ? interrupts : null),
  };
}

/** `own`: signals that nobody else listens for. */
function closeAll(live: LiveReporter, own: Signals['interrupts'] | null): void {
  live.close();
  own?.close();
}

function all(reporters: readonly Reporter[]): Reporter {
  return {
    wants: {
      everyActivity: reporters.some(({ wants }) => wants.everyActivity),
      agentEvents: reporters.some(({ wants }) => wants.agentEvents),
    },
    report: (event) => {
      for (const reporter of reporters) reporter.report(event);
    },
  };
}

/** A second signal ends what runs just then. */
function noting<Request extends { readonly cookie: string }, Result>(
  active: { cookie: string },
  run: (request: Request) => Promise<Result>,
): (request: Request) => Promise<Result> {
  return (request) => {
    active.cookie = request.cookie;
    return run(request);
  };
}

/** Messages of commits, and what hooks print. */
function withoutSecrets(git: GitPort, redactor: () => Redactor): GitPort {
  return {
    ...git,
    commit: async (request) => {
      const { redact } = redactor();
      return redactDeep(await git.commit({ ...request, message: redact(request.message) }), redact);
    },
  };
}

function withoutSecretsAtEnd(endings: RunEndings, redactor: () => Redactor): RunEndings {
  return {
    ...endings,
    commitInClone: async (request) => {
      const { redact } = redactor();
      return redactDeep(
        await endings.commitInClone({ ...request, message: redact(request.message) }),
        redact,
      );
    },
  };
}

/** `live`: tells people what a signal does. */
export function openSignals(live: Pick<LiveReporter, 'say'>): Signals {
  const active: Signals['active'] = { cookie: '', sandbox: null };
  const interrupts = processInterrupts({
    onFirst: (signal, { isSkip }) => {
      const what = isSkip ? 'skipping the guard' : 'stopping cleanly';
      live.say(`${signal}: ${what}; a second signal stops at once`);
    },
    killNow: () => killSession(active),
  });
  return { active, interrupts };
}

async function killSession({ cookie, sandbox: box }: Signals['active']): Promise<void> {
  if (cookie === '') return;
  const pids = await processTable().listSession({ cookie, groupId: null });
  for (const pid of pids) signalProcess(pid, 'SIGKILL');
  await box?.end(cookie);
}

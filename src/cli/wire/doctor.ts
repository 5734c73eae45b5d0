/** The composition root of `doctor`: files, and everything that inspects the machine; works outside a repository too. */
import { secretRedactor } from '../../adapters/agents/secret-values.ts';
import { surveyAgents } from '../../adapters/agents/agent-survey.ts';
import { systemClock } from '../../adapters/files/clock.ts';
import { listGitLocks, loadGitVersion, loadHooks } from '../../adapters/git/history/survey.ts';
import { gitAdapter } from '../../adapters/git/git.ts';
import { guardRunner } from '../../adapters/processes/guard-runner.ts';
import { loadGuardText, tryGuard } from '../../adapters/processes/guard-survey.ts';
import { journalStore } from '../../adapters/project/journal-store.ts';
import { layout, privateLayout } from '../../adapters/files/layout.ts';
import { loadLockState } from '../../adapters/processes/lock.ts';
import { listLeftovers, listUnwritable, loadFreeBytes } from '../../adapters/processes/machine.ts';
import { runBattery } from '../../adapters/processes/sandbox/battery.ts';
import { sandbox } from '../../adapters/processes/sandbox/sandbox.ts';
import { withWorkTreeLast } from '../../adapters/processes/search-path.ts';
import { listLeftOut } from '../../adapters/processes/session-env.ts';
import { placeName } from '../../adapters/files/state-home.ts';
import { realFolder } from '../../adapters/project/workspace.ts';
import type { DoctorPorts } from '../../app/views/doctor.ts';
import type { Machine } from '../../ports/machine.ts';
import type { Interrupts } from '../../ports/sessions.ts';
import type { Settings } from '../output/streams.ts';
import { openFiles } from './files.ts';

export interface DoctorProject extends DoctorPorts {
  /** For a real run of the guard, which must not meet a runner at work. */
  lockForWriting(command: string): Promise<() => Promise<void>>;
}

export async function openDoctor(settings: Settings, interrupts: Interrupts): Promise<DoctorProject> {
  const { env, entryFile } = settings;
  const place = layout(await realFolder(settings.directory));
  const files = await openFiles(settings);
  const request = { projectDir: place.projectDir, env: withWorkTreeLast(env, place.projectDir) };
  const where = files.git === null ? null : await gitAdapter(request).locate();
  const gitDir = where?.git_dir ?? null;
  const top = where?.top ?? place.projectDir;
  const own = privateLayout(gitDir ?? place.root);
  const repository = placeName(where?.common_dir ?? place.root);
  const redactor = secretRedactor(env);
  const box = sandbox({ own, top, commonDir: where?.common_dir ?? own.gitDir, repository, env, entryFile });
  const session = {
    sandbox: box,
    place,
    own,
    top,
    repository,
    env,
    clock: systemClock(),
    interrupts,
    redactor,
  };
  const guards = guardRunner(session);
  const machine: Machine = {
    nodeVersion: () => process.versions.node,
    gitVersion: () => loadGitVersion(request),
    listAgents: (config) => surveyAgents({ ...session, entryFile }, config),
    loadGuardText: (source, command) => loadGuardText(session, source, command),
    checkSandbox: (config) => box.check(config),
    resolveSandbox: (config) => box.resolve(config),
    tryEscapes: () => runBattery({ env, entryFile, sandboxOf: sandbox }),
    checkGuard: (config) => guards.check(config),
    tryGuard: (trial) => tryGuard(session, trial),
    listLeftOut: () => listLeftOut(env),
    freeBytes: () => loadFreeBytes(place.projectDir),
    listUnwritable: () =>
      listUnwritable([
        place.projectDir,
        place.root,
        place.stateDir,
        ...(gitDir === null ? [] : [gitDir, own.root]),
      ]),
    listHooks: () => loadHooks(request),
    listGitLocks: () => listGitLocks(request),
    runnerLock: () => loadLockState(own.lock),
    listLeftovers: () => listLeftovers(top, env),
  };
  return {
    workspace: files.workspace,
    configs: files.configs,
    trees: files.trees,
    runStates: files.runStates,
    goals: files.goals,
    git: files.git,
    journal: gitDir === null ? null : journalStore({ own, env: settings.env }),
    machine,
    lockForWriting: (command) => files.lockForWriting(command),
  };
}

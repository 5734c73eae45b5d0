/** `runner doctor`: checks everything a run depends on and says what helps. Reads only; one problem never hides the next. */
import {
  checkAgents,
  checkDisk,
  checkEnvironment,
  checkGit,
  checkHooks,
  checkNode,
  good,
} from '../../core/views/doctor.ts';
import { renderArgv } from '../../core/text/argv-text.ts';
import type { Check } from '../../core/views/doctor.ts';
import { guardSource, judgeGuard } from '../../core/config/guard-ability.ts';
import type { Config } from '../../core/types.ts';
import type { Machine } from '../../ports/machine.ts';
import type { GitPort } from '../../ports/git.ts';
import type { Journal } from '../../ports/stores.ts';
import { attempt, checkPush, checkRepository, findConflict } from './doctor-repository.ts';
import { checkSandbox, loadConfig } from './doctor-sandbox.ts';
import { checkIdentity, checkLayout, findLongGoal } from './validate.ts';
import type { CheckPorts } from './validate.ts';

export interface DoctorPorts extends CheckPorts {
  readonly git: GitPort | null;
  readonly machine: Machine;
  /** Null outside a git repository. */
  readonly journal: Journal | null;
}

export interface DoctorOptions {
  /** Null: the guard is only looked at. */
  readonly onGuardLine: ((line: string) => void) | null;
}

export async function doctor(ports: DoctorPorts, options: DoctorOptions): Promise<readonly Check[]> {
  const { machine } = ports;
  // Before `init` nothing is chosen yet, so nothing can be missing.
  const isMade = (await ports.workspace.kind()) === 'folder';
  const config = isMade ? await loadConfig(ports) : null;
  const conflict = await findConflict(ports.git);
  return [
    checkNode(machine.nodeVersion()),
    checkGit(await machine.gitVersion()),
    ...(await checkRepository(ports)),
    // What helps against a broken file would commit the markers of a merge.
    ...(conflict === null ? await checkFiles(ports) : [conflict]),
    ...(config === null ? [] : await checkSandbox(ports, config)),
    ...(config === null ? [] : await checkGuard(ports, config, options)),
    ...(await attempt('agents', async () => checkAgents(await machine.listAgents(config)))),
    ...checkEnvironment(machine.listLeftOut(), config),
    ...(ports.git === null
      ? []
      : await attempt('hooks', async () => [
          checkHooks(await machine.listHooks(), config?.git.run_hooks === true),
        ])),
    ...(await checkPush(ports.git, config)),
    ...(await checkMachine(machine)),
    ...(ports.git === null ? [] : await checkLeft(ports)),
  ];
}

async function checkFiles(ports: DoctorPorts): Promise<readonly Check[]> {
  if ((await ports.workspace.kind()) === 'missing')
    return [{ status: 'warn', name: 'layout', message: 'there is no .runner/ here yet', fix: 'runner init' }];

  const looks: readonly (readonly [string, () => Promise<string>])[] = [
    ['layout', async () => checkLayout(ports.workspace).then(() => '.runner/ is complete')],
    ['config', async () => ports.configs.load().then(() => 'config.toml is valid')],
    ['tree', async () => ports.trees.load().then(() => 'tree.json is valid')],
    ['run', () => describeRun(ports)],
  ];
  const checks: Check[] = [];
  for (const [name, look] of looks)
    checks.push(...(await attempt(name, async () => [good(name, await look())])));

  const long = await findLongGoal(ports).catch(() => null);
  return long === null ? checks : [...checks, { status: 'warn', name: 'goal', ...long }];
}

async function describeRun(ports: DoctorPorts): Promise<string> {
  const run = await checkIdentity(ports);
  if (run.kind === 'not-started') return 'no run has been started yet';
  const where = run.kind === 'ok' ? 'checked out' : `not checked out (branch ${run.branch ?? 'none'})`;
  return `run ${run.run_id} is ${where}`;
}

async function checkGuard(
  ports: DoctorPorts,
  config: Config,
  options: DoctorOptions,
): Promise<readonly Check[]> {
  const { machine } = ports;
  const { command } = config.guard;
  const found = await attempt('guard', async () => {
    await machine.checkGuard(config);
    return [good('guard', `found: ${renderArgv(command)}`)];
  });
  if (found.some(({ status }) => status === 'fail')) return found;
  const source = guardSource(command);
  const { status, message } = judgeGuard(source, await machine.loadGuardText(source, command));
  const fix =
    status === 'ok' ? null : 'set a real check: runner config set guard.command \'["npm", "test"]\'';
  const judged: Check = { status, name: 'guard.can_fail', message, fix };
  return [
    ...found,
    judged,
    ...(options.onGuardLine === null ? [] : await runGuard(ports, config, options.onGuardLine)),
  ];
}

async function runGuard(
  ports: DoctorPorts,
  config: Config,
  onLine: (line: string) => void,
): Promise<readonly Check[]> {
  const { run_id } = await ports.runStates.load().catch(() => ({ run_id: null }));
  const { end, duration_ms } = await ports.machine.tryGuard({ config, runId: run_id ?? 'doctor', onLine });
  const took = `after ${(duration_ms / 1000).toFixed(1)} s`;
  const name = 'guard.run';
  switch (end.kind) {
    case 'passed':
      return [good(name, `green ${took}`)];
    case 'failed':
      return [
        {
          status: 'warn',
          name,
          message: `red ${took}: ${end.reason}`,
          fix: 'make it green, or begin with a goal that does',
        },
      ];
    case 'not_started':
      return [
        {
          status: 'fail',
          name,
          message: `it could not be started: ${end.reason}`,
          fix: `correct guard.command`,
        },
      ];
    case 'interrupted':
      return [
        { status: 'warn', name, message: `stopped by ${end.signal}`, fix: 'runner doctor --run-guard' },
      ];
    case 'out_of_time':
      return [
        {
          status: 'fail',
          name,
          message: `still running after ${end.seconds} s (iteration_timeout_secs)`,
          fix: 'runner config set iteration_timeout_secs <n>',
        },
      ];
  }
}

async function checkMachine(machine: Machine): Promise<readonly Check[]> {
  const unwritable = await machine.listUnwritable();
  const writable: Check =
    unwritable.length === 0
      ? good('writable', 'the folders can be written to')
      : {
          status: 'fail',
          name: 'writable',
          message: `not writable: ${unwritable.join(', ')}`,
          fix: `ls -ld ${unwritable.join(' ')}`,
        };
  return [checkDisk(await machine.freeBytes(), 'project folder'), writable];
}

/** What a crash, a kill or another git can leave behind. */
async function checkLeft(ports: DoctorPorts): Promise<readonly Check[]> {
  const { machine } = ports;
  const lock = await machine.runnerLock();
  const isBusy = lock.kind === 'alive';
  const locks = await machine.listGitLocks();
  const checks: Check[] = [];
  if (lock.kind === 'free') checks.push(good('lock', 'no runner works here'));
  if (lock.kind === 'alive') checks.push(good('lock', `a runner works here: ${lock.owner}`));
  if (lock.kind === 'dead') {
    const message = `left by a runner that is gone: ${lock.owner}; the next command takes it over`;
    checks.push({ status: 'warn', name: 'lock', message, fix: 'runner step' });
  }
  if (lock.kind === 'foreign')
    checks.push({ status: 'warn', name: 'lock', message: lock.message, fix: `rm ${lock.file}` });

  checks.push(
    locks.length === 0 || isBusy
      ? good('git_locks', 'no lock file of git is in the way')
      : {
          status: 'fail',
          name: 'git_locks',
          message: `lock files of git: ${locks.join(', ')}`,
          fix: `if no git runs: rm ${locks.join(' ')}`,
        },
  );
  checks.push(...(await attempt('journal', () => checkJournal(ports.journal, isBusy))));
  const leftovers = isBusy ? [] : await machine.listLeftovers();
  checks.push(
    leftovers.length === 0
      ? good('processes', isBusy ? 'those of the session that runs' : 'no process of a session is left')
      : {
          status: 'warn',
          name: 'processes',
          message: `left by a session: ${leftovers.join(', ')}`,
          fix: `kill ${leftovers.map((line) => line.split(' ')[0]).join(' ')}`,
        },
  );
  return checks;
}

async function checkJournal(journal: Journal | null, isBusy: boolean): Promise<readonly Check[]> {
  const entry = (await journal?.load()) ?? null;
  if (entry === null) return [good('journal', 'no iteration is open')];
  const what =
    entry.kind === 'iteration'
      ? `iteration ${entry.iter} of run ${entry.run_id}`
      : `the ${entry.kind === 'finish' ? 'finish' : 'start'} of run ${entry.run_id}`;
  if (isBusy) return [good('journal', `${what} is being worked on`)];
  const begun = entry.kind === 'finish' ? `runner finish ${entry.run_id}` : 'runner start';
  const fix = entry.kind === 'iteration' ? 'runner step' : begun;
  return [
    {
      status: 'warn',
      name: 'journal',
      message: `${what} was interrupted; the next command finishes it`,
      fix,
    },
  ];
}

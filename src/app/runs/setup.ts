/**
 * Makes the work tree of a background run ready (§13.2): `[automation] setup`, before any agent and under the work tree's lock. Done once
 * for each work tree; a setup that fails, or that leaves files for git, ends the run.
 */
import { configInForce, outside } from '../../core/config/in-force.ts';
import { RunnerError } from '../../core/errors.ts';
import { baselineIter } from '../../core/iteration/baseline.ts';
import { dirtyPathsShownMax } from '../../core/limits.ts';
import type { Config, ResolvedDefaults, SignalName } from '../../core/types.ts';
import type { Ports } from '../../ports/ports.ts';
import { withLock } from '../with-lock.ts';

export interface Readiness {
  /** Contract: whether setup has passed in this work tree. */
  isReady(): Promise<boolean>;
  setReady(): Promise<void>;
  /** Contract: ends what an earlier process of the run left running in the work tree. */
  endLeftovers(): Promise<readonly string[]>;
}

export async function makeReady(ports: Ports, readiness: Readiness, runId: string): Promise<void> {
  if (await readiness.isReady()) return;
  await withLock(ports, 'runner run', async () => {
    for (const line of await readiness.endLeftovers())
      ports.reporter.report({ type: 'note', message: `ended a process that was left: ${line}` });
    const config = await loadConfig(ports, runId);
    if (config.automation.setup.length > 0) await runSetup(ports, runId, config);
    await readiness.setReady();
  });
}

/** Before `start` nothing is resolved yet: setup runs in what will be resolved. */
async function loadConfig(ports: Ports, runId: string): Promise<Config> {
  const written = await ports.configs.load();
  const state = await ports.runStates.load();
  const defaults: ResolvedDefaults = {
    ...outside,
    permissions: 'workspace',
    sandbox: await ports.sandbox.resolve(written),
  };
  const config = configInForce(written, (state.run_id === runId ? state.resolved : null) ?? defaults);
  await ports.sandbox.check(config);
  return config;
}

async function runSetup(ports: Ports, runId: string, config: Config): Promise<void> {
  const { top, prefix } = await ports.git.locate();
  // What setup changes of the settings of git is put back, as after a session (§14).
  await ports.git.remember();
  const { end } = await ports.setups.run({
    run_id: runId,
    iter: baselineIter,
    node_id: '',
    cookie: ports.hasher.cookie(),
    config,
    onActivity: ({ line }) => ports.reporter.report({ type: 'activity', source: 'guard', line }),
    clone: { folder: top, commit: '', top, projectDir: `${top}/${prefix}`.replace(/\/$/, ''), notes: [] },
  });
  if (end.kind === 'interrupted') throw interrupted(runId, end.signal);
  if (end.kind !== 'passed') throw failed(end.reason, lastLines('output' in end ? end.output : ''));
  const made = (await ports.git.snapshot()).dirty.filter(({ path }) => !path.startsWith(`${prefix}.runner/`));
  const shown = made.slice(0, dirtyPathsShownMax).map(({ code, path }) => `${code} ${JSON.stringify(path)}`);
  if (made.length > 0) throw failed('setup left files that git does not ignore', shown);
}

export function interrupted(runId: string, signal: SignalName): RunnerError {
  return new RunnerError({
    code: 'INTERRUPTED',
    message: `stopped by ${signal}`,
    hint: `runner run resume ${runId}`,
    signal,
  });
}

function failed(message: string, details: readonly string[]): RunnerError {
  return new RunnerError({ code: 'SETUP_FAILED', message, details, hint: 'runner explain SETUP_FAILED' });
}

const linesShownMax = 20;

function lastLines(output: string): readonly string[] {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  return lines.slice(-linesShownMax);
}

/**
 * Runs the guard again on every commit that passed, each in a fresh private clone (§15 `audit --rerun-guard`). Nothing in the work tree,
 * no branch and no commit is touched; what came out is a value.
 */
import { baselineIter } from '../../core/iteration/baseline.ts';
import { configInForce } from '../../core/config/in-force.ts';
import { RunnerError } from '../../core/errors.ts';
import { parseRunState } from '../../core/iteration/run-state-schema.ts';
import type { Pass, Proof } from '../../core/proof/replay.ts';
import type { Config } from '../../core/types.ts';
import type { Ports } from '../../ports/ports.ts';
import { checkInClone } from '../judge-clone.ts';
import { withLock } from '../with-lock.ts';
import type { EndingPorts } from './whole-run.ts';

export interface Rerun {
  readonly commit: string;
  readonly iter: number;
  readonly node_id: string;
  readonly verdict: 'pass' | 'fail';
  /** Of a fail. */
  readonly reason: string | null;
}

export interface RerunRequest {
  readonly run_id: string;
  readonly passes: Proof['passes'];
}

export async function rerunGuard(ports: EndingPorts, request: RerunRequest): Promise<readonly Rerun[]> {
  return ports.inPlace(null, ({ ports: here }) =>
    withLock(here, 'runner audit', async () => {
      const reruns: Rerun[] = [];
      const cookie = here.hasher.cookie();
      await here.git.remember();
      await here.journal.save({ version: 1, kind: 'finish', run_id: request.run_id, cookie });
      try {
        for (const pass of request.passes) reruns.push(await rerun(here, { ...request, pass, cookie }));
      } finally {
        await here.git.releaseWork(request.run_id);
        await here.journal.close();
        for (const message of await here.git.forget()) here.reporter.report({ type: 'note', message });
      }
      return reruns;
    }),
  );
}

async function rerun(
  ports: Ports,
  work: {
    readonly run_id: string;
    readonly pass: Pass;
    readonly cookie: string;
  },
): Promise<Rerun> {
  const { run_id, pass, cookie } = work;
  const { commit, iter, node_id } = pass;
  const config = await configOf(ports, pass);
  // Without it nobody knows what the guard ran in: outside a sandbox is no way out.
  if (config === null)
    return { commit, iter, node_id, verdict: 'fail', reason: 'run_state.json cannot be read' };
  await ports.sandbox.check(config);
  const work_tree = await ports.git.baselineTreeId({ commit, is_index_plain: false });
  ports.reporter.report({ type: 'note', message: `iteration ${iter}: the guard on ${commit.slice(0, 12)}` });
  const { end, tree } = await checkInClone(ports, {
    run_id,
    iter: baselineIter,
    node_id,
    cookie,
    config,
    branch: `runner/${run_id}`,
    baseline: commit,
    work_tree,
    log: 'guard.audit.log',
  });
  if (end.kind === 'interrupted') {
    throw new RunnerError({
      code: 'INTERRUPTED',
      message: `stopped by ${end.signal}`,
      hint: `runner audit ${run_id} --rerun-guard`,
      signal: end.signal,
    });
  }
  const changed = end.kind === 'passed' && tree !== work_tree ? 'the guard changes files' : null;
  const reason = end.kind === 'passed' ? changed : end.reason;
  return { commit, iter, node_id, verdict: reason === null ? 'pass' : 'fail', reason };
}

/** As they were in force when the commit was made: config.toml, what the commit says was set otherwise, and what `start` resolved. */
async function configOf(ports: Ports, { commit, settings }: Pass): Promise<Config | null> {
  const load = async (name: string): Promise<string> => {
    const source = await ports.git.loadText({ commit, path: `.runner/state/${name}` });
    return source.kind === 'text' ? source.text : '';
  };
  const state = parseRunState(await load('run_state.json'));
  const written = await ports.configs.parse(await load('config.toml'), settings);
  return state.ok ? configInForce(written, state.state.resolved) : null;
}

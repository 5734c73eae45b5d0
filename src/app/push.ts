/**
 * The run branch goes to a remote after each iteration (§13): where `git.push` says so. Of two workers on one run the slower is rejected
 * and stops. A remote that cannot be reached never stops a run; the next push carries everything.
 */
import { fencedStop, shownAddress, unpushedStop } from '../core/runs/push.ts';
import type { PushPlace } from '../core/runs/push.ts';
import type { Stop } from '../core/iteration/outcome-row.ts';
import type { PushRequest } from '../ports/git.ts';
import type { Ports } from '../ports/ports.ts';

/** Before a further try of a push. */
const pausesMs = [1000, 3000];

export interface RunPush {
  /** Contract: pushes what is on the run branch; a Stop when another worker has pushed. */
  push(): Promise<Stop | null>;
  /** Contract: a Stop when the last push did not arrive. */
  unpushed(): Stop | null;
}

const nowhere: RunPush = { push: () => Promise.resolve(null), unpushed: () => null };

/**
 * Address and setting count as they are now, before any session. Throws CONFIG_INVALID for a remote that is not there. Nothing is pushed
 * off the run's branch: the checks of an iteration report that.
 */
export async function openPush(ports: Ports): Promise<RunPush> {
  const config = await ports.configs.load().catch(() => null);
  const remote = config?.git.push ?? null;
  if (config === null || remote === null) return nowhere;
  const state = await ports.runStates.load().catch(() => null);
  const branch = `runner/${state?.run_id}`;
  if ((await ports.git.headBranch()) !== branch) return nowhere;

  const address = await ports.git.pushAddress(remote);
  ports.reporter.report({
    type: 'note',
    message: `${branch} is pushed to ${remote} (${shownAddress(address)}) after each iteration`,
  });
  return pushTo(ports, { remote, branch }, { address, branch, run_hooks: config.git.run_hooks });
}

function pushTo(ports: Ports, place: PushPlace, request: PushRequest): RunPush {
  let reason: string | null = null;
  return {
    unpushed: () => (reason === null ? null : unpushedStop(place, reason)),
    push: async () => {
      // Once it is known to be unreachable, nobody waits for it: every iteration tries again anyway.
      for (let tries = reason === null ? 0 : pausesMs.length; ; tries += 1) {
        const answer = await ports.git.push(request);
        reason = answer.kind === 'failed' ? answer.reason : null;
        if (answer.kind === 'rejected') return fencedStop(place);
        if (answer.kind === 'pushed') return null;

        const ms = pausesMs[tries];
        if (ms === undefined || (await ports.waiter.wait({ ms, onTick: () => {} })) !== null) break;
      }
      ports.reporter.report({
        type: 'note',
        message: `could not push to ${place.remote}: ${reason}; the run goes on, and the next push carries everything`,
      });
      return null;
    },
  };
}

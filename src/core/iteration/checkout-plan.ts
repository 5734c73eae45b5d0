/**
 * Whether a green guard must also be green in a fresh clone (§14), and what `guard.checkout = "auto"` resolves to. It runs nothing and
 * never withholds a pass by itself.
 */
import { applyPass } from './state-updater.ts';
import { renderFailure } from '../guard/clone-verdict.ts';
import type { CloneEnd } from '../guard/clone-verdict.ts';
import type { Config, GuardCheckout, RunState, TreeNode } from '../types.ts';

interface Settings {
  readonly config: Config;
  readonly runState: Pick<RunState, 'guard_checkout'>;
  readonly sha256: (text: string) => string;
}

/** `check`: the clone decides, too. `probe`: `auto` finds out whether the guard works there; the pass does not depend on it. */
export type CheckoutPlan = 'skip' | 'check' | 'probe';

/** What decides whether a guard works in a fresh clone: another command or setup is decided anew. */
export function checkoutHash({ config, sha256 }: Pick<Settings, 'config' | 'sha256'>): string {
  return sha256(JSON.stringify([config.guard.command, config.automation.setup]));
}

/** Null: not `auto`, or not decided for these settings. */
function decidedOf({ config, runState, sha256 }: Settings): GuardCheckout | null {
  const known = runState.guard_checkout;
  const isValid = config.guard.checkout === 'auto' && known?.sha256 === checkoutHash({ config, sha256 });
  return isValid ? known : null;
}

/** Null: `auto`, and not decided yet. */
export function checkoutInForce(settings: Settings): CheckoutState['mode'] {
  const { checkout } = settings.config.guard;
  return checkout === 'auto' ? (decidedOf(settings)?.mode ?? null) : checkout;
}

/** `tree`: the accepted one, in which the leaf `nodeId` would pass. */
export function planCheckout(
  input: Settings & { readonly tree: TreeNode; readonly nodeId: string },
): CheckoutPlan {
  switch (checkoutInForce(input)) {
    case null:
      return 'probe';
    case 'every':
      return 'check';
    case 'final':
      return applyPass(input.tree, input.nodeId).passes ? 'check' : 'skip';
    case 'off':
      return 'skip';
  }
}

/** Decides by the end of a probe; after one that was interrupted the next green guard decides. */
export function decideCheckout(
  end: Exclude<CloneEnd, { kind: 'interrupted' }>,
  settings: Omit<Settings, 'runState'>,
): GuardCheckout {
  const sha256 = checkoutHash(settings);
  switch (end.kind) {
    case 'passed':
      return { mode: 'final', reason: 'the guard is green in a fresh clone, too', sha256 };
    case 'failed':
      return { mode: 'off', reason: `red in a fresh clone: ${renderFailure(end)}`, sha256 };
    case 'not_made':
      return { mode: 'off', reason: `no clone could be made: ${end.reason}`, sha256 };
  }
}

export function renderDecision({ mode, reason }: GuardCheckout): string {
  return `guard.checkout = "auto" is "${mode}" from now on: ${reason}`;
}

/** For people and scripts: what is set, what it means now, and why. */
export interface CheckoutState {
  readonly setting: Config['guard']['checkout'];
  /** Null: `auto`, and not decided yet. */
  readonly mode: 'off' | 'final' | 'every' | null;
  readonly reason: string | null;
}

export function describeCheckout(settings: Settings): CheckoutState {
  return {
    setting: settings.config.guard.checkout,
    mode: checkoutInForce(settings),
    reason: decidedOf(settings)?.reason ?? null,
  };
}

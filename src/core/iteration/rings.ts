/** Which rings around the judge are on (§14), for the header of a run, meta.json and the commit. Decides nothing else. */
import type { SandboxKind } from '../agents/sandbox.ts';
import { checkoutInForce } from './checkout-plan.ts';

export interface Rings {
  /** What agent, reviewer, setup and guard run in. */
  readonly sandbox: SandboxKind;
  /** Git's settings and refs are put back after every session. */
  readonly settings: boolean;
  readonly checkout: 'off' | 'final' | 'every';
}

/** `auto` that is not decided yet holds nothing back, so it counts as off. */
export function ringsOf(input: Parameters<typeof checkoutInForce>[0]): Rings {
  return { sandbox: input.config.sandbox.kind, settings: true, checkout: checkoutInForce(input) ?? 'off' };
}

/** One line, the same in the header and in the trailer `Runner-Rings`. */
export function renderRings({ sandbox, settings, checkout }: Rings): string {
  return `sandbox=${sandbox} settings=${settings ? 'on' : 'off'} checkout=${checkout}`;
}

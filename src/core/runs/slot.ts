/** What a slot gives to setup, agent and guard (§13.3): ports, names and a folder that no other run of the user has. */
import type { slotVariables } from '../agents/environment-rules.ts';

const firstPort = 20_000;
const portsEach = 20;
/** Compose takes lower-case letters, digits, `-` and `_`. */
const composeNameMax = 60;

/** The lowest number that is free. */
export function freeSlot(taken: ReadonlySet<number>): number {
  let slot = 0;
  while (taken.has(slot)) slot += 1;
  return slot;
}

export function slotEnvironment(place: {
  readonly slot: number;
  readonly run_id: string;
  readonly tmp_dir: string;
}): Readonly<Record<keyof typeof slotVariables | 'COMPOSE_PROJECT_NAME' | 'TMPDIR', string>> {
  const name = place.run_id.toLowerCase().replaceAll(/[^a-z0-9_-]/g, '-');
  return {
    RUNNER_SLOT: String(place.slot),
    RUNNER_PORT_BASE: String(firstPort + portsEach * place.slot),
    COMPOSE_PROJECT_NAME: `runner-${place.slot}-${name}`.slice(0, composeNameMax),
    TMPDIR: place.tmp_dir,
  };
}

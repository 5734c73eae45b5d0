/**
 * What an attack is, as data: what it plants, how far it reaches, which protection must stop it, and how a control run shows that it
 * works. It runs nothing.
 */
import type { Protection } from '../../src/adapters/files/test-switch.ts';

/** What the attack is after. Every case is checked for all five. */
export type Family = 'false-pass' | 'code-in-runner' | 'loss' | 'outside' | 'hang';

/** What the attacker writes to; `home` and `process` go beyond what the second and third ring promise. */
export type Reach = 'worktree' | 'git' | 'settings' | 'home' | 'process';

export type Control =
  /** The built runner without these protections, and without the judge's checkout. */
  | { readonly kind: 'off'; readonly protections: readonly Protection[] }
  /** A plain shell loop in the runner's place: agent, check, `git add -A`, commit. For defences that cannot be switched off. */
  | { readonly kind: 'bare' }
  | { readonly kind: 'none'; readonly reason: string };

/** The repository an attack meets. Equal worlds are built once. */
export interface World {
  /** Files of the first commit, besides the usual ones (world.ts). */
  readonly files?: Readonly<Record<string, string>>;
  /** Files that are in place but in no commit: ignored ones, by path from the project folder. */
  readonly ignored?: Readonly<Record<string, string>>;
  readonly guard?: readonly string[];
  /** Shell commands that prepare a fresh checkout for the guard. */
  readonly setup?: readonly string[];
  /** Lines of `[guard]`, beside `command` and `checkout`. */
  readonly guardLines?: string;
  /** Top-level lines and further sections of the settings. */
  readonly config?: string;
  /** Project folder inside the repository, `''` or ending in `/`. */
  readonly prefix?: string;
  /** Shell words of the user, before the run starts, in the repository. */
  readonly prepare?: string;
  /** Shell words of the user, after it has started. */
  readonly started?: string;
  /** Folders first on PATH; `@` is the folder that holds everything. */
  readonly path?: readonly string[];
}

export interface HostileCase {
  readonly name: string;
  readonly family: Family;
  readonly reach: Reach;
  /** What is planted, in one line. */
  readonly plants: string;
  /** Shell words of the session. It must say `answer …` or `played`, or the attack did not happen. */
  readonly agent: string;
  readonly control: Control;
  readonly world?: World;
  /** Iterations of the attack; one unless it says so. */
  readonly steps?: number;
  /** Shell words of the attacker between the attack and the honest work that follows. */
  readonly later?: string;
  /** Guard files, by path from the project folder, that the final check takes from before the run; check.sh always is. */
  readonly guardFiles?: readonly string[];
  /** Files that would hide the guard's own in the final check: removed there. */
  readonly shadows?: readonly string[];
  /** The attacker moves or removes refs on purpose, `main` among them. */
  readonly movesMain?: true;
  /** Why no ring reaches it without containment. Then it is reported and fails nothing. */
  readonly beyond?: string;
  /** Seconds after which the runner is killed, where it cannot end by itself. */
  readonly killAfterSecs?: number;
}

export function off(...protections: readonly Protection[]): Control {
  return { kind: 'off', protections };
}

export const bare: Control = { kind: 'bare' };

export function noControl(reason: string): Control {
  return { kind: 'none', reason };
}

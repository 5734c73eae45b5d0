/** The ways out of a sandbox that `runner doctor --sandbox` tries (§13.8), as data, and what a try means. It tries nothing itself. */

export const escapes = {
  write_outside: 'write to a folder outside the work tree, to /, /etc and /usr',
  remount: 'mount / writable again',
  user_namespace: 'make a user namespace, in which it would be root',
  capabilities: 'use a capability',
  signals: 'signal a process outside',
  ptrace: 'read a process outside: its environment and memory',
  processes: 'see processes outside in /proc',
  kernel: 'change a setting of the kernel in /proc/sys',
  git_folder: 'change, rename or plant files in .git',
  home: 'read and write the home folder',
  network: 'reach a server on this machine while the network is off',
  sockets: 'talk to a program outside through its socket',
  devices: 'open a device of the machine',
  descriptors: 'use a file that the runner has open',
  caches: 'put a file into the caches of the check',
  keyrings: "use the kernel's key rings",
  left_behind: 'leave a process behind that shed its environment',
} as const;

export type EscapeName = keyof typeof escapes;

export const escapeNames = Object.keys(escapes) as readonly EscapeName[];

export interface EscapeResult {
  readonly name: EscapeName;
  readonly outcome: 'held' | 'escaped' | 'not_tried';
  /** How it got out, or why it was not tried; what stopped it otherwise. */
  readonly detail: string;
}

/** `said`: what the program inside printed; null: it did not finish. `seen`: what was found outside; null: nothing. */
export function judgeEscape(
  name: EscapeName,
  { said, seen }: { readonly said: string | null; readonly seen: string | null },
): EscapeResult {
  if (seen !== null) return { name, outcome: 'escaped', detail: seen };
  const [, verdict, detail = ''] = /^(escaped|held): (.*)$/m.exec(said ?? '') ?? [];
  if (verdict === 'escaped' || verdict === 'held') return { name, outcome: verdict, detail };
  return { name, outcome: 'not_tried', detail: 'the program inside did not finish' };
}

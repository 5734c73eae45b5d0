/**
 * The attacks once more in bubblewrap (`npm run test:hostile -- --sandbox`): what the session needs is let in, and afterwards nothing of it
 * may be found outside: no process, and no word of a canary in HOME.
 */
import { readFileSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles } from './world.ts';
import type { Place } from './world.ts';

const canary = 'the-word-in-the-home-folder';

/** An attack goes on after what the sandbox refuses, and prints whatever it finds of the canary. */
export const spyWords = `set +e
cat "$HOME/canary" "$HOME/.ssh/id_canary" /proc/[0-9]*/root"$HOME/canary" 2> /dev/null
`;

/** Root in a box cannot remove what nobody may read, as root outside can. */
export const openWords = `cd "$PROJECT_TOP"
find . -mindepth 1 -maxdepth 1 ! -name .git ! -name .runner -exec chmod -R u+rwX {} + 2> /dev/null || :
`;

export function openSandbox(place: Place): void {
  for (const name of ['home/canary', 'home/.ssh/id_canary']) place.put(name, `${canary}\n`);
  // The one file of ours that the session may write: it says that it came to its end.
  writeFileSync(join(place.base, 'played'), '');
}

/** `bash`, because other shells end when a redirection is refused. */
export function sandboxSettings({ base, home }: Place): Readonly<Record<string, string>> {
  const at = (...names: readonly string[]): string => JSON.stringify(names.map((name) => join(base, name)));
  return {
    RUNNER_SANDBOX_KIND: 'bwrap',
    RUNNER_SANDBOX_GUARD_NETWORK: 'false',
    RUNNER_SANDBOX_READ: at('home/agent.sh', 'tools', 'first'),
    RUNNER_SANDBOX_WRITE: at('played'),
    RUNNER_AGENT_COMMAND: JSON.stringify(['bash', join(home, 'agent.sh')]),
  };
}

/** Processes of the session that live on, and the canary anywhere but in HOME. */
export function findEscaped({ base, top }: Place): readonly string[] {
  const isOurs = (pid: string): boolean => {
    try {
      const where = `${readlinkSync(`/proc/${pid}/cwd`)}/`;
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return pid !== String(process.pid) && (where.startsWith(`${base}/`) || line.includes(`${base}/`));
    } catch {
      return false;
    }
  };
  const left = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isOurs(pid));
  const read = listFiles(top, ['objects']).some((file) => hasCanary(file));
  return [
    ...(left.length === 0 ? [] : [`${left.length} processes left`]),
    ...(read ? ['a canary was read'] : []),
  ];
}

function hasCanary(file: string): boolean {
  try {
    const text = readFileSync(file, 'utf8');
    return text.length < 1_000_000 && text.includes(canary);
  } catch {
    return false;
  }
}

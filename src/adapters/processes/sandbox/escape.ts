/**
 * Tries to get out of the sandbox it runs in, one way at a time, for `runner doctor --sandbox`. What it does if it succeeds is harmless:
 * it writes into folders made for it and sets settings to what they are.
 */
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { EscapeName } from '../../../core/sandbox/sandbox-battery.ts';
import { errorCode, errorText } from '../../files/disk-error.ts';

/** Made by the battery outside. */
export interface EscapeTarget {
  /** A folder that its user may write outside. */
  readonly outside: string;
  readonly work: string;
  readonly home: string;
  /** What it reads; its name is gone. */
  readonly input: string;
  /** A process outside, and a word in its environment and on its command line. */
  readonly pid: number;
  readonly word: string;
  readonly port: number;
  readonly socket: string;
}

/** Below the home folder, among toolchains that are shown. */
export const tokenFolder = '.nvm/versions/node/v0/etc';

/** What it got done; null: nothing. Throws what stopped it. */
type Attempt = (target: EscapeTarget) => Promise<string | null>;

/** One line: `escaped: …` or `held: …`. */
export async function tryEscape(name: EscapeName, target: EscapeTarget): Promise<string> {
  const done: string[] = [];
  const stopped: string[] = [];
  for (const attempt of attempts[name]) {
    try {
      const what = await attempt(target);
      if (what !== null) done.push(what);
    } catch (error) {
      stopped.push(errorCode(error) || errorText(error));
    }
  }
  return done.length > 0 ? `escaped: ${done.join(', ')}` : `held: ${[...new Set(stopped)].join(', ')}`;
}

function writes(path: string): string {
  writeFileSync(path, 'planted\n');
  return `wrote ${path}`;
}

const runMs = 5000;

/** Throws unless the program ends with 0. */
async function run(program: string, ...args: readonly string[]): Promise<void> {
  const { execa } = await import('execa');
  const result = await execa(program, args, { reject: false, stdin: 'ignore', timeout: runMs });
  if (result.exitCode !== 0) throw new Error(`${program} refused`);
}

async function reaches(
  place: { readonly path: string } | { readonly port: number; readonly host: string },
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    const socket = connect(place, () => {
      socket.end();
      resolve();
    });
    socket.setTimeout(runMs, () => socket.destroy(new Error('no answer')));
    socket.on('error', reject);
  });
  return 'path' in place ? 'a socket answered' : 'a server answered';
}

/** Those that every sandbox has. */
const harmless =
  /^(?:null|zero|full|random|urandom|tty|ptmx|console|pts\/.*|fd|stdin|stdout|stderr|core|shm)$/;

function openDevice(name: string): string | null {
  const path = join('/dev', name);
  const found = statSync(path);
  if (!found.isBlockDevice() && !found.isCharacterDevice()) return null;
  closeSync(openSync(path, 'r'));
  return `opened ${path}`;
}

const attempts: Readonly<Record<EscapeName, readonly Attempt[]>> = {
  write_outside: ['', '/', '/etc', '/usr'].map(
    (folder) =>
      async ({ outside, word }) =>
        writes(join(folder === '' ? outside : folder, word)),
  ),
  remount: [
    async ({ outside }) => {
      for (const place of [outside, '/'])
        await run('mount', '-o', 'remount,rw,bind', place).catch(() => undefined);
      return writes(join(outside, 'remounted'));
    },
    async ({ outside }) => {
      await run('umount', '-l', outside);
      return 'unmounted a folder';
    },
  ],
  user_namespace: [
    async () => {
      await run('unshare', '--user', 'true');
      return 'made a user namespace';
    },
  ],
  capabilities: [
    async () => {
      const held = /^Cap(?:Prm|Eff|Bnd|Amb):\s*(?!0+$)(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'));
      return held === null ? null : `holds capabilities ${held[1] ?? ''}`;
    },
  ],
  signals: [
    async ({ pid, word }) => {
      process.kill(pid, 0);
      // Inside, the number may be that of a process of its own.
      if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word)) return null;
      process.kill(pid, 'SIGTERM');
      return 'signalled a process outside';
    },
  ],
  ptrace: ['environ', 'maps'].map((file) => async ({ pid, word }) => {
    const text = readFileSync(`/proc/${pid}/${file}`, 'utf8');
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word) && text !== ''
      ? `read /proc/${pid}/${file}`
      : null;
  }),
  processes: [
    async ({ word }) => {
      const own = String(process.pid);
      const seen = readdirSync('/proc').filter(
        (name) => /^\d+$/.test(name) && name !== own && hasWord(name, word),
      );
      return seen.length === 0 ? null : `saw process ${seen[0] ?? ''}`;
    },
  ],
  kernel: ['kernel/core_pattern', 'vm/drop_caches'].map((name) => async () => {
    const path = `/proc/sys/${name}`;
    const fd = openSync(path, 'r+');
    try {
      // What it holds already; any write to drop_caches would have an effect.
      if (name !== 'vm/drop_caches') writeSync(fd, readFileSync(path));
    } finally {
      closeSync(fd);
    }
    return `can write ${path}`;
  }),
  git_folder: [
    async ({ work }) => writes(join(work, '.git', 'config')),
    async ({ work }) => writes(join(work, '.git', 'hooks', 'post-commit')),
    async ({ work }) => {
      renameSync(join(work, '.git'), join(work, '.git-moved'));
      return 'renamed .git';
    },
  ],
  home: [
    async ({ home, word }) =>
      readFileSync(join(home, 'canary'), 'utf8').includes(word) ? 'read a file in the home folder' : null,
    async ({ home, word }) =>
      readFileSync(join(home, '.ssh', 'id_canary'), 'utf8').includes(word) ? 'read a key' : null,
    async ({ home, word }) =>
      readFileSync(join(home, tokenFolder, 'npmrc'), 'utf8').includes(word) ? 'read a token' : null,
    // It may write there: nothing of it arrives outside, which the battery looks at.
    async ({ home }) => {
      writeFileSync(join(home, 'planted'), '');
      return null;
    },
  ],
  network: [({ port }) => reaches({ port, host: '127.0.0.1' })],
  sockets: [({ socket }) => reaches({ path: socket }), ({ word }) => reaches({ path: `\0${word}` })],
  devices: [
    async () => {
      for (const name of readdirSync('/dev').filter((one) => !harmless.test(one))) {
        try {
          const opened = openDevice(name);
          if (opened !== null) return opened;
        } catch {
          // The next one.
        }
      }
      return null;
    },
    async ({ work }) => {
      await run('mknod', join(work, 'device'), 'c', '1', '11');
      closeSync(openSync(join(work, 'device'), 'r'));
      return 'made a device and opened it';
    },
  ],
  descriptors: [
    async ({ word }) => {
      const held = readdirSync('/proc/self/fd').find((fd) => hasCanary(`/proc/self/fd/${fd}/canary`, word));
      return held === undefined ? null : `read a folder through descriptor ${held}`;
    },
    // The battery looks outside whether it got there.
    async () => {
      writeFileSync('/proc/self/fd/0', 'planted\n');
      return null;
    },
  ],
  // The battery looks outside whether one of them got there.
  caches: ['.', '../../check'].map((place) => async ({ word }) => {
    const folder = join(process.env['CARGO_HOME'] ?? '', place);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, word), '');
    return null;
  }),
  keyrings: [
    async () => {
      const filter = /^Seccomp:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
      return filter === '2' ? null : 'no system call is refused';
    },
    async () => {
      // Asks for the session's ring; Node has no way to.
      const number = process.arch === 'x64' ? 250 : 219;
      await run('perl', '-e', `exit(syscall(${number}, 0, -3, 1) == -1 ? 1 : 0)`);
      return 'reached the key ring of the session';
    },
  ],
  left_behind: [
    async ({ word }) => {
      // The battery looks for it outside.
      await run('sh', '-c', `env -i setsid sh -c 'sleep 60; : ${word}' </dev/null >/dev/null 2>&1 &`);
      return null;
    },
  ],
};

function hasCanary(path: string, word: string): boolean {
  try {
    return readFileSync(path, 'utf8').includes(word);
  } catch {
    return false;
  }
}

function hasWord(pid: string, word: string): boolean {
  try {
    const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    // Our own arguments hold it, too.
    return line.includes(word) && !line.includes('try-escape');
  } catch {
    return false;
  }
}

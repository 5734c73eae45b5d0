/**
 * A place without a network: a namespace of its own in which only 127.0.0.1 exists, and a name server that knows nothing and
 * notes every name it is asked for. A CLI that looks up any outside host is seen, and reaches none.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Names the file of looked-up names to whatever runs inside. */
export const lookupsVariable = 'RUNNER_AGENTS_LOOKUPS';

/** The words before a command that give it a namespace of its own; root inside it, as the set-up needs. */
export function namespaceWords(): readonly string[] {
  return ['unshare', ...(process.getuid?.() === 0 ? [] : ['-r']), '--net', '--mount'];
}

/** Names looked up so far, each once, in order of first appearance. Only inside `runOffline`. */
export function loadLookups(file = process.env[lookupsVariable]): readonly string[] {
  if (file === undefined) throw new Error(`not in a watched namespace: ${lookupsVariable} is not set`);
  return [...new Set(readFileSync(file, 'utf8').split('\n'))].filter((name) => name !== '');
}

/** Runs a command in the namespace this process is in, which must be fresh; its exit code. */
export async function runOffline(argv: readonly [string, ...string[]], lookupsFile: string): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'runner-offline-'));
  try {
    run('ip', ['link', 'set', 'lo', 'up']);
    const resolver = path.join(folder, 'resolv.conf');
    writeFileSync(resolver, 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n');
    run('mount', ['--make-rprivate', '/']);
    run('mount', ['--bind', resolver, realpathSync('/etc/resolv.conf')]);
    writeFileSync(lookupsFile, '');
    const watcher = await startNameServer((name) => {
      appendFileSync(lookupsFile, `${name}\n`);
    });
    const [program, ...args] = argv;
    const child = spawn(program, args, {
      stdio: 'inherit',
      env: { ...process.env, [lookupsVariable]: lookupsFile },
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    watcher.close();
    return code ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(program: string, args: readonly string[]): void {
  const result = spawnSync(program, args, { encoding: 'utf8' });
  if (result.status !== 0)
    throw new Error(`${program} ${args.join(' ')}: ${result.error?.message ?? result.stderr}`);
}

/** Answers every question with "no such name". */
async function startNameServer(onName: (name: string) => void): Promise<{ close: () => void }> {
  const socket = createSocket('udp4');
  socket.on('message', (question, from) => {
    const { name, end } = parseQuestion(question);
    onName(name);
    const header = Buffer.from(question.subarray(0, 12));
    header.writeUInt16BE(0x81_83, 2);
    header.writeUInt16BE(1, 4);
    header.fill(0, 6);
    socket.send(Buffer.concat([header, question.subarray(12, end)]), from.port, from.address);
  });
  socket.bind(53, '127.0.0.1');
  await once(socket, 'listening');
  return {
    close: () => {
      socket.close();
    },
  };
}

function parseQuestion(question: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = question[at] ?? 0; length !== 0; length = question[at] ?? 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 5 };
}

/**
 * `npm run test:docker`: the tests of docker mode against a real engine. Where none answers, Debian's own is installed and started on a
 * private socket and data folder, in a network namespace of its own and without firewall rules, and ended afterwards. The image needs no registry. Where no
 * engine can be had it says so and exits with 0.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const cache = path.join(root, '.cache', 'docker');
const image = 'runner-test:base';
const startMsMax = 60_000;

class NoEngine extends Error {}

function run(program, args, options = {}) {
  return spawnSync(program, args, { encoding: 'utf8', ...options });
}

function has(program) {
  return run('sh', ['-c', `command -v ${program}`]).status === 0;
}

/** By name, from the distribution's own archive. */
function install(program, name) {
  if (has(program)) return;
  if (process.getuid?.() !== 0 || !has('apt-get'))
    throw new NoEngine(`${program} is missing, and cannot be installed`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const made = run('apt-get', ['install', '-y', '--no-install-recommends', name], { env });
  if (made.status !== 0)
    throw new NoEngine(`apt-get install ${name}: ${made.stderr.trim().split('\n').at(-1)}`);
}

function answers(env) {
  return has('docker') && run('docker', ['info'], { env, timeout: 10_000 }).status === 0;
}

/** An engine that runs already, or one of our own; `end` ends only what was started here. */
async function openEngine() {
  if (answers(process.env)) return { env: {}, end: async () => undefined };
  install('dockerd', 'docker.io');
  install('docker', 'docker.io');
  let why = '';
  for (const driver of ['overlay2', 'vfs']) {
    const engine = await startEngine(driver);
    if (typeof engine !== 'string') return engine;
    why = engine;
  }
  throw new NoEngine(why);
}

async function startEngine(driver) {
  // A socket has a short path.
  const folder = mkdtempSync(path.join(tmpdir(), 'runner-dockerd-'));
  // Members of the group docker may call it, as one test does.
  chmodSync(folder, 0o711);
  const log = path.join(folder, 'log');
  const host = `unix://${folder}/d.sock`;
  const output = openSync(log, 'a');
  const flags = [
    ...['--iptables=false', '--ip6tables=false', '--host', host, '--storage-driver', driver],
    ...['--data-root', path.join(cache, `data-${driver}`), '--exec-root', path.join(folder, 'exec')],
    ...['--pidfile', path.join(folder, 'pid')],
  ];
  // Its bridge is in a network of its own, so nothing of the machine's is changed.
  const engine = spawn('unshare', ['--net', 'dockerd', ...flags], {
    stdio: ['ignore', output, output],
    detached: true,
  });
  const ended = new Promise((resolve) => {
    engine.once('exit', resolve);
    engine.once('error', resolve);
  });
  const end = async () => {
    engine.kill('SIGTERM');
    await ended;
    // It leaves the name of its network namespace mounted.
    for (const line of readFileSync('/proc/mounts', 'utf8').split('\n')) {
      const place = line.split(' ')[1] ?? '';
      if (place.startsWith(`${folder}/`)) run('umount', [place]);
    }
    rmSync(folder, { recursive: true, force: true });
  };
  const env = { DOCKER_HOST: host };
  for (const stop = Date.now() + startMsMax; Date.now() < stop && engine.exitCode === null; await sleep(200))
    if (answers({ ...process.env, ...env })) return { env, end };

  const said = readFileSync(log, 'utf8').trim().split('\n').at(-1);
  await end();
  return `dockerd --storage-driver ${driver} does not start: ${said}`;
}

/** A minimal Debian with git, made once. */
function makeImage(env) {
  if (run('docker', ['image', 'inspect', image], { env }).status === 0) return;
  const file = path.join(cache, 'base.tar');
  if (!existsSync(file)) {
    install('mmdebstrap', 'mmdebstrap');
    console.log('docker: making the image with mmdebstrap');
    const args = ['--variant=minbase', '--include=git,ca-certificates', 'bookworm', `${file}.part.tar`];
    const made = run('mmdebstrap', args);
    if (made.status !== 0) throw new NoEngine(`mmdebstrap: ${made.stderr.trim().split('\n').at(-1)}`);
    renameSync(`${file}.part.tar`, file);
  }
  const imported = run('docker', ['import', file, image], { env });
  if (imported.status !== 0) throw new NoEngine(`docker import: ${imported.stderr.trim()}`);
}

async function main() {
  mkdirSync(cache, { recursive: true });
  let engine;
  try {
    engine = await openEngine();
  } catch (error) {
    if (!(error instanceof NoEngine)) throw error;
    console.log(`docker: no engine can be had here, nothing was tested (${error.message})`);
    return 0;
  }
  try {
    const env = { ...process.env, ...engine.env, RUNNER_TEST_DOCKER: image };
    makeImage(env);
    const args = ['vitest', 'run', 'test/docker', ...process.argv.slice(2)];
    return run('npx', args, { env, cwd: root, stdio: 'inherit' }).status ?? 1;
  } finally {
    await engine.end();
  }
}

process.exitCode = await main();

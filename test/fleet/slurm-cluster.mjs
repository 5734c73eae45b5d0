// A Slurm of one machine with everything of its own in one folder: munged, slurmctld and slurmd as children of this process, on
// free ports, ended by their ids. Needs root and the packages slurm-wlm and munge.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomBytes } from 'node:crypto';

const programs = ['munged', 'slurmctld', 'slurmd', 'sbatch', 'scontrol', 'sinfo'];

/** Why no cluster can be started here; null: it can. */
export function whyNot() {
  if (process.platform !== 'linux') return 'Slurm runs on Linux only';
  if (process.getuid?.() !== 0) return 'slurmd needs root';
  const missing = programs.filter((name) => spawnSync('which', [name]).status !== 0);
  return missing.length === 0
    ? null
    : `${missing.join(', ')} not found: apt-get install --no-install-recommends slurm-wlm munge`;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Until `look` gives something; throws after the time. */
export async function waitFor(what, look, seconds = 180) {
  for (const untilMs = Date.now() + seconds * 1000; ;) {
    const found = look();
    if (found !== null && found !== undefined && found !== false) return found;
    if (Date.now() > untilMs) throw new Error(`no ${what} after ${seconds} s`);
    await sleep(200);
  }
}

function renderConf({ folder, node, ports }) {
  const at = (name) => path.join(folder, name);
  return `ClusterName=runner
SlurmctldHost=${node}(127.0.0.1)
SlurmctldPort=${ports[0]}
SlurmdPort=${ports[1]}
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
# A task that is queued again starts when its old credential is gone.
AuthInfo=socket=${at('munge.socket')},cred_expire=5
StateSaveLocation=${at('state')}
SlurmdSpoolDir=${at('spool')}
SlurmctldPidFile=${at('slurmctld.pid')}
SlurmdPidFile=${at('slurmd.pid')}
SlurmctldLogFile=${at('slurmctld.log')}
SlurmdLogFile=${at('slurmd.log')}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=5
NodeName=${node} NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=60 State=UP
`;
}

/** `env`: for the commands of Slurm and its jobs. */
export async function startCluster(folder, env) {
  const children = [];
  const begin = (program, ...args) => {
    const child = spawn(program, args, { env, stdio: 'ignore' });
    child.on('error', () => {});
    children.push(child);
    return child;
  };
  for (const name of ['state', 'spool']) mkdirSync(path.join(folder, name), { recursive: true });
  const conf = path.join(folder, 'slurm.conf');
  const node = hostname().split('.')[0];
  writeFileSync(conf, renderConf({ folder, node, ports: [await freePort(), await freePort()] }));
  const key = path.join(folder, 'munge.key');
  writeFileSync(key, randomBytes(128), { mode: 0o600 });
  chmodSync(folder, 0o755);
  const call = (program, ...args) => {
    const ran = spawnSync(program, args, { env: { ...env, SLURM_CONF: conf }, encoding: 'utf8' });
    return { code: ran.status, out: ran.stdout.trim(), err: ran.stderr.trim() };
  };
  const stop = async () => {
    call('scancel', '--state=RUNNING', '--user=root');
    call('scancel', '--state=PENDING', '--user=root');
    await sleep(500);
    for (const child of children.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) continue;
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await once(child, 'exit');
      clearTimeout(late);
    }
  };
  try {
    const sockets = [
      '--socket',
      path.join(folder, 'munge.socket'),
      '--pid-file',
      path.join(folder, 'munge.pid'),
    ];
    const logs = [
      '--log-file',
      path.join(folder, 'munge.log'),
      '--seed-file',
      path.join(folder, 'munge.seed'),
    ];
    begin('munged', '--foreground', '--force', '--key-file', key, ...sockets, ...logs);
    begin('slurmctld', '-D', '-f', conf);
    begin('slurmd', '-D', '-f', conf);
    await waitFor('idle node', () => call('sinfo', '-h', '-o', '%T').out === 'idle', 60);
  } catch (error) {
    const logs = ['munge.log', 'slurmctld.log', 'slurmd.log'].map((name) => tail(path.join(folder, name)));
    await stop();
    throw new Error(`Slurm did not start: ${error.message}\n${logs.join('\n')}`, { cause: error });
  }
  return { call, stop };
}

function tail(file) {
  try {
    return `${file}:\n${readFileSync(file, 'utf8').split('\n').slice(-12).join('\n')}`;
  } catch {
    return `${file}: none`;
  }
}

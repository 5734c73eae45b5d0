/** Real CLIs in `.cache/agents/<name>-<version>`, in exactly the pinned versions. Installs only what is not there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { RealAgent } from './catalogue.ts';
import { agentId } from './catalogue.ts';

/** `root` is the folder of this repository. The program of the CLI. */
export function agentProgram(root: string, agent: RealAgent): string {
  return path.join(agentFolder(root, agent), 'node_modules', '.bin', agent.bin);
}

export function isInstalled(root: string, agent: RealAgent): boolean {
  const file = path.join(agentFolder(root, agent), 'installed');
  return existsSync(file) && readFileSync(file, 'utf8') === agentId(agent);
}

export async function installAgent(root: string, agent: RealAgent): Promise<void> {
  if (isInstalled(root, agent)) return;
  const folder = agentFolder(root, agent);
  const staged = `${folder}.part`;
  for (const old of [folder, staged]) rmSync(old, { recursive: true, force: true });
  mkdirSync(staged, { recursive: true });
  writeFileSync(path.join(staged, 'package.json'), '{ "private": true }\n');
  // Scripts stay off: the one that is needed is started by name below.
  const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--engine-strict=false'];
  await run(staged, 'npm', ['install', ...flags, `${agent.packageName}@${agent.version}`]);
  if (agent.setup !== undefined) {
    const packageFolder = path.join(staged, 'node_modules', agent.packageName);
    await run(packageFolder, process.execPath, [agent.setup]);
  }
  writeFileSync(path.join(staged, 'installed'), agentId(agent));
  renameSync(staged, folder);
}

function agentFolder(root: string, agent: RealAgent): string {
  return path.join(root, '.cache', 'agents', agentId(agent));
}

async function run(cwd: string, program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = `${errors}${text}`.slice(-4000);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} in ${cwd} failed (${code}): ${errors}`);
}

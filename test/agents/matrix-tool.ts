/**
 * `matrix [name...]`: installs the pinned CLIs, drives the built runner through each of them without network, and prints the
 * matrix CLI × case. Its exit code is that of the tests.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { agentId, selectAgents } from './catalogue.ts';
import type { RealAgent } from './catalogue.ts';
import { installAgent } from './install.ts';
import { cellsVariable, loadCells, renderMatrix } from './matrix-report.ts';

/** CLIs at once, and cases of one CLI at once: most of a case is waiting. */
const lanes = 3;
const casesAtOnce = 2;

const root = process.cwd();
const names = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const flags = process.argv.slice(2).filter((word) => word.startsWith('-'));
const agents = selectAgents(names);
if (agents.length === 0) throw new Error(`no such agent: ${names.join(' ')}`);
for (const agent of agents) await installAgent(root, agent);

const folder = path.join(root, '.cache', 'agents');
const cells = path.join(folder, 'matrix.jsonl');
mkdirSync(folder, { recursive: true });
rmSync(cells, { force: true });
writeFileSync(cells, '');

/** Each CLI in a namespace of its own: the names it looks up are its own. The exit code. */
async function drive(agent: RealAgent): Promise<number> {
  const vitest = [path.join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', 'test/agents/matrix'];
  const pace = ['--no-file-parallelism', `--maxConcurrency=${casesAtOnce}`, '--passWithNoTests', ...flags];
  const child = spawn(
    process.execPath,
    [path.join(root, 'test/agents/run.mjs'), 'offline', process.execPath, ...vitest, ...pace],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, RUNNER_TEST_AGENTS: agentId(agent), [cellsVariable]: cells },
    },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  const [code] = (await once(child, 'close')) as [number | null];
  console.log(`\n${agentId(agent)}\n${said}`);
  return code ?? 1;
}

const startMs = performance.now();
const waiting = [...agents];
const codes: number[] = [];
async function runLane(): Promise<void> {
  for (let agent = waiting.shift(); agent !== undefined; agent = waiting.shift())
    codes.push(await drive(agent));
}
await Promise.all(Array.from({ length: lanes }, runLane));

const found = loadCells(cells);
const minutes = ((performance.now() - startMs) / 60_000).toFixed(1);
const text = `${renderMatrix(found)}\n${agents.length} CLIs, ${found.length} cases in ${minutes} minutes.\n`;
writeFileSync(path.join(folder, 'matrix.md'), text);
console.log(`\n${text}`);
process.exitCode = Math.max(...codes);

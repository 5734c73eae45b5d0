/**
 * `matrix [name...]`: installs the pinned CLIs, drives the built runner through each of them without network, and prints the
 * matrix CLI × case. Its exit code is that of the tests.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { selectAgents } from './catalogue.ts';
import { installAgent } from './install.ts';
import { cellsVariable, loadCells, renderMatrix } from './matrix-report.ts';

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

const vitest = [path.join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', 'test/agents/matrix'];
const pace = ['--no-file-parallelism', '--maxConcurrency=2', '--passWithNoTests', ...flags];
const startMs = performance.now();
const { status } = spawnSync(
  process.execPath,
  [path.join(root, 'test/agents/run.mjs'), 'offline', process.execPath, ...vitest, ...pace],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      RUNNER_TEST_AGENTS: names.length === 0 ? '1' : names.join(','),
      [cellsVariable]: cells,
    },
  },
);
const minutes = ((performance.now() - startMs) / 60_000).toFixed(1);
const text = `${renderMatrix(loadCells(cells))}\n${agents.length} CLIs in ${minutes} minutes.\n`;
writeFileSync(path.join(folder, 'matrix.md'), text);
console.log(`\n${readFileSync(path.join(folder, 'matrix.md'), 'utf8')}`);
process.exitCode = status ?? 1;

// `just ui-dev`: serves this folder and builds the pages again whenever their sources change. Reload the page to see it.
import { spawn } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { watchWeb } from './build-web.mjs';

const root = path.dirname(import.meta.dirname);

const watched = await watchWeb({ root, outdir: path.join(root, 'dist/web') });
const server = spawn(process.execPath, [path.join(root, 'bin/runner.js'), 'ui', ...process.argv.slice(2)], {
  stdio: 'inherit',
});
// Ctrl-C reaches both; the server says goodbye first.
process.on('SIGINT', () => {});
server.on('exit', (code) => {
  process.exitCode = code ?? 1;
  void watched.dispose();
});

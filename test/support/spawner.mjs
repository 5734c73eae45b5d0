/**
 * Starts programs for a test process. Starting one copies the page tables of whoever does it, which for a test process of hundreds of
 * megabytes takes ten times as long as for this one.
 */
import { spawn } from 'node:child_process';
import process from 'node:process';

process.on('message', ({ id, program, args, cwd, env }) => {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const texts = { stdout: [], stderr: [] };
  for (const [name, chunks] of Object.entries(texts)) child[name].on('data', (chunk) => chunks.push(chunk));
  const answer = (fields) => {
    const [stdout, stderr] = Object.values(texts).map((chunks) => Buffer.concat(chunks).toString('utf8'));
    process.send?.({ id, code: null, signal: null, error: null, stdout, stderr, ...fields });
  };
  child.once('error', (error) => answer({ error: error.message }));
  child.once('close', (code, signal) => answer({ code, signal }));
});
process.on('disconnect', () => {
  process.exitCode = 0;
  process.removeAllListeners('message');
});

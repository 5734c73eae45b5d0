/** Programs run to their end while the test waits, by a small process that does nothing else; see spawner-now.mjs. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Finished, Program } from './spawner.ts';

interface Line {
  readonly ask: number;
  readonly tell: number;
}

let line: Line | null = null;

function open(): Line {
  const folder = mkdtempSync(join(tmpdir(), 'runner-spawner-'));
  const pipes = [join(folder, 'ask'), join(folder, 'tell')] as const;
  execFileSync('mkfifo', pipes);
  const script = fileURLToPath(new URL('spawner-now.mjs', import.meta.url));
  spawn(process.execPath, [script, ...pipes], { stdio: 'ignore' }).unref();
  const opened = { ask: openSync(pipes[0], 'w'), tell: openSync(pipes[1], 'r') };
  // Both sides have them open; the names are no longer needed.
  rmSync(folder, { recursive: true, force: true });
  return opened;
}

export function runProgramNow(program: Program): Finished {
  line ??= open();
  const request = Buffer.from(`${JSON.stringify(program)}\n`);
  for (let at = 0; at < request.length;) at += writeSync(line.ask, request, at);
  const length = readExactly(line.tell, 4).readUInt32BE();
  return JSON.parse(readExactly(line.tell, length).toString('utf8')) as Finished;
}

function readExactly(fd: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  for (let at = 0; at < length;) at += readSync(fd, buffer, at, length - at, null);
  return buffer;
}

/** The same as spawner.mjs for tests that wait where they stand: one request after the other through two named pipes. */
import { spawnSync } from 'node:child_process';
import { openSync, readSync, writeSync } from 'node:fs';
import process from 'node:process';

const [, , asked, told] = process.argv;
const input = openSync(asked, 'r');
const output = openSync(told, 'w');
const chunk = Buffer.alloc(64 * 1024);
let rest = '';
for (let bytes = readSync(input, chunk); bytes > 0; bytes = readSync(input, chunk)) {
  rest += chunk.toString('latin1', 0, bytes);
  if (rest.endsWith('\n')) {
    const { program, args, cwd, env } = JSON.parse(Buffer.from(rest, 'latin1').toString('utf8'));
    rest = '';
    const ended = spawnSync(program, args, { cwd, env, encoding: 'utf8', maxBuffer: 1 << 28, stdio: 'pipe' });
    const { status, signal, stdout, stderr, error } = ended;
    const text = JSON.stringify({ code: status, signal, stdout, stderr, error: error?.message ?? null });
    const answer = Buffer.from(text);
    const head = Buffer.alloc(4);
    head.writeUInt32BE(answer.length);
    const whole = Buffer.concat([head, answer]);
    for (let at = 0; at < whole.length;) at += writeSync(output, whole, at);
  }
}

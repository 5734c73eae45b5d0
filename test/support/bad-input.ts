/**
 * Malformed files put in the place of a good one, command after command on the built program, two at a time: each must end
 * in one clear message that names the file, change nothing, and end soon.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Project } from './project.ts';
import { sampled } from './whole.ts';
import { expectNothingOpen, fingerprint, readRefusal } from './refusals.ts';

export interface BadInput {
  readonly name: string;
  /** The content, or what to do at the path. */
  readonly put: string | Buffer | ((path: string) => void);
  /** What the message or a detail must say: the place and the reason. */
  readonly says: string | RegExp;
  readonly code?: string;
}

export interface BadInputs {
  /** Copies of one good project; each works through its share. */
  readonly projects: readonly Project[];
  /** Relative to the project folder. */
  readonly file: string;
  readonly code: string;
  /** Commands that read the file, taken in turn. */
  readonly commands: readonly string[];
  readonly inputs: readonly BadInput[];
}

const endsWithinMs = 60_000;
const messageBytesMax = 2 * 1024 * 1024;

/** Returns how many inputs were refused as they should be; what went wrong comes back as text, all of it at once. */
export async function refuseAll(request: BadInputs): Promise<readonly string[]> {
  const inputs = sampled(request.inputs, 8);
  const queue = inputs.map((input, index) => ({
    input,
    command: request.commands[index % request.commands.length] ?? '',
  }));
  const wrong: string[] = [];
  const work = async (p: Project): Promise<void> => {
    const good = readFileSync(join(p.dir, request.file));
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { input, command } = next;
      await refuseOne(p, { request, input, command }).catch((error: unknown) => {
        wrong.push(`${request.file} <- ${input.name} (${command}): ${String(error).slice(0, 1500)}`);
      });
      rmSync(join(p.dir, request.file), { recursive: true, force: true });
      writeFileSync(join(p.dir, request.file), good);
    }
  };
  await Promise.all(request.projects.map(work));
  console.log(`bad inputs for ${request.file}: ${inputs.length}`);
  return wrong;
}

interface Turn {
  readonly request: BadInputs;
  readonly input: BadInput;
  readonly command: string;
}

async function refuseOne(p: Project, { request, input, command }: Turn): Promise<void> {
  const path = join(p.dir, request.file);
  if (typeof input.put === 'function') {
    rmSync(path);
    input.put(path);
  } else {
    writeFileSync(path, input.put);
  }
  const before = fingerprint(p.top);
  const running = p.start([command]);
  const timer = setTimeout(() => running.kill('SIGKILL'), endsWithinMs);
  const result = await running;
  clearTimeout(timer);
  const ran = {
    code: result.exitCode,
    signal: result.signal,
    out: result.stdout,
    err: result.stderr,
  };
  expect(ran.signal, `still busy after ${endsWithinMs} ms`).toBeUndefined();
  expect({ code: ran.code, out: ran.out }, ran.err.slice(0, 800)).toEqual({ code: 1, out: '' });
  expect(ran.err.length).toBeLessThan(messageBytesMax);
  const said = readRefusal(ran);
  expect([input.code ?? request.code, 'LAYOUT_INVALID'], ran.err.slice(0, 800)).toContain(said.code);
  const words = [said.message, ...said.details].join('\n');
  expect(words).toContain(request.file);
  if (said.code !== 'LAYOUT_INVALID')
    expect(words.slice(0, 20_000).replaceAll(/:(\d+):(\d+): /g, ' line $1, column $2: ')).toMatch(input.says);
  expect(fingerprint(p.top)).toEqual(before);
  expectNothingOpen(p);
}

/** What may stand in the place of any file; `says` fits the readers of all of them. */
export const notPlainFiles: readonly BadInput[] = [
  { name: 'a folder', put: (path) => mkdirSync(path), says: 'is a folder, not a regular file' },
  {
    name: 'a FIFO',
    put: (path) => void execFileSync('mkfifo', [path]),
    says: /is an? .*pipe.*, not a regular file/,
  },
  { name: 'a socket', put: makeSocket, says: 'is a socket, not a regular file' },
  { name: 'a link to a good file', put: linkToCopy, says: 'is a symbolic link, not a regular file' },
  { name: 'a dangling link', put: (path) => symlinkSync('nowhere', path), says: 'is a symbolic link' },
  { name: 'a link to itself', put: (path) => symlinkSync(path, path), says: 'is a symbolic link' },
  { name: 'a link to /dev/zero', put: (path) => symlinkSync('/dev/zero', path), says: 'is a symbolic link' },
  { name: '100 MB (sparse)', put: sparse, says: /100000000 bytes/ },
  {
    name: 'invalid UTF-8: a stray byte',
    put: Buffer.from([0x7b, 0xff, 0x7d]),
    says: 'is not valid UTF-8 (byte 1)',
  },
  {
    name: 'invalid UTF-8: overlong',
    put: Buffer.from([0x22, 0xc0, 0xaf, 0x22]),
    says: 'is not valid UTF-8 (byte 1)',
  },
  {
    name: 'invalid UTF-8: surrogate',
    put: Buffer.from([0xed, 0xa0, 0x80]),
    says: 'is not valid UTF-8 (byte 0)',
  },
  {
    name: 'invalid UTF-8: cut off',
    put: Buffer.from([0x61, 0xe2, 0x82]),
    says: 'is not valid UTF-8 (byte 1)',
  },
];

function sparse(path: string): void {
  writeFileSync(path, '');
  truncateSync(path, 100_000_000);
}

function linkToCopy(path: string): void {
  const copy = join(path, '../../../../good-copy');
  writeFileSync(copy, '{}');
  symlinkSync(copy, path);
}

/** A socket stays as a file when the process that bound it is killed, as a crashed program leaves it. */
function makeSocket(path: string): void {
  const code = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
  try {
    execFileSync(process.execPath, ['-e', code], { stdio: 'ignore' });
  } catch {
    // It was killed, as planned.
  }
}

/** Texts no JSON reader may take, whatever the file means. */
export const notJson: readonly BadInput[] = [
  { name: 'nothing at all', put: '', says: 'line 1, column 1: ' },
  { name: 'blanks', put: ' \r\n\t', says: 'line 2, column 2: ' },
  { name: 'an open brace', put: '{', says: 'line 1, column 2: ' },
  { name: 'a comma at the end', put: '{"a": 1,}', says: /line 1, column [89]: / },
  { name: 'a comment', put: '{\n  // why\n}', says: 'line 2, column 3: ' },
  { name: 'single quotes', put: "{'id': 'root'}", says: 'line 1, column 2: ' },
  { name: 'text after it', put: '{}\nmore', says: 'line 2, column 1: ' },
  { name: 'two documents', put: '{}{}', says: 'line 1, column 3: ' },
  { name: 'a byte order mark', put: '\ufeff{}', says: 'line 1, column 1: ' },
  { name: 'UTF-16', put: Buffer.from('{"id":"root"}', 'utf16le'), says: 'line 1, column 2: ' },
  {
    name: 'UTF-16 with its mark',
    put: Buffer.from('\ufeff{}', 'utf16le'),
    says: 'is not valid UTF-8 (byte 0)',
  },
  { name: 'NUL bytes', put: '{\u0000}', says: 'line 1, column 2: ' },
  { name: 'a file of NULs', put: '\u0000'.repeat(4096), says: 'line 1, column 1: ' },
  { name: 'NaN', put: '{"a": NaN}', says: 'line 1, column 7: ' },
  { name: 'Infinity', put: '{"a": -Infinity}', says: /line 1, column [78]: / },
  { name: '1e400', put: '{"a": 1e400}', says: 'line 1, column 7: ' },
  { name: '2^53 + 1', put: '{"a": 9007199254740993}', says: 'line 1, column 7: ' },
  { name: 'a number with a leading zero', put: '{"a": 01}', says: /line 1, column [78]: / },
  { name: 'a number with a plus', put: '{"a": +1}', says: 'line 1, column 7: ' },
  { name: 'a hex number', put: '{"a": 0x10}', says: /line 1, column [78]: / },
  { name: 'a raw line break in a string', put: '{"a": "x\r\ny"}', says: 'line 1, column 9: ' },
  { name: 'a wrong escape', put: '{"a": "\\x41"}', says: /line 1, column [789]: / },
  { name: 'a lone surrogate, escaped', put: '{"a": "\\ud800"}', says: /line 1, column [78]: / },
  { name: 'a string without an end', put: '{"a": "x', says: /line 1, column \d+: / },
  { name: 'a key twice', put: '{"a": 1, "b": 2, "a": 3}', says: /line 1, column 1[78]: .*'?a'?/ },
  { name: '__proto__', put: '{"__proto__": {"x": 1}}', says: /line 1, column 2: .*__proto__/ },
  { name: 'a million lists deep', put: '['.repeat(1_000_000), says: 'line 1, column ' },
  { name: 'a million objects deep', put: '{"a":'.repeat(1_000_000), says: 'line 1, column ' },
  { name: 'HTML', put: '<!doctype html>', says: 'line 1, column 1: ' },
  {
    name: 'merge conflict markers',
    put: '<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> x\n',
    says: 'line 1, column 1: ',
  },
];

/** Commands that must refuse: what they say, that they change nothing, and that the command they print helps. */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { expect } from 'vitest';
import { hasOpenJournal } from './open-journal.ts';
import type { Project, Ran } from './project.ts';
import { entryFile } from './project.ts';

/** Git's object store may grow by unreachable objects, and the runner's private folder is its own. */
const unwatched = new Set(['.git/objects', '.git/runner']);

/** Every path with its mode and content: work tree, HEAD, refs, reflogs, index and config of git. Names may be any bytes. */
export function fingerprint(top: string): Record<string, string> {
  const found: Record<string, string> = {};
  const pending = [''];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const name of readdirSync(inside(top, folder), { encoding: 'latin1' })) {
      const path = folder === '' ? name : `${folder}/${name}`;
      const full = inside(top, path);
      if (unwatched.has(path)) continue;
      const stats = lstatSync(full);
      if (stats.isDirectory()) pending.push(path);
      found[path] = `${stats.mode.toString(8)} ${contentOf(full)}`;
    }
  }
  return found;
}

function inside(top: string, latin1Path: string): Buffer {
  return Buffer.concat([Buffer.from(`${top}/`), Buffer.from(latin1Path, 'latin1')]);
}

/** Large files are sparse in our tests: their size says enough. */
const hashedBytesMax = 8 * 1024 * 1024;

function contentOf(path: Buffer): string {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return readlinkSync(path);
  if (!stats.isFile()) return '';
  if (stats.size > hashedBytesMax) return `${stats.size} ${stats.mtimeMs}`;
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/** The private folder keeps nothing open behind a refusal. */
export function expectNothingOpen(p: Project): void {
  expect(existsSync(join(p.top, '.git/runner/lock')), 'a lock is left').toBe(false);
  expect(hasOpenJournal(p.top), 'a journal is left open').toBe(false);
}

export interface Refusal {
  readonly message: string;
  readonly code: string;
  readonly hint: string;
  readonly details: readonly string[];
  readonly ran: Ran;
}

/** Runs the command, sees it fail as an error with exit 1 and change nothing, and returns what it said. */
export async function refused(
  p: Project,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Refusal> {
  const before = fingerprint(p.top);
  const ran = await p.runWith(env, ...args);
  expect(ran, ran.err).toMatchObject({ code: 1, out: '' });
  expect(fingerprint(p.top)).toEqual(before);
  expectNothingOpen(p);
  return readRefusal(ran);
}

/** The one error on stderr, which ends with the command that helps. */
export function readRefusal(ran: Ran): Refusal {
  const lines = ran.err.split('\n');
  const start = lines.findIndex((line) => line.startsWith('error: '));
  const [first = '', ...rest] = lines.slice(start);
  const [, message = '', code = ''] = /^error: (.*) \[([A-Z_]+)\]$/s.exec(first) ?? [];
  const hint = rest.at(-1) ?? '';
  expect(code, `no error in:\n${ran.err}`).not.toBe('');
  expect(hint, `no hint in:\n${ran.err}`).toMatch(/^hint: ./);
  expect(ran.err).not.toMatch(/^\s+at .+:\d+:\d+\)?$/m);
  expect(ran.err).not.toContain('\u001b');
  const details = rest.slice(0, -1).map((line) => line.replace(/^ {2}/, ''));
  return { message, code, hint: hint.slice('hint: '.length), details, ran };
}

/** Types a hint, or the part of it that is a command, into a shell where `runner` is the built one. */
export async function typeHint(p: Project, command: string): Promise<void> {
  const bin = join(p.base, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'runner'), `#!/bin/sh\nexec '${process.execPath}' '${entryFile}' "$@"\n`);
  chmodSync(join(bin, 'runner'), 0o755);
  const env = { ...p.env, PATH: `${bin}${delimiter}${p.env['PATH'] ?? ''}` };
  const done = await execa('sh', ['-c', command], {
    cwd: p.dir,
    env,
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
  });
  expect(done.exitCode, `${command}\n${done.stdout}\n${done.stderr}`).toBe(0);
}

/** A PATH that leads to these programs and to nothing else. */
export function pathOf(p: Project, names: readonly string[]): string {
  const folder = join(p.base, `path-${names.join('-')}`);
  mkdirSync(folder, { recursive: true });
  for (const name of names) {
    const found = (process.env['PATH'] ?? '').split(delimiter).map((entry) => join(entry, name));
    const file = found.find((path) => existsSync(path)) ?? name;
    if (!existsSync(join(folder, name))) symlinkSync(file, join(folder, name));
  }
  return folder;
}

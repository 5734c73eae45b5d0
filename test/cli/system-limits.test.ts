/** What the system allows a process: few open files, and files for the owner only. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { entryFile, project } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { playAgent, shellAgent } from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';

function stepUnder(p: Project, limit: string): string {
  const command = `${limit} && exec "$0" "$1" step`;
  const options = { cwd: p.dir, env: p.env, encoding: 'utf8', stdio: 'pipe' } as const;
  return execFileSync('sh', ['-c', command, process.execPath, entryFile], options);
}

function objectsOf(p: Project): readonly string[] {
  const folder = join(p.dir, '.git/objects');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  return files.filter((file) => statSync(file).isFile());
}

test('more new folders than files may be open, and rights as the umask says', async () => {
  const p = await project({ agent: shellAgent, tree: node('root', { max_attempts: 9, children: [] }) });
  playAgent(p, 'for i in $(seq 400); do mkdir -p "many/$i"; echo "$i" > "many/$i/file"; done; answer retry');
  expect(stepUnder(p, 'ulimit -n 256')).toContain('status=retry');
  const before = new Set(objectsOf(p));
  expect(before.size).toBeGreaterThan(800);

  playAgent(p, 'echo secret > secret.txt; answer done');
  expect(stepUnder(p, 'umask 077')).toContain('status=done guard=pass');
  const made = objectsOf(p).filter((file) => !before.has(file));
  expect(new Set(made.map((file) => statSync(file).mode & 0o777))).toEqual(new Set([0o400]));
  expect(await p.git('fsck', '--strict', '--full', '--no-dangling')).toBe('');
});

test.skipIf(!existsSync('/dev/full'))(
  'an answer that cannot be written is no success, also where much of it is sent; one that nobody reads is',
  async () => {
    const p = await project({ agent: shellAgent, tree: node('root', { max_attempts: 9, children: [] }) });
    const run = (words: string, to: string): readonly [number, string] => {
      const command = `{ "$0" "$1" ${words}; echo "$?" >&2; } ${to}`;
      const options = { cwd: p.dir, env: p.env, encoding: 'utf8' } as const;
      const { stderr } = spawnSync('sh', ['-c', command, process.execPath, entryFile], options);
      const [, said, code] = /^(.*?)(\d+)\n$/s.exec(stderr) ?? [];
      return [Number(code), said ?? ''];
    };
    playAgent(p, 'seq 1000 > numbers.txt; answer done');
    const lost = [
      'error: stdout could not be written: ENOSPC: no space left on device, write [DISK]',
      'hint: free some space, then run the same command again',
      '',
    ].join('\n');
    expect(run('step --quiet', '> /dev/full')).toEqual([1, lost]);
    // What was done is done.
    expect(await p.git('log', '-1', '--format=%s')).toContain('status=done guard=pass');
    for (const words of [
      '--version',
      'status --json',
      'validate',
      'tree',
      'log 1 --diff',
      'help exit-codes',
    ]) {
      expect(run(words, '> /dev/full'), words).toEqual([1, lost]);
      expect(run(words, '| true'), words).toEqual([0, '']);
    }
    // Another answer than success stays what it is.
    expect(run('explain NO_SUCH_CODE', '> /dev/full')[0]).toBe(64);
  },
);

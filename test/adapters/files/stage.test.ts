/** Faults of the disk below `saveFile`: the old file stays, no stage stays, and the error names what is needed. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { saveFile } from '../../../src/adapters/files/files.ts';
import { isStageName, sweepStages } from '../../../src/adapters/files/stage-sweep.ts';
import { stageName } from '../../../src/adapters/files/stage.ts';
import { bundleAdapters } from '../../support/adapter-bundle.ts';
import { scratchFolder } from '../../support/scratch.ts';
import { canMount, mountSmallDisk } from '../../support/small-disk.ts';

const bundle = await bundleAdapters(['files/files']);

const canTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;

const save = (file: string, bytes: number): string => `
  import { dirname } from 'node:path';
  const file = ${JSON.stringify(file)};
  try {
    await adapters.saveFile(file, 'n'.repeat(${bytes}), { root: dirname(file) });
    process.stdout.write('saved');
  } catch (error) {
    process.stdout.write(JSON.stringify({ code: error.code, message: error.message, hint: error.hint }));
  }
`;

test('stage names cannot be guessed and are known again', () => {
  const names = Array.from({ length: 100 }, stageName);
  expect(new Set(names).size).toBe(100);
  expect(names.every(isStageName)).toBe(true);
  expect(isStageName('.runner-stage-x')).toBe(false);
});

test.skipIf(!canMount)('a full disk (needs the right to mount)', async () => {
  const disk = mountSmallDisk();
  const file = path.join(disk, 'tree.json');
  await saveFile(file, 'old', { root: disk });
  const error = await saveFile(file, 'n'.repeat(100_000), { root: disk }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'DISK' });
  expect(String(error)).toContain(`cannot write ${file} (100000 bytes needed): ENOSPC`);
  expect(readFileSync(file, 'utf8')).toBe('old');
  expect(readdirSync(disk)).toEqual(['tree.json']);
});

test.skipIf(!canMount)('a read-only disk (needs the right to mount)', async () => {
  const disk = mountSmallDisk();
  const file = path.join(disk, 'tree.json');
  await saveFile(file, 'old', { root: disk });
  expect(spawnSync('mount', ['-o', 'remount,ro', disk]).status).toBe(0);
  const error = await saveFile(file, 'new', { root: disk }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'DISK' });
  expect(String(error)).toContain('EROFS');
  expect(readFileSync(file, 'utf8')).toBe('old');
});

test('a file size limit, where a write is cut short without an error', () => {
  const file = path.join(scratchFolder(), 'tree.json');
  writeFileSync(file, 'old');
  const before = ['bash', '-c', 'ulimit -f 8; exec "$@"', 'bash'];
  const result = JSON.parse(bundle.run({ code: save(file, 100_000), before }).stdout) as object;
  expect(result).toMatchObject({ code: 'DISK', hint: expect.stringContaining('ulimit -f') as string });
  expect(result).toMatchObject({ message: expect.stringContaining('EFBIG') as string });
  expect(readFileSync(file, 'utf8')).toBe('old');
  expect(readdirSync(path.dirname(file))).toEqual(['tree.json']);
});

describe.skipIf(!canTrace)('injected faults (needs strace)', () => {
  /** strace counts calls per thread, so all file calls go through one. */
  function runWithFault(file: string, fault: string): string {
    const before = ['strace', '-f', '-qq', '-o', '/dev/null', '-e', `inject=${fault}`];
    return bundle.run({ code: save(file, 10), before, env: { UV_THREADPOOL_SIZE: '1' } }).stdout;
  }

  test.each([
    ['fsync', 'EIO', 1],
    ['rename', 'EIO', 1],
    ['rename', 'ENOSPC', 1],
    ['rename', 'EACCES', 1],
    ['pwrite64', 'ENOSPC', 1],
    ['fchmod', 'EIO', 1],
  ])('%s gives %s at call %i', (call, errno, when) => {
    const file = path.join(scratchFolder(), 'tree.json');
    writeFileSync(file, 'old');
    const result = JSON.parse(runWithFault(file, `${call}:error=${errno}:when=${when}`)) as object;
    expect(result).toMatchObject({ code: 'DISK', message: expect.stringContaining(errno) as string });
    expect(readFileSync(file, 'utf8')).toBe('old');
    expect(readdirSync(path.dirname(file))).toEqual(['tree.json']);
  });

  test('a folder that cannot be synced is tolerated, one that fails to is not', () => {
    const file = path.join(scratchFolder(), 'tree.json');
    expect(runWithFault(file, 'fsync:error=EINVAL:when=2')).toBe('saved');
    expect(runWithFault(file, 'fsync:error=EIO:when=2')).toContain('"DISK"');
  });
});

test('killed at any instant: old or new, never anything else, and what is left is swept', async () => {
  const folder = scratchFolder();
  const file = path.join(folder, 'tree.json');
  const log = path.join(scratchFolder(), 'log');
  expect(bundle.run({ code: save(file, 3), env: { RUNNER_FAILPOINT_LOG: log } }).stdout).toBe('saved');
  const points = readFileSync(log, 'utf8').trim().split('\n');
  expect(points).toEqual(
    ['write:before', 'write:after', 'rename:before', 'rename:after'].map((point) => `${point}:tree.json`),
  );
  for (const [index, point] of points.entries()) {
    writeFileSync(file, 'old');
    const result = bundle.run({ code: save(file, 3), env: { RUNNER_FAILPOINT: String(index + 1) } });
    expect(result.signal).toBe('SIGKILL');
    expect(readFileSync(file, 'utf8')).toBe(point.startsWith('rename:after') ? 'nnn' : 'old');
    await sweepStages(folder);
    expect(readdirSync(folder)).toEqual(['tree.json']);
  }
});

test('removing has its own two instants', () => {
  const file = path.join(scratchFolder(), 'tree.json');
  const code = `
    import { dirname } from 'node:path';
    const file = ${JSON.stringify(file)};
    await adapters.removeFile(file, { root: dirname(file) });
  `;
  for (const [hit, isThere] of [
    ['1', true],
    ['2', false],
  ] as const) {
    writeFileSync(file, 'old');
    expect(bundle.run({ code, env: { RUNNER_FAILPOINT: hit } }).signal).toBe('SIGKILL');
    expect(existsSync(file)).toBe(isThere);
  }
});

import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { composeLog, loadTail, sha256File } from '../../../src/adapters/files/log-cut.ts';
import { bundleAdapters } from '../../support/adapter-bundle.ts';
import { fuzzCases } from '../../support/fuzz.ts';
import { redactedWord, redactor } from '../../../src/core/text/redact.ts';
import { scratchFolder } from '../../support/scratch.ts';

const bundle = await bundleAdapters(['files/log-cut', '../core/text/redact']);
const marker = /\n\[… (\d+) bytes left out …\]\n/;
let root = '';
const at = (name: string): string => path.join(root, name);

beforeEach(() => {
  root = scratchFolder();
});

/** A log replaced by itself, cut. */
function cutLog(file: string, bytesMax: number): ReturnType<typeof composeLog> {
  return composeLog({ stdout: file, stderr: null, target: file, root, bytesMax, redactor: redactor([]) });
}

describe('the cut', () => {
  test('a log within its limit is left alone, a missing one is empty', async () => {
    writeFileSync(at('log'), 'x'.repeat(100));
    expect(await cutLog(at('log'), 100)).toEqual({ bytes: 100, bytesLeftOut: 0 });
    expect(readFileSync(at('log'), 'utf8')).toBe('x'.repeat(100));
    expect(await cutLog(at('none'), 100)).toEqual({ bytes: 0, bytesLeftOut: 0 });
  });

  test('head and tail stay, the count is exact, characters stay whole, a second cut changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 60, max: 5000 }),
        async (unit, times, bytesMax) => {
          const before = Buffer.from(unit.repeat(times));
          writeFileSync(at('log'), before);
          const result = await cutLog(at('log'), bytesMax);
          const after = readFileSync(at('log'));
          expect(result.bytes).toBe(after.length);
          expect(after.length).toBeLessThanOrEqual(bytesMax);
          expect(isUtf8(after)).toBe(true);
          if (before.length > bytesMax) {
            expect(after.length).toBeGreaterThan(bytesMax - 12);
            const text = after.toString('utf8');
            const found = text.match(`\n\\[… ${result.bytesLeftOut} bytes left out …\\]\n`);
            const head = Buffer.from(text.slice(0, found?.index));
            const tail = Buffer.from(text.slice((found?.index ?? 0) + (found?.[0].length ?? 0)));
            expect(before.subarray(0, head.length).equals(head)).toBe(true);
            expect(before.subarray(before.length - tail.length).equals(tail)).toBe(true);
            expect(head.length + tail.length + result.bytesLeftOut).toBe(before.length);
            expect(Math.abs(head.length - tail.length)).toBeLessThan(8);
          }
          await cutLog(at('log'), bytesMax);
          expect(readFileSync(at('log')).equals(after)).toBe(true);
        },
      ),
      fuzzCases(200),
    );
  });

  test('five gigabytes, in constant memory', async () => {
    writeFileSync(at('log'), 'first line\n');
    truncateSync(at('log'), 5_000_000_000);
    writeFileSync(at('log'), 'last line\n', { flag: 'a' });
    const parts = { stdout: at('log'), stderr: null, target: at('log'), root, bytesMax: 1_000_000 };
    const { stdout, stderr } = bundle.run({
      // Little room, so that what is no longer needed goes at once.
      env: { NODE_OPTIONS: '--max-old-space-size=32' },
      code: `
        const before = process.memoryUsage().rss;
        const result = await adapters.composeLog({ ...${JSON.stringify(parts)}, redactor: adapters.redactor([]) });
        process.stdout.write(JSON.stringify({ ...result, grown: peakBytes() - before }));`,
    });
    expect(stderr).toBe('');
    const result = JSON.parse(stdout) as { grown: number; bytes: number; bytesLeftOut: number };
    expect(result.grown).toBeLessThan(100 * 1024 * 1024);
    expect(result.bytes).toBe(statSync(at('log')).size);
    expect(result.bytes).toBeLessThanOrEqual(1_000_000);
    const text = readFileSync(at('log'), 'utf8');
    expect(text.startsWith('first line\n')).toBe(true);
    expect(text.endsWith('last line\n')).toBe(true);
    expect(marker.exec(text)?.[1]).toBe(String(result.bytesLeftOut));
  });

  test('a limit smaller than the marker leaves the marker', async () => {
    writeFileSync(at('log'), 'x'.repeat(100));
    expect(await cutLog(at('log'), 0)).toMatchObject({ bytesLeftOut: 100 });
    expect(readFileSync(at('log'), 'utf8')).toBe('\n[… 100 bytes left out …]\n');
  });
});

describe('composeLog', () => {
  async function compose(stdout: string, stderr: string | null, bytesMax = 1000): Promise<string> {
    writeFileSync(at('out'), stdout);
    writeFileSync(at('err'), stderr ?? 'not asked for');
    await composeLog({
      stdout: at('out'),
      stderr: stderr === null ? null : at('err'),
      target: at('sub/executor.log'),
      root,
      bytesMax,
      redactor: redactor([]),
    });
    expect(readdirSync(at('sub'))).toEqual(['executor.log']);
    return readFileSync(at('sub/executor.log'), 'utf8');
  }

  test('stdout alone, and both', async () => {
    expect(await compose('out\n', '')).toBe('out\n');
    expect(await compose('out\n', null)).toBe('out\n');
    expect(await compose('out', 'err\n')).toBe('out\n=== stderr ===\nerr\n');
    expect(await compose('', 'err\n')).toBe('\n=== stderr ===\nerr\n');
  });

  test('neither pushes the other out, and unused room is given to the other', async () => {
    const long = 'o'.repeat(5000);
    const both = await compose(long, 'e'.repeat(5000));
    expect(both.length).toBeLessThanOrEqual(1000);
    const [out = '', err = ''] = both.split('\n=== stderr ===\n');
    expect(Math.abs(out.length - err.length)).toBeLessThan(10);
    expect(out).toMatch(marker);
    expect(err).toMatch(marker);
    const shortErr = await compose(long, 'short error');
    expect(shortErr.endsWith('\n=== stderr ===\nshort error')).toBe(true);
    expect(Buffer.byteLength(shortErr)).toBeGreaterThan(980);
    const shortOut = await compose('short output', 'e'.repeat(5000));
    expect(shortOut.startsWith('short output\n=== stderr ===\neee')).toBe(true);
    expect(Buffer.byteLength(shortOut)).toBeGreaterThan(980);
    expect(Buffer.byteLength(shortOut)).toBeLessThanOrEqual(1000);
  });

  test('what fits exactly is not cut', async () => {
    const heading = '\n=== stderr ===\n'.length;
    expect(await compose('o'.repeat(900), 'e'.repeat(100 - heading))).not.toMatch(marker);
    expect(await compose('o'.repeat(100 - heading), 'e'.repeat(900))).not.toMatch(marker);
    expect(await compose('o'.repeat(900), 'e'.repeat(101 - heading))).toMatch(marker);
  });

  test('a missing source is empty, one that is no file is named', async () => {
    mkdirSync(at('folder'));
    const request = {
      stdout: at('none'),
      stderr: at('folder'),
      target: at('log'),
      root,
      bytesMax: 1000,
      redactor: null,
    };
    await composeLog(request);
    expect(readFileSync(at('log'), 'utf8')).toBe(
      `\n=== stderr ===\n[${at('folder')} is a folder, not a regular file]\n`,
    );
  });

  test('replaces a link at the target and refuses a linked folder', async () => {
    writeFileSync(at('victim'), 'precious');
    mkdirSync(at('outside'));
    mkdirSync(at('sub'));
    symlinkSync(at('victim'), at('sub/executor.log'));
    await compose('out', null);
    expect(readFileSync(at('victim'), 'utf8')).toBe('precious');
    symlinkSync(at('outside'), at('linked'));
    const request = {
      stdout: at('out'),
      stderr: null,
      target: at('linked/log'),
      root,
      bytesMax: 10,
      redactor: null,
    };
    await expect(composeLog(request)).rejects.toMatchObject({ code: 'LAYOUT_INVALID' });
    expect(readdirSync(at('outside'))).toEqual([]);
  });
});

describe('secrets', () => {
  const value = 'a-value-nobody-may-see-0123456789';

  async function redacted(text: Buffer | string, bytesMax: number): Promise<Buffer> {
    writeFileSync(at('log'), text);
    await composeLog({
      stdout: at('log'),
      stderr: null,
      target: at('log'),
      root,
      bytesMax,
      redactor: redactor([value]),
    });
    return readFileSync(at('log'));
  }

  test('are taken out, and every other byte stays', async () => {
    const noise = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const log = await redacted(Buffer.concat([noise, Buffer.from(value), noise]), 1000);
    expect(log).toEqual(Buffer.concat([noise, Buffer.from(redactedWord), noise]));
  });

  test('also where the log is cut: no half of one is left', async () => {
    const bytesMax = 1000;
    const line = `${'word '.repeat(20)}\n`;
    for (let shift = 0; shift < value.length + 2; shift += 1) {
      const head = 'x'.repeat(Math.max(0, bytesMax / 2 - 20 - shift));
      const tail = 'y'.repeat(Math.max(0, bytesMax / 2 - 20 - shift));
      const text = `${head} ${value} ${line.repeat(3000)} ${value} ${tail}`;
      const log = (await redacted(text, bytesMax)).toString();
      expect(log).not.toMatch(/a-value|0123456789|nobody/);
      expect(log).toMatch(marker);
      expect(log.length).toBeLessThanOrEqual(bytesMax + 2 * redactedWord.length);
    }
  });
});

test('sha256File hashes files of any length', async () => {
  for (const length of [0, 1, 64 * 1024, 200_000]) {
    const bytes = Buffer.alloc(length, 'abc');
    writeFileSync(at('x'), bytes);
    expect(await sha256File(at('x'))).toBe(createHash('sha256').update(bytes).digest('hex'));
  }
  expect(await sha256File(at('none'))).toBeNull();
});

test('loadTail starts at a character', async () => {
  writeFileSync(at('x'), 'a€b');
  expect(await loadTail(at('x'), 3)).toBe('b');
  expect(await loadTail(at('x'), 4)).toBe('€b');
  expect(await loadTail(at('x'), 99)).toBe('a€b');
  expect(await loadTail(at('none'), 99)).toBe('');
});

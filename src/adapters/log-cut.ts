/**
 * Logs cut to their limit with head and tail kept (§8), in memory that does not grow with the log. It never cuts inside
 * a character and never hides that something is missing.
 */
import { createHash } from 'node:crypto';
import { open, rename } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { diskError } from './disk-error.ts';
import { ensureDir } from './files.ts';
import { openRegular } from './regular-file.ts';
import { dropStage, stageName } from './stage.ts';
import { continuationsAtStart, unfinishedAtEnd } from './utf8-bytes.ts';

const chunkBytes = 64 * 1024;
const stderrHeading = '\n=== stderr ===\n';

export interface CutResult {
  readonly bytes: number;
  readonly bytesLeftOut: number;
}

export interface LogParts {
  readonly stdout: string;
  /** Null when both streams went to one file. */
  readonly stderr: string | null;
  readonly target: string;
  /** Trusted folder above the target. */
  readonly root: string;
  readonly bytesMax: number;
  /** False: it is synced later, or can be made again. */
  readonly isDurable?: boolean;
}

/** A log file, or the words that stand in for one that cannot be read. */
interface Source {
  readonly handle: FileHandle | null;
  readonly bytes: number;
  readonly note: string;
}

interface Cut {
  readonly headEnd: number;
  readonly tailStart: number;
  readonly marker: Buffer;
}

/** Replaces the target by stdout and, when there is any, stderr under a heading; neither pushes the other out. */
export async function composeLog(parts: LogParts): Promise<CutResult> {
  const folder = dirname(parts.target);
  await ensureDir(folder, parts);
  const stage = join(folder, stageName());
  const stdout = await openSource(parts.stdout);
  const stderr = parts.stderr === null ? emptySource : await openSource(parts.stderr);
  try {
    const heading = Buffer.from(stderr.bytes === 0 ? '' : stderrHeading);
    const available = Math.max(0, parts.bytesMax - heading.length);
    const stderrMax = Math.max(Math.floor(available / 2), available - stdout.bytes);
    const stdoutMax = available - Math.min(stderr.bytes, stderrMax);
    const target = await open(stage, 'wx', 0o644);
    try {
      const first = await appendCut({ source: stdout, to: target, at: 0, bytesMax: stdoutMax });
      const at = await writeAll(target, { data: heading, at: first.bytes });
      const second = await appendCut({ source: stderr, to: target, at, bytesMax: stderrMax });
      if (parts.isDurable !== false) {
        await target.sync();
      }
      await rename(stage, parts.target);
      return { bytes: second.bytes, bytesLeftOut: first.bytesLeftOut + second.bytesLeftOut };
    } finally {
      await target.close();
    }
  } catch (cause) {
    dropStage(stage);
    throw diskError({ action: 'write', path: parts.target, bytesNeeded: parts.bytesMax, cause });
  } finally {
    await stdout.handle?.close();
    await stderr.handle?.close();
  }
}

/** Hex digest, or null when there is no readable file. */
export async function sha256File(file: string): Promise<string | null> {
  const { handle } = await openSource(file);
  if (handle === null) {
    return null;
  }
  try {
    const hash = createHash('sha256');
    const chunk = Buffer.alloc(chunkBytes);
    for (let at = 0, length = -1; length !== 0; at += length) {
      length = (await handle.read(chunk, 0, chunk.length, at)).bytesRead;
      hash.update(chunk.subarray(0, length));
    }
    return hash.digest('hex');
  } catch (cause) {
    throw diskError({ action: 'read', path: file, cause });
  } finally {
    await handle.close();
  }
}

/** The last bytes as text, from a character's start; what is not UTF-8 becomes U+FFFD. Empty when there is no readable file. */
export async function readTail(file: string, bytes: number): Promise<string> {
  const source = await openSource(file);
  if (source.handle === null) {
    return '';
  }
  try {
    const start = Math.max(0, source.bytes - bytes);
    const tail = await readAt(source.handle, { start, end: source.bytes });
    return tail.subarray(start === 0 ? 0 : continuationsAtStart(tail)).toString('utf8');
  } catch (cause) {
    throw diskError({ action: 'read', path: file, cause });
  } finally {
    await source.handle.close();
  }
}

const emptySource: Source = { handle: null, bytes: 0, note: '' };

async function openSource(file: string): Promise<Source> {
  const opened = await openRegular(file);
  if (opened.kind === 'open') {
    return { handle: opened.handle, bytes: opened.bytes, note: '' };
  }
  const note = opened.kind === 'missing' ? '' : `[${opened.message}]\n`;
  return { handle: null, bytes: Buffer.byteLength(note), note };
}

/** Marker included, the result is never longer than the limit unless the limit is smaller than the marker. */
async function planCut(
  handle: FileHandle,
  size: { readonly bytes: number; readonly bytesMax: number },
): Promise<Cut> {
  const half = Math.max(0, Math.floor((size.bytesMax - markerFor(size.bytes).length) / 2));
  const beforeHeadEnd = await readAt(handle, { start: Math.max(0, half - 4), end: half });
  const headEnd = half - unfinishedAtEnd(beforeHeadEnd);
  const start = size.bytes - half;
  const afterTailStart = await readAt(handle, { start, end: Math.min(size.bytes, start + 4) });
  const tailStart = start + continuationsAtStart(afterTailStart);
  return { headEnd, tailStart, marker: markerFor(tailStart - headEnd) };
}

function markerFor(bytesLeftOut: number): Buffer {
  return Buffer.from(`\n[… ${bytesLeftOut} bytes left out …]\n`);
}

async function appendCut(request: {
  readonly source: Source;
  readonly to: FileHandle;
  readonly at: number;
  readonly bytesMax: number;
}): Promise<CutResult> {
  const { source, to, at, bytesMax } = request;
  if (source.handle === null) {
    return { bytes: await writeAll(to, { data: Buffer.from(source.note), at }), bytesLeftOut: 0 };
  }
  const from = source.handle;
  if (source.bytes <= bytesMax) {
    return {
      bytes: await copyRange({ from, range: { start: 0, end: source.bytes }, to, at }),
      bytesLeftOut: 0,
    };
  }
  const cut = await planCut(from, { bytes: source.bytes, bytesMax });
  const headAt = await copyRange({ from, range: { start: 0, end: cut.headEnd }, to, at });
  const markerAt = await writeAll(to, { data: cut.marker, at: headAt });
  const range = { start: cut.tailStart, end: source.bytes };
  return {
    bytes: await copyRange({ from, range, to, at: markerAt }),
    bytesLeftOut: cut.tailStart - cut.headEnd,
  };
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Returns the position after the last byte written. Forward, so source and target may overlap when the target is lower. */
async function copyRange(request: {
  readonly from: FileHandle;
  readonly range: Range;
  readonly to: FileHandle;
  readonly at: number;
}): Promise<number> {
  let at = request.at;
  for (let start = request.range.start; start < request.range.end; start += chunkBytes) {
    const end = Math.min(start + chunkBytes, request.range.end);
    at = await writeAll(request.to, { data: await readAt(request.from, { start, end }), at });
  }
  return at;
}

/** Shorter than asked only when the file is. */
async function readAt(handle: FileHandle, range: Range): Promise<Buffer> {
  const buffer = Buffer.alloc(range.end - range.start);
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, range.start);
  return buffer.subarray(0, bytesRead);
}

async function writeAll(
  handle: FileHandle,
  request: { readonly data: Buffer; readonly at: number },
): Promise<number> {
  let done = 0;
  while (done < request.data.length) {
    const left = request.data.length - done;
    done += (await handle.write(request.data, done, left, request.at + done)).bytesWritten;
  }
  return request.at + done;
}

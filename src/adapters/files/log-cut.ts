/**
 * Cuts logs to their limit and keeps head and tail (§8), without secrets (§14), in constant memory. It never cuts inside a character
 * and always marks the cut.
 */
import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readSync, renameSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stderrHeading } from '../../core/agents/readable.ts';
import type { Piece, Redactor } from '../../core/text/redact.ts';
import { diskError } from './disk-error.ts';
import { ensureDir } from './files.ts';
import { openRegularNow } from './regular-file.ts';
import { dropStage, stageName } from './stage.ts';
import { continuationsAtStart, unfinishedAtEnd } from './utf8-bytes.ts';

const chunkBytes = 64 * 1024;
/** How far around a cut a secret may reach. */
const marginBytes = 64 * 1024;

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
  /** Null: what is kept byte for byte. The limit is one of bytes before their redaction. */
  readonly redactor: Redactor | null;
  /** False: it is synced later, or can be made again. */
  readonly isDurable?: boolean;
}

/** A log file, or the note that replaces one that cannot be read. */
interface Source {
  readonly fd: number | null;
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
  const stdout = openSource(parts.stdout);
  const stderr = parts.stderr === null ? emptySource : openSource(parts.stderr);
  try {
    const heading = Buffer.from(stderr.bytes === 0 ? '' : stderrHeading);
    const available = Math.max(0, parts.bytesMax - heading.length);
    const stderrMax = Math.max(Math.floor(available / 2), available - stdout.bytes);
    const stdoutMax = available - Math.min(stderr.bytes, stderrMax);
    const target = openSync(stage, 'wx', 0o644);
    try {
      const { redactor } = parts;
      const first = appendCut({ source: stdout, to: target, at: 0, bytesMax: stdoutMax, redactor });
      const at = writeAll(target, { data: heading, at: first.bytes });
      const second = appendCut({ source: stderr, to: target, at, bytesMax: stderrMax, redactor });
      if (parts.isDurable !== false) fsyncSync(target);

      renameSync(stage, parts.target);
      return { bytes: second.bytes, bytesLeftOut: first.bytesLeftOut + second.bytesLeftOut };
    } finally {
      closeSync(target);
    }
  } catch (cause) {
    dropStage(stage);
    throw diskError({ action: 'write', path: parts.target, bytesNeeded: parts.bytesMax, cause });
  } finally {
    closeSource(stdout);
    closeSource(stderr);
  }
}

/** Hex digest, or null when there is no readable file. */
export async function sha256File(file: string): Promise<string | null> {
  const source = openSource(file);
  if (source.fd === null) return null;

  try {
    const hash = createHash('sha256');
    const chunk = Buffer.alloc(chunkBytes);
    for (let at = 0, length = -1; length !== 0; at += length) {
      length = readSync(source.fd, chunk, 0, chunk.length, at);
      hash.update(chunk.subarray(0, length));
    }
    return hash.digest('hex');
  } catch (cause) {
    throw diskError({ action: 'read', path: file, cause });
  } finally {
    closeSource(source);
  }
}

/** The last bytes as text, from a character's start; what is not UTF-8 becomes U+FFFD. Empty when there is no readable file. */
export async function loadTail(file: string, bytes: number): Promise<string> {
  const source = openSource(file);
  if (source.fd === null) return '';

  try {
    const start = Math.max(0, source.bytes - bytes);
    const tail = readAt(source.fd, { start, end: source.bytes });
    return tail.subarray(start === 0 ? 0 : continuationsAtStart(tail)).toString('utf8');
  } catch (cause) {
    throw diskError({ action: 'read', path: file, cause });
  } finally {
    closeSource(source);
  }
}

const emptySource: Source = { fd: null, bytes: 0, note: '' };

function openSource(file: string): Source {
  const opened = openRegularNow(file);
  if (opened.kind === 'open') return { fd: opened.fd, bytes: opened.bytes, note: '' };

  const note = opened.kind === 'missing' ? '' : `[${opened.message}]\n`;
  return { fd: null, bytes: Buffer.byteLength(note), note };
}

function closeSource({ fd }: Source): void {
  if (fd !== null) closeSync(fd);
}

/** Marker included, the result is never longer than the limit unless the limit is smaller than the marker. */
function planCut(fd: number, size: { readonly bytes: number; readonly bytesMax: number }): Cut {
  const half = Math.max(0, Math.floor((size.bytesMax - markerFor(size.bytes).length) / 2));
  const beforeHeadEnd = readAt(fd, { start: Math.max(0, half - 4), end: half });
  const headEnd = half - unfinishedAtEnd(beforeHeadEnd);
  const start = size.bytes - half;
  const afterTailStart = readAt(fd, { start, end: Math.min(size.bytes, start + 4) });
  const tailStart = start + continuationsAtStart(afterTailStart);
  return { headEnd, tailStart, marker: markerFor(tailStart - headEnd) };
}

function markerFor(bytesLeftOut: number): Buffer {
  return Buffer.from(`\n[… ${bytesLeftOut} bytes left out …]\n`);
}

function appendCut(request: {
  readonly source: Source;
  readonly to: number;
  readonly at: number;
  readonly bytesMax: number;
  readonly redactor: Redactor | null;
}): CutResult {
  const { source, to, at, bytesMax, redactor } = request;
  if (source.fd === null)
    return { bytes: writeAll(to, { data: Buffer.from(source.note), at }), bytesLeftOut: 0 };

  const from = { fd: source.fd, bytes: source.bytes, redactor };
  if (source.bytes <= bytesMax) {
    return {
      bytes: copyRange({ from, range: { start: 0, end: source.bytes }, to, at }),
      bytesLeftOut: 0,
    };
  }
  const cut = planCut(source.fd, { bytes: source.bytes, bytesMax });
  const headAt = copyRange({ from, range: { start: 0, end: cut.headEnd }, to, at });
  const markerAt = writeAll(to, { data: cut.marker, at: headAt });
  const range = { start: cut.tailStart, end: source.bytes };
  return {
    bytes: copyRange({ from, range, to, at: markerAt }),
    bytesLeftOut: cut.tailStart - cut.headEnd,
  };
}

interface Range {
  readonly start: number;
  readonly end: number;
}

interface Copying {
  readonly from: { readonly fd: number; readonly bytes: number; readonly redactor: Redactor | null };
  readonly range: Range;
  readonly to: number;
  readonly at: number;
}

/** Returns the position after the last byte written. Forward, so source and target may overlap when the target is lower. */
function copyRange(request: Copying): number {
  if (request.from.redactor !== null) return copyRedacted(request, request.from.redactor);

  let at = request.at;
  for (let start = request.range.start; start < request.range.end; start += chunkBytes) {
    const end = Math.min(start + chunkBytes, request.range.end);
    at = writeAll(request.to, { data: readAt(request.from.fd, { start, end }), at });
  }
  return at;
}

/** Also reads what is around the range: a secret may begin before it or end behind it. */
function copyRedacted({ from, range, to, at: first }: Copying, redactor: Redactor): number {
  const stream = redactor.stream({ isBytes: true });
  const end = Math.min(from.bytes, range.end + marginBytes);
  let at = first;
  let position = Math.max(0, range.start - marginBytes);
  const write = (pieces: readonly Piece[]): void => {
    for (const { text, length, isSecret } of pieces) {
      const isInside = position < range.end && position + length > range.start;
      const part = isSecret ? text : text.slice(Math.max(0, range.start - position), range.end - position);
      if (isInside) at = writeAll(to, { data: Buffer.from(part, 'latin1'), at });
      position += length;
    }
  };
  for (let start = position; start < end; start += chunkBytes) {
    const bytes = readAt(from.fd, { start, end: Math.min(start + chunkBytes, end) });
    // A character for each byte: what is no text stays as it is.
    write(stream.write(bytes.toString('latin1')));
  }
  write(stream.end());
  return at;
}

/** Shorter than asked only when the file is. */
function readAt(fd: number, range: Range): Buffer {
  const buffer = Buffer.alloc(range.end - range.start);
  return buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, range.start));
}

function writeAll(fd: number, request: { readonly data: Buffer; readonly at: number }): number {
  let done = 0;
  while (done < request.data.length)
    done += writeSync(fd, request.data, done, request.data.length - done, request.at + done);

  return request.at + done;
}

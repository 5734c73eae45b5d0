/**
 * git's index file as bytes (gitformat-index): walked, never copied. Only the plain kind that our own index is; whatever else
 * it may be (version 4, split, sparse, conflicts, flags) is null and git's business.
 */
import { createHash } from 'node:crypto';

/** Which trees git already knows, by folder: `count` entries of the index belong to it, -1 when it has changed since. */
export interface KnownTree {
  readonly count: number;
  readonly oid: Buffer | null;
  /** By name, as latin1 text, which holds every byte. */
  readonly folders: ReadonlyMap<string, KnownTree>;
}

export interface IndexView {
  readonly bytes: Buffer;
  /** 20, or 32 in a repository of SHA-256 objects. */
  readonly idBytes: number;
  /** Where each entry starts; one more for the end of the last. */
  readonly starts: Uint32Array;
  readonly known: KnownTree | null;
}

export interface NewEntry {
  /** As latin1 text. */
  readonly path: string;
  readonly mode: string;
  readonly oid: string;
}

const headerBytes = 12;
/** Times, device, inode, mode, owner, size: ten numbers in front of the id. */
const statBytes = 40;
const sizeAt = 36;
const nameLengthMask = 0x0fff;
/** Assume-unchanged, extended (skip-worktree, intent-to-add) and merge stages. */
const oddFlags = 0xf000;

export function parseIndex(bytes: Buffer, idBytes: number): IndexView | null {
  if (bytes.length < headerBytes + idBytes || bytes.toString('latin1', 0, 4) !== 'DIRC') {
    return null;
  }
  const version = bytes.readUInt32BE(4);
  const starts = version === 2 || version === 3 ? listStarts(bytes, idBytes) : null;
  if (starts === null) {
    return null;
  }
  const extensions = listExtensions(bytes, { from: starts.at(-1) ?? 0, to: bytes.length - idBytes });
  // A name in capitals is a cache that may be dropped; others change what the entries mean.
  if (extensions === null || extensions.some(({ name }) => !/^[A-Z]/.test(name))) {
    return null;
  }
  const tree = extensions.find(({ name }) => name === 'TREE');
  return { bytes, idBytes, starts, known: tree === undefined ? null : parseKnown(tree.data, idBytes) };
}

function listStarts(bytes: Buffer, idBytes: number): Uint32Array | null {
  const count = bytes.readUInt32BE(8);
  const shortest = statBytes + idBytes + 2;
  if (count * shortest > bytes.length) {
    return null;
  }
  const starts = new Uint32Array(count + 1);
  let at = headerBytes;
  for (let entry = 0; entry < count; entry += 1) {
    starts[entry] = at;
    const flagsAt = at + statBytes + idBytes;
    if (flagsAt + 2 > bytes.length) {
      return null;
    }
    const flags = bytes.readUInt16BE(flagsAt);
    const isLong = (flags & nameLengthMask) === nameLengthMask;
    const length = isLong ? bytes.indexOf(0, flagsAt + 2) - flagsAt - 2 : flags & nameLengthMask;
    if ((flags & oddFlags) !== 0 || length < 1) {
      return null;
    }
    at += entryBytes(idBytes, length);
  }
  starts[count] = at;
  return at <= bytes.length ? starts : null;
}

/** One to eight NULs after the name, so that the next entry starts at a multiple of eight. */
function entryBytes(idBytes: number, nameLength: number): number {
  return (statBytes + idBytes + 2 + nameLength + 8) & ~7;
}

interface Extension {
  readonly name: string;
  readonly data: Buffer;
}

function listExtensions(
  bytes: Buffer,
  { from, to }: { readonly from: number; readonly to: number },
): readonly Extension[] | null {
  const found: Extension[] = [];
  let at = from;
  while (at + 8 <= to) {
    const end = at + 8 + bytes.readUInt32BE(at + 4);
    found.push({ name: bytes.toString('latin1', at, at + 4), data: bytes.subarray(at + 8, end) });
    at = end;
  }
  return at === to ? found : null;
}

/** Null when it is not in order: then nothing is known. */
function parseKnown(data: Buffer, idBytes: number): KnownTree | null {
  let at = 0;
  const read = (until: number): string | null => {
    const end = data.indexOf(until, at);
    const text = end === -1 ? null : data.toString('latin1', at, end);
    at = end + 1;
    return text;
  };
  const readNode = (): { readonly name: string; readonly node: KnownTree } | null => {
    const name = read(0);
    const count = Number(read(0x20) ?? Number.NaN);
    const left = Number(read(0x0a) ?? Number.NaN);
    if (name === null || !Number.isInteger(count) || !Number.isInteger(left)) {
      return null;
    }
    const oid = count < 0 ? null : data.subarray(at, (at += idBytes));
    const folders = new Map<string, KnownTree>();
    for (let k = 0; k < left; k += 1) {
      const folder = readNode();
      if (folder === null) {
        return null;
      }
      folders.set(folder.name, folder.node);
    }
    return { name, node: { count, oid, folders } };
  };
  return readNode()?.node ?? null;
}

/** The path of an entry as latin1 text, which holds every byte and sorts as bytes do. */
export function pathOf({ bytes, idBytes, starts }: IndexView, entry: number): string {
  const flagsAt = (starts[entry] ?? 0) + statBytes + idBytes;
  const length = bytes.readUInt16BE(flagsAt) & nameLengthMask;
  const end = length === nameLengthMask ? bytes.indexOf(0, flagsAt + 2) : flagsAt + 2 + length;
  return bytes.toString('latin1', flagsAt + 2, end);
}

export function modeOf({ bytes, starts }: IndexView, entry: number): number {
  return bytes.readUInt32BE((starts[entry] ?? 0) + 24);
}

/** When the file's content or state had last changed, as it was staged. */
export function ctimeOf(
  { bytes, starts }: IndexView,
  entry: number,
): { readonly seconds: number; readonly ns: number } {
  const at = starts[entry] ?? 0;
  return { seconds: bytes.readUInt32BE(at), ns: bytes.readUInt32BE(at + 4) };
}

/** The file again, but git will read what belongs to these entries: a size of nothing is its own word for "not to be trusted". */
export function withoutState({ bytes, idBytes, starts }: IndexView, entries: readonly number[]): Buffer {
  const changed = Buffer.from(bytes);
  for (const entry of entries) {
    changed.writeUInt32BE(0, (starts[entry] ?? 0) + sizeAt);
  }
  const body = changed.subarray(0, -idBytes);
  createHash(idBytes === 20 ? 'sha1' : 'sha256')
    .update(body)
    .digest()
    .copy(changed, body.length);
  return changed;
}

/** As latin1 text. */
export function idOf({ bytes, idBytes, starts }: IndexView, entry: number): string {
  const at = (starts[entry] ?? 0) + statBytes;
  return bytes.toString('latin1', at, at + idBytes);
}

export function countOf({ starts }: IndexView): number {
  return starts.length - 1;
}

/** The file: the same entries, with these known trees and nothing else that git may have noted beside them. */
export function renderIndex({ bytes, idBytes, starts }: IndexView, known: KnownTree): Buffer {
  const entries = bytes.subarray(0, starts.at(-1));
  const extension = Buffer.concat([Buffer.from('TREE\0\0\0\0', 'latin1'), renderKnown(known)]);
  extension.writeUInt32BE(extension.length - 8, 4);
  const hash = createHash(idBytes === 20 ? 'sha1' : 'sha256');
  return Buffer.concat([entries, extension, hash.update(entries).update(extension).digest()]);
}

/**
 * With more entries, sorted, all in one folder that has none yet. They carry no file state, so git looks at their files when it next
 * wants to know.
 */
export function addEntries(
  view: IndexView,
  { folder, entries }: { readonly folder: string; readonly entries: readonly NewEntry[] },
): IndexView {
  const { bytes, idBytes, starts } = view;
  const header = Buffer.from(bytes.subarray(0, headerBytes));
  header.writeUInt32BE(countOf(view) + entries.length, 8);
  const place = placeOf(view, `${folder}/`);
  const at = starts[place] ?? 0;
  const rendered = Buffer.concat(entries.map((entry) => renderEntry(entry, idBytes)));
  const all = Buffer.concat([
    header,
    bytes.subarray(headerBytes, at),
    rendered,
    bytes.subarray(at, starts.at(-1)),
  ]);
  const known = view.known === null ? null : forget(view.known, folder);
  return { bytes: all, idBytes, starts: listStarts(all, idBytes) ?? new Uint32Array(1), known };
}

/** Number of the first entry that is not before the path. */
function placeOf(view: IndexView, path: string): number {
  let low = 0;
  let high = countOf(view);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pathOf(view, middle) < path) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

function forget(known: KnownTree, path: string): KnownTree {
  const [first = '', ...rest] = path.split('/');
  const folders = new Map(known.folders);
  const inner = folders.get(first);
  if (inner !== undefined) {
    folders.set(first, forget(inner, rest.join('/')));
  }
  return { count: -1, oid: null, folders };
}

function renderEntry({ path, mode, oid }: NewEntry, idBytes: number): Buffer {
  const name = Buffer.from(path, 'latin1');
  const entry = Buffer.alloc(entryBytes(idBytes, name.length));
  entry.writeUInt32BE(Number.parseInt(mode, 8), 24);
  entry.write(oid, statBytes, 'hex');
  entry.writeUInt16BE(Math.min(name.length, nameLengthMask), statBytes + idBytes);
  name.copy(entry, statBytes + idBytes + 2);
  return entry;
}

function renderKnown(known: KnownTree): Buffer {
  const parts: Buffer[] = [];
  const add = (name: string, { count, oid, folders }: KnownTree): void => {
    parts.push(Buffer.from(`${name}\0${count} ${folders.size}\n`, 'latin1'), ...(oid === null ? [] : [oid]));
    folders.forEach((folder, inner) => add(inner, folder));
  };
  add('', known);
  return Buffer.concat(parts);
}

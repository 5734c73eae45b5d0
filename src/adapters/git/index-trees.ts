/** Tree objects of an index, as `git write-tree` makes them: only folders that have changed since they were last known. Pure. */
import { createHash } from 'node:crypto';
import { assert } from '../../core/errors.ts';
import { countOf, idOf, modeOf, pathOf } from './index-bytes.ts';
import type { IndexView, KnownTree } from './index-bytes.ts';

export type ObjectKind = 'blob' | 'tree' | 'commit';

export interface GitObject {
  readonly oid: string;
  readonly kind: ObjectKind;
  readonly body: Buffer;
}

export interface IndexTrees {
  readonly root: string;
  /** All of them, the made ones too. */
  readonly known: KnownTree;
  /** New or changed; a folder comes after those inside it. */
  readonly made: readonly GitObject[];
}

export function gitObject(kind: ObjectKind, body: Buffer, idBytes: number): GitObject {
  const oid = createHash(idBytes === 20 ? 'sha1' : 'sha256')
    .update(`${kind} ${body.length}\0`)
    .update(body)
    .digest('hex');
  return { oid, kind, body };
}

interface Walk {
  readonly view: IndexView;
  readonly made: GitObject[];
  /** Number of the next entry. */
  next: number;
}

export function treesOf(view: IndexView): IndexTrees {
  const walk: Walk = { view, made: [], next: 0 };
  const known = walkFolder(walk, { known: view.known, path: '' });
  return { root: (known.oid ?? Buffer.alloc(0)).toString('hex'), known, made: walk.made };
}

/** `path` is latin1 text, which holds every byte, and ends in a slash, except at the top. */
function walkFolder(
  walk: Walk,
  { known, path }: { readonly known: KnownTree | null; readonly path: string },
): KnownTree {
  if (known !== null && known.count >= 0 && known.oid !== null) {
    walk.next += known.count;
    return known;
  }
  const { view } = walk;
  const first = walk.next;
  const folders = new Map<string, KnownTree>();
  const files = new Set<string>();
  // One text for all: a hundred small buffers take longer than everything else here.
  let body = '';
  while (walk.next < countOf(view)) {
    const entry = pathOf(view, walk.next);
    if (!entry.startsWith(path)) {
      break;
    }
    const slash = entry.indexOf('/', path.length);
    if (slash === -1) {
      const name = entry.slice(path.length);
      files.add(name);
      body += `${modeOf(view, walk.next).toString(8)} ${name}\0${idOf(view, walk.next)}`;
      walk.next += 1;
    } else {
      const name = entry.slice(path.length, slash);
      assert(!files.has(name), `an index with both a file and a folder ${path}${name}`);
      const inner = { known: known?.folders.get(name) ?? null, path: entry.slice(0, slash + 1) };
      const folder = walkFolder(walk, inner);
      folders.set(name, folder);
      body += `40000 ${name}\0${folder.oid?.toString('latin1') ?? ''}`;
    }
  }
  const tree = gitObject('tree', Buffer.from(body, 'latin1'), view.idBytes);
  walk.made.push(tree);
  return { count: walk.next - first, oid: Buffer.from(tree.oid, 'hex'), folders };
}

/** Every folder with files in it, as latin1 text, relative to the top. */
export function foldersIn(known: KnownTree): readonly string[] {
  const found: string[] = [];
  const add = (path: string, { folders }: KnownTree): void => {
    for (const [name, inner] of folders) {
      found.push(`${path}${name}`);
      add(`${path}${name}/`, inner);
    }
  };
  add('', known);
  return found;
}

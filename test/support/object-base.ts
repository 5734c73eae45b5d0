/** Objects of a git repository, made and written by hand: histories that no git command would make. SHA-1 repositories only. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { execa } from 'execa';

type Kind = 'blob' | 'tree' | 'commit';

export interface Entry {
  readonly mode: string;
  readonly oid: string;
}

export interface Commit {
  readonly id: string;
  readonly tree: string;
  readonly parents: readonly string[];
  /** Lines between parents and message. */
  readonly who: readonly string[];
  readonly message: string;
}

export async function openObjects(gitDir: string) {
  const args = ['--git-dir', gitDir, 'cat-file', '--batch', '--batch-all-objects'];
  const { stdout } = await execa('git', args, { encoding: 'buffer' });
  const bytes = Buffer.from(stdout);
  const objects = new Map<string, Buffer>();
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(0x0a, at);
    const [oid = '', , size = ''] = bytes.subarray(at, end).toString('latin1').split(' ');
    objects.set(oid, bytes.subarray(end + 1, end + 1 + Number(size)));
    at = end + Number(size) + 2;
  }
  const get = (oid: string): Buffer => objects.get(oid) ?? Buffer.alloc(0);
  const put = (kind: Kind, data: Buffer): string => {
    const whole = Buffer.concat([Buffer.from(`${kind} ${data.length}\0`), data]);
    const oid = createHash('sha1').update(whole).digest('hex');
    const folder = join(gitDir, 'objects', oid.slice(0, 2));
    const file = join(folder, oid.slice(2));
    if (!objects.has(oid) && !existsSync(file)) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(file, deflateSync(whole, { level: 1 }));
    }
    objects.set(oid, data);
    return oid;
  };
  const tree = (oid: string): Map<string, Entry> => {
    const [data, found] = [get(oid), new Map<string, Entry>()];
    for (let at = 0; at < data.length;) {
      const nul = data.indexOf(0, at);
      const [mode = '', ...name] = data.subarray(at, nul).toString('utf8').split(' ');
      found.set(name.join(' '), { mode, oid: data.subarray(nul + 1, nul + 21).toString('hex') });
      at = nul + 21;
    }
    return found;
  };
  const putTree = (entries: ReadonlyMap<string, Entry>): string => {
    const key = ([name, { mode }]: readonly [string, Entry]): string =>
      mode === '40000' ? `${name}/` : name;
    const rows = [...entries].toSorted((a, b) => Buffer.compare(Buffer.from(key(a)), Buffer.from(key(b))));
    const data = rows.map(([name, { mode, oid }]) =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]),
    );
    return put('tree', Buffer.concat(data));
  };
  /** The tree with another text at a path; null removes it. */
  const withText = (root: string, path: string, text: string | null): string => {
    const [first = '', ...rest] = path.split('/');
    const entries = tree(root);
    const below = entries.get(first);
    if (rest.length > 0) {
      const folder = withText(below?.oid ?? putTree(new Map()), rest.join('/'), text);
      entries.set(first, { mode: '40000', oid: folder });
      if (tree(folder).size === 0) entries.delete(first);
    } else if (text === null) {
      entries.delete(first);
    } else {
      entries.set(first, { mode: below?.mode ?? '100644', oid: put('blob', Buffer.from(text)) });
    }
    return putTree(entries);
  };
  const text = (root: string, path: string): string | null => {
    let [at, folder]: [Entry | undefined, string] = [undefined, root];
    for (const part of path.split('/')) {
      at = tree(folder).get(part);
      if (at === undefined) return null;
      folder = at.oid;
    }
    return get(folder).toString('utf8');
  };
  const commit = (id: string): Commit => {
    const [head = '', ...body] = get(id).toString('utf8').split('\n\n');
    const lines = head.split('\n');
    const of = (word: string): string[] =>
      lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
    const who = lines.filter((line) => !/^(?:tree|parent) /u.test(line));
    return { id, tree: of('tree')[0] ?? '', parents: of('parent'), who, message: body.join('\n\n') };
  };
  const putCommit = ({ tree: root, parents, who, message }: Omit<Commit, 'id'>): string => {
    const head = [`tree ${root}`, ...parents.map((parent) => `parent ${parent}`), ...who].join('\n');
    return put('commit', Buffer.from(`${head}\n\n${message}`));
  };
  /** First-parent line of a commit, oldest first. */
  const line = (tip: string): Commit[] => {
    const found: Commit[] = [];
    for (let id: string | undefined = tip; id !== undefined; id = found[0]?.parents[0])
      found.unshift(commit(id));
    return found;
  };
  return { get, put, tree, putTree, withText, text, commit, putCommit, line };
}

export type Objects = Awaited<ReturnType<typeof openObjects>>;

/** The history of a run for its proof (§15): many commits, files and differences with a handful of git calls. Reads only. */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { assert } from '../../../core/errors.ts';
import { treeBytesMax } from '../../../core/limits.ts';
import type { Change, Entries, LineCommit } from '../../../core/proof/transition.ts';
import type { SourceText } from '../../../core/types.ts';
import type { CommitPair, ProofHistory } from '../../../ports/proof.ts';
import { linesOf, shownPath } from '../quoted-path.ts';
import { isAncestor } from '../refs.ts';
import { textOf } from '../repo.ts';
import type { Repo } from '../repo.ts';

export function proofHistory(open: () => Promise<Repo>): ProofHistory {
  return {
    listLine: async (request) => listLine(await open(), request),
    isShallow: async () => {
      const { git } = await open();
      return (await git.ask(['rev-parse', '--is-shallow-repository'])).trim() === 'true';
    },
    loadFiles: async (files) => loadFiles(await open(), files),
    listWork: async (commits) => listWork(await open(), commits),
    listChanges: async (pairs) => listChanges(await open(), pairs),
    listEntries: async (request) => listEntries(await open(), request),
    listFinishes: async (tip) => listFinishes(await open(), tip),
  };
}

const format = '--format=%H%n%T%n%P%n%B';

async function listLine(
  repo: Repo,
  { tip, base }: Parameters<ProofHistory['listLine']>[0],
): Promise<readonly LineCommit[]> {
  const isBelow = base !== null && (await isAncestor(repo, { ancestor: base, descendant: tip }));
  const range = isBelow ? [tip, `^${base}`] : [tip];
  const { stdout } = await repo.git.run(['log', '-z', '--first-parent', format, ...range, '--']);
  return readCommits(stdout);
}

async function listFinishes({ git }: Repo, tip: string): Promise<readonly LineCommit[]> {
  const grep = ['--fixed-strings', `--grep=Runner-Tip: ${tip}`];
  const { stdout } = await git.run(['log', '-z', format, ...grep, '--branches', '--']);
  return readCommits(stdout).filter(({ message }) => message.split('\n').includes(`Runner-Tip: ${tip}`));
}

function readCommits(stdout: Buffer): readonly LineCommit[] {
  const records = stdout.toString('utf8').split('\0');
  return records
    .filter((record) => record !== '')
    .map((record) => {
      const [id = '', tree = '', parents = '', ...message] = record.split('\n');
      return {
        id,
        tree,
        parents: parents.split(' ').filter((parent) => parent !== ''),
        message: message.join('\n'),
      };
    });
}

async function loadFiles(
  { git, runnerPath }: Repo,
  files: Parameters<ProofHistory['loadFiles']>[0],
): Promise<readonly SourceText[]> {
  if (files.length === 0) return [];
  const names = files.map(({ commit, path }) => `${commit}:${runnerPath}/${path}\n`);
  const found = await loadObjects(git, names);
  return found.map((one) => (one?.kind === 'blob' ? readBytes(one.bytes) : { kind: 'missing' }));
}

/** `<id> <kind> <bytes>`, a line break, the bytes and another line break for each; `<name> missing` (null) for what is not there. */
async function loadObjects(
  git: Repo['git'],
  names: readonly string[],
): Promise<readonly ({ readonly id: string; readonly kind: string; readonly bytes: Buffer } | null)[]> {
  const { stdout } = await git.run(['cat-file', '--batch'], { input: Buffer.from(names.join('')) });
  const found: Awaited<ReturnType<typeof loadObjects>>[number][] = [];
  for (let at = 0; at < stdout.length;) {
    const end = stdout.indexOf(0x0a, at);
    const [id = '', kind = '', size] = stdout.subarray(at, end).toString('latin1').split(' ').slice(-3);
    if (size === undefined || !['blob', 'tree', 'commit', 'tag'].includes(kind)) {
      found.push(null);
      at = end + 1;
      continue;
    }
    found.push({ id, kind, bytes: stdout.subarray(end + 1, end + 1 + Number(size)) });
    at = end + Number(size) + 2;
  }
  assert(found.length === names.length, 'git answers every name');
  return found;
}

/**
 * As the work index writes them: nobody has these trees, so that their ids are made from the trees of the commits, from the project folder
 * up. A folder without files is in no tree.
 */
async function listWork(
  { git, prefix, runnerPath }: Repo,
  commits: readonly string[],
): Promise<readonly (string | null)[]> {
  if (commits.length === 0) return [];
  const folders = prefix.split('/').filter((name) => name !== '');
  const paths = [...folders, ''].map((_, at) => folders.slice(0, at).join('/'));
  const trees = await loadObjects(
    git,
    commits.flatMap((commit) => paths.map((path) => `${commit}:${path}\n`)),
  );
  return commits.map((_, at) => {
    const own = trees.slice(at * paths.length, (at + 1) * paths.length);
    const names = [...folders, runnerPath.slice(prefix.length)].toReversed();
    return own.toReversed().reduce<string | null>((below, tree, depth) => {
      return tree?.kind !== 'tree' ? null : withEntry(tree, String(names[depth]), below);
    }, null);
  });
}

/** The id of a tree with another id for one of its entries; null: without it. */
function withEntry(
  { id: tree, bytes }: { readonly id: string; readonly bytes: Buffer },
  name: string,
  id: string | null,
): string {
  const kind = tree.length === 40 ? 'sha1' : 'sha256';
  const idOf = (data: Buffer): string =>
    createHash(kind).update(`tree ${data.length}\0`).update(data).digest('hex');
  const rows: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const nul = bytes.indexOf(0, at);
    const end = nul + 1 + tree.length / 2;
    const head = bytes.subarray(at, nul + 1);
    const isIt = head.subarray(head.indexOf(0x20) + 1, -1).equals(Buffer.from(name));
    if (!isIt) rows.push(bytes.subarray(at, end));
    else if (id !== null && id !== idOf(Buffer.alloc(0))) rows.push(head, Buffer.from(id, 'hex'));
    at = end;
  }
  return idOf(Buffer.concat(rows));
}

function readBytes(bytes: Buffer): SourceText {
  if (bytes.length > treeBytesMax) return { kind: 'too_large', bytes: bytes.length, bytesMax: treeBytesMax };
  if (!isUtf8(bytes)) return { kind: 'unreadable', message: 'it is not valid UTF-8' };
  return { kind: 'text', text: bytes.toString('utf8') };
}

/** Ids of the trees of commits; left out: what git does not have. */
async function treesOf({ git }: Repo, commits: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const asked = [...new Set(commits)];
  const input = Buffer.from(asked.map((commit) => `${commit}^{tree}\n`).join(''));
  const { stdout } = await git.run(['cat-file', '--batch-check'], { input });
  const rows = linesOf(stdout.toString('latin1')).map((line) => line.split(' '));
  return new Map(
    asked.flatMap((commit, at) => (rows[at]?.[1] === 'tree' ? [[commit, String(rows[at][0])]] : [])),
  );
}

async function listChanges(
  repo: Repo,
  pairs: readonly CommitPair[],
): Promise<readonly (readonly Change[])[]> {
  if (pairs.length === 0) return [];
  const trees = await treesOf(
    repo,
    pairs.flatMap(({ from, to }) => [from, to]),
  );
  const asked = pairs.map(({ from, to }) => `${trees.get(from)} ${trees.get(to)}`);
  const found = await compareTrees(repo, { pairs: asked, paths: [] });
  return asked.map((pair) => found.get(pair) ?? []);
}

/** By pair of ids. */
async function compareTrees(
  { git }: Repo,
  { pairs, paths }: { readonly pairs: readonly string[]; readonly paths: readonly string[] },
): Promise<ReadonlyMap<string, readonly Change[]>> {
  const input = Buffer.from([...new Set(pairs)].map((pair) => `${pair}\n`).join(''));
  const literal = paths.map((path) => `:(top,literal)${path}`);
  const args = ['diff-tree', '--stdin', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', '--', ...literal];
  const { stdout } = await git.run(args, { input });
  return readRaw(stdout.toString('latin1'));
}

/** For each pair a line with both ids; then for each path `:<mode> <mode> <id> <id> <kind>` and the path, NUL after both. */
function readRaw(text: string): ReadonlyMap<string, readonly Change[]> {
  const found = new Map<string, Change[]>();
  let changes: Change[] = [];
  for (let at = 0; at < text.length;) {
    const isPath = text[at] === ':';
    const end = text.indexOf(isPath ? '\0' : '\n', at);
    const words = text.slice(at, end);
    at = end + 1;
    if (!isPath) {
      changes = [];
      found.set(words, changes);
      continue;
    }
    const [, mode = '', , oid = ''] = words.split(' ');
    const last = text.indexOf('\0', at);
    const path = shownPath(text.slice(at, last));
    changes.push({ path, file: mode === '000000' ? null : { mode, oid } });
    at = last + 1;
  }
  return found;
}

/** Against a tree without files everything is an addition; submodules are no files. */
async function listEntries(
  repo: Repo,
  { commits, paths }: Parameters<ProofHistory['listEntries']>[0],
): Promise<readonly Entries[]> {
  if (commits.length === 0 || paths.length === 0) return commits.map(() => new Map());
  const made = await repo.git.run(['hash-object', '-t', 'tree', '--stdin'], { input: Buffer.alloc(0) });
  const trees = await treesOf(repo, commits);
  const asked = commits.map((commit) => `${textOf(made.stdout)} ${trees.get(commit)}`);
  const found = await compareTrees(repo, { pairs: asked, paths });
  return asked.map((pair) => {
    const rows = found.get(pair) ?? [];
    return new Map(
      rows.flatMap(({ path, file }) =>
        file?.mode.startsWith('1') === true && file.mode !== '160000' ? [[path, file]] : [],
      ),
    );
  });
}

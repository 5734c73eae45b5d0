/**
 * Whether git's objects are what their ids say (§14). git does not hash what it reads, and writes no object that is there already: who can
 * write to its object store decides what a checkout gives. So git packs what must be true and checks the pack, which hashes every object.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { RunnerError } from '../../core/errors.ts';
import { moveAside } from '../files/files.ts';
import { lookAt } from '../files/look-at.ts';
import { isOff } from '../files/test-switch.ts';
import { withScratch } from './index-lock.ts';
import { textOf } from './repo.ts';
import type { Repo } from './repo.ts';

export interface Wanted {
  /** Ids of commits and trees, without history. */
  readonly roots: readonly string[];
  /** Only these paths from the top, and the folders that lead there; none: everything. */
  readonly paths?: readonly string[];
}

/** False: an object is missing, or is not what its id says. */
export async function isSound(repo: Repo, ...wanted: readonly Wanted[]): Promise<boolean> {
  if (isOff('objects')) return true;
  const lists = await Promise.all(wanted.map((one) => listObjects(repo, one)));
  const found = lists.filter((list) => list !== null);
  const isWhole = found.length === lists.length;
  return isWhole && withScratch(repo, (folder) => isPackSound(repo, folder, Buffer.concat(found)));
}

async function isPackSound({ git }: Repo, folder: string, input: Buffer): Promise<boolean> {
  const pack = join(folder, 'pack');
  const args = ['pack-objects', '--quiet', '--window=0', '--compression=0', pack];
  const packed = await git.run(args, { input, accept: [128] });
  if (packed.code !== 0) return false;
  const file = `${pack}-${textOf(packed.stdout)}.idx`;
  return (await git.run(['verify-pack', file], { accept: [1, 128] })).code === 0;
}

/** A line for each, as `git pack-objects` reads them; null: some are missing. */
async function listObjects({ git }: Repo, { roots, paths = [] }: Wanted): Promise<Buffer | null> {
  const limits = paths.map((path) => `:(top,literal)${path}`);
  // With a commit and paths git leaves out everything when the commit does not change them.
  const trees = roots.map((root) => `${root}^{tree}`);
  const { code, stdout } = await git.run(['rev-list', '--objects', ...trees, '--', ...limits], {
    accept: [128],
  });
  return code === 0 ? Buffer.concat([Buffer.from(roots.map((root) => `${root}\n`).join('')), stdout]) : null;
}

/** Forged loose objects go to the quarantine, so that git writes true ones. In a pack they stay. */
export async function setForgedAside(repo: Repo, wanted: Wanted): Promise<void> {
  const list = (await listObjects(repo, wanted)) ?? Buffer.alloc(0);
  const ids = list
    .toString('latin1')
    .split('\n')
    .map((line) => line.split(' ')[0] ?? '');
  const objects = join(repo.commonDir, 'objects');
  for (const id of new Set(ids)) {
    const from = join(objects, id.slice(0, 2), id.slice(2));
    if (id === '' || lookAt(from)?.isFile() !== true || (await isTrue(repo, id))) continue;
    await moveAside({ from, toDir: repo.files.quarantine('objects'), root: repo.commonDir });
  }
}

async function isTrue({ git }: Repo, id: string): Promise<boolean> {
  const { code, stdout } = await git.run(['cat-file', '--batch'], {
    input: Buffer.from(`${id}\n`),
    accept: [128],
  });
  const end = stdout.indexOf(0x0a);
  const [, kind, size] = stdout.subarray(0, end).toString('latin1').split(' ');
  const bytes = stdout.subarray(end + 1, end + 1 + Number(size));
  const hash = createHash(id.length === 40 ? 'sha1' : 'sha256')
    .update(`${kind} ${size}\0`)
    .update(bytes);
  return code === 0 && hash.digest('hex') === id;
}

export async function requireSound(repo: Repo, ...wanted: readonly Wanted[]): Promise<void> {
  if (await isSound(repo, ...wanted)) return;
  throw new RunnerError({
    code: 'GIT_FAILED',
    message: 'an object in the git folder is missing or is not what its id says: it is damaged or forged',
    hint: 'git fsck',
  });
}

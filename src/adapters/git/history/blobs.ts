/** Bytes and texts of files in commits and in the index. Reads only. */
import { isUtf8 } from 'node:buffer';
import { assert } from '../../../core/errors.ts';
import { treeBytesMax } from '../../../core/limits.ts';
import type { SourceText } from '../../../core/types.ts';
import { firstInvalidByte } from '../../files/utf8-bytes.ts';
import type { GitAnswer } from '../client.ts';
import { gitError } from '../errors.ts';
import type { Repo } from '../repo.ts';

/** Git's words for "there is no such file", also when there is a folder of that name. */
const absent = /does not exist|exists on disk, but not in|: bad file/;

export interface BlobRequest {
  /** `<commit>:<path>` or `:0:<path>`, from the top. */
  readonly name: string;
  /** As a hook was given it: git names it relative to the top. */
  readonly index?: string | undefined;
}

export async function loadBlobs(repo: Repo, oids: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
  const blobs = await findBlobs(repo, { oids, bytesMax: Infinity });
  for (const oid of oids) assert(blobs?.has(oid) === true, `git has no blob ${oid}`);
  return blobs ?? new Map();
}

/** Without those that git does not have; null: more than `bytesMax` in all. */
export async function findBlobs(
  { git }: Repo,
  { oids, bytesMax }: { readonly oids: readonly string[]; readonly bytesMax: number },
): Promise<ReadonlyMap<string, Buffer> | null> {
  const blobs = new Map<string, Buffer>();
  if (oids.length === 0) return blobs;

  const input = Buffer.from(oids.map((oid) => `${oid}\n`).join(''));
  const { stdout, cut } = await git.run(['cat-file', '--batch'], { input, stdoutBytesMax: bytesMax });
  if (cut) return null;

  // `<id> blob <bytes>`, a line break, the bytes and another line break for each; `<id> missing` and a line break.
  for (let at = 0; at < stdout.length;) {
    const end = stdout.indexOf(0x0a, at);
    const [oid = '', kind, size] = stdout.subarray(at, end).toString('latin1').split(' ');
    if (kind === 'blob') blobs.set(oid, stdout.subarray(end + 1, end + 1 + Number(size)));
    at = size === undefined ? end + 1 : end + Number(size) + 2;
  }
  return blobs;
}

/** The same rules as for a file on disk. */
export async function loadBlobText(repo: Repo, request: BlobRequest): Promise<SourceText> {
  const answer = await askBlob(repo, { ...request, kind: 'blob', bytesMax: treeBytesMax });
  if (answer === null) return { kind: 'missing' };

  if (answer.cut) {
    const size = await askBlob(repo, { ...request, kind: '-s' });
    return { kind: 'too_large', bytes: Number(size?.stdout.toString('latin1')), bytesMax: treeBytesMax };
  }
  if (!isUtf8(answer.stdout)) {
    const at = firstInvalidByte(answer.stdout);
    return { kind: 'unreadable', message: `${request.name} in git is not valid UTF-8 (byte ${at})` };
  }
  return { kind: 'text', text: answer.stdout.toString('utf8') };
}

async function askBlob(
  { git, top }: Repo,
  { name, index, kind, bytesMax }: BlobRequest & { readonly kind: 'blob' | '-s'; readonly bytesMax?: number },
): Promise<GitAnswer | null> {
  const args = ['cat-file', kind, name];
  const answer = await git.run(args, {
    accept: [128],
    ...(bytesMax === undefined ? {} : { stdoutBytesMax: bytesMax }),
    ...(index === undefined ? {} : { index }),
  });
  if (answer.code === 0) return answer;

  if (absent.test(answer.stderr)) {
    // git says the same of a commit that is gone; taking that for "no such file" would drop the file.
    const [commit = ''] = name.split(':');
    await (commit === '' ? null : git.ask(['rev-parse', '--verify', `${commit}^{commit}`]));
    return null;
  }
  throw gitError({ args, cwd: top, stderr: answer.stderr, reason: null });
}

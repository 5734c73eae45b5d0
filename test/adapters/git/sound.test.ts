/** Objects whose content is not what their id says: found, set aside, and never used as the truth. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { loadRepo } from '../../../src/adapters/git/repo.ts';
import { runRestore } from '../../../src/adapters/git/restore.ts';
import { isSound, requireSound, setForgedAside } from '../../../src/adapters/git/sound.ts';
import { bareProject } from '../../support/project.ts';

/** As an agent with the user's rights would. */
function forge(
  top: string,
  object: { readonly id: string; readonly kind: string; readonly bytes: Buffer },
): void {
  const { id, kind, bytes } = object;
  const path = join(top, '.git/objects', id.slice(0, 2), id.slice(2));
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(`${path}.x`, deflateSync(Buffer.concat([Buffer.from(`${kind} ${bytes.length}\0`), bytes])));
  renameSync(`${path}.x`, path);
}

async function place() {
  const p = await bareProject({ files: { 'a.txt': 'true\n', 'sub/b.txt': 'other\n', '.runner/x': 'own\n' } });
  p.put('later.txt', 'a commit that changes nothing of .runner\n');
  await p.git('add', '-A');
  await p.git('commit', '-qm', 'later');
  const repo = await loadRepo({ projectDir: p.dir, env: p.env });
  return { p, repo, id: (name: string) => p.git('rev-parse', name) };
}

test.each([
  { name: 'HEAD:a.txt', kind: 'blob', paths: [], elsewhere: ['.runner'] },
  { name: 'HEAD:.runner/x', kind: 'blob', paths: ['.runner'], elsewhere: ['sub'] },
  { name: 'HEAD:.runner', kind: 'tree', paths: ['.runner'], elsewhere: ['sub'] },
  { name: 'HEAD', kind: 'commit', paths: ['.runner'], elsewhere: null },
])('a forged $kind $name is found where it is asked for', async ({ name, kind, paths, elsewhere }) => {
  const { p, repo, id } = await place();
  const wanted = { roots: [await id('HEAD')], paths };
  expect(await isSound(repo, wanted)).toBe(true);
  const oid = await id(name);
  const content =
    kind === 'blob' ? 'forged\n' : await p.git('cat-file', kind, kind === 'tree' ? 'HEAD:sub' : name);
  const bytes = kind === 'commit' ? Buffer.from(`${content}\nmore\n`) : Buffer.from(content);
  forge(p.top, {
    id: oid,
    kind: kind === 'tree' ? 'tree' : kind,
    bytes: kind === 'tree' ? Buffer.alloc(0) : bytes,
  });
  expect(await isSound(repo, wanted)).toBe(false);
  await expect(requireSound(repo, wanted)).rejects.toMatchObject({ code: 'GIT_FAILED', hint: 'git fsck' });
  if (elsewhere !== null)
    expect(await isSound(repo, { roots: [await id('HEAD')], paths: elsewhere })).toBe(true);
});

test('a missing object is no sound one, nor is a packed one that is damaged', async () => {
  const { p, repo, id } = await place();
  await p.git('update-ref', '-d', 'refs/heads/nothing');
  const tree = await id('HEAD^{tree}');
  expect(await isSound(repo, { roots: [tree] })).toBe(true);
  expect(await isSound(repo, { roots: [tree.replace(/^./, (one) => (one === '0' ? '1' : '0'))] })).toBe(
    false,
  );
  await p.git('repack', '-adq');
  expect(await isSound(repo, { roots: [tree] })).toBe(true);
});

test('what is forged is set aside, so that git writes the true one; true ones stay', async () => {
  const { p, repo, id } = await place();
  const oid = await id('HEAD:a.txt');
  forge(p.top, { id: oid, kind: 'blob', bytes: Buffer.from('bad\n') });
  await setForgedAside(repo, { roots: [await id('HEAD^{tree}')] });
  expect(await p.git('hash-object', '-w', 'a.txt')).toBe(oid);
  expect(await isSound(repo, { roots: [await id('HEAD')] })).toBe(true);
  expect(await p.git('fsck', '--strict')).toBe('');
});

test('a forged file is never put into the work tree', async () => {
  const { p, repo, id } = await place();
  forge(p.top, { id: await id('HEAD:a.txt'), kind: 'blob', bytes: Buffer.from('bad\n') });
  writeFileSync(join(p.top, 'a.txt'), 'changed\n');
  await expect(runRestore(repo, { commit: 'HEAD', paths: ['a.txt'] })).rejects.toMatchObject({
    code: 'GIT_FAILED',
  });
  expect(readFileSync(join(p.top, 'a.txt'), 'utf8')).toBe('changed\n');
  await runRestore(repo, { commit: 'HEAD', paths: ['sub/b.txt'] });
});

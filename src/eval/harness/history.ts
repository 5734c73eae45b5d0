/** Gives a workspace the history of a git bundle: what its HEAD reaches and nothing more, so no later commit holds the solution. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gitClient } from '../../adapters/git/client.ts';
import type { Git } from '../../adapters/git/client.ts';
import { makeTempFolder } from '../../adapters/files/temp-folder.ts';

const packBytesMax = 1024 * 1024 * 1024;

/** `main` and the files of the workspace become HEAD of the bundle. Throws what git says, DISK. */
export async function layHistory(
  git: Git,
  { bundle, env }: { readonly bundle: string; readonly env: Readonly<Record<string, string>> },
): Promise<void> {
  const folder = await makeTempFolder('runner-eval-history-');
  try {
    await gitClient({ cwd: folder, gitDir: null, env }).run([
      'init',
      '--quiet',
      '--bare',
      '--template=',
      '.',
    ]);
    const aside = gitClient({ cwd: folder, gitDir: join(folder, '.'), env });
    await aside.run(['bundle', 'unbundle', bundle]);
    const heads = await aside.run(['bundle', 'list-heads', bundle, 'HEAD']);
    const [head = ''] = heads.stdout.toString('utf8').split(' ');
    const pack = await aside.run(['pack-objects', '--quiet', '--revs', '--stdout'], {
      input: Buffer.from(`${head}\n`),
      stdoutBytesMax: packBytesMax,
    });
    await git.run(['unpack-objects', '-q'], { input: pack.stdout });
    await git.run(['update-ref', 'refs/heads/main', head]);
    await git.run(['reset', '--quiet', '--hard']);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

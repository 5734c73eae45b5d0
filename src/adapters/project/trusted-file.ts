/**
 * A small file that something confined to the work tree and the git folder cannot forge: it is in the user's state folder (§7, §14).
 * Where that folder cannot be written, the git folder has to do; the two are never mixed.
 */
import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Env } from '../../core/types.ts';
import { loadText, removeFile, saveFile } from '../files/files.ts';
import { placeName, stateHome } from '../files/state-home.ts';

export interface TrustedFile {
  /** Durable before it returns. */
  save(text: string): Promise<void>;
  /** Null: there is none, or nothing that can be read. */
  load(): Promise<string | null>;
  /** Durable; fine when there is none. */
  remove(): Promise<void>;
}

export interface TrustedPlace {
  readonly env: Env;
  /** The work tree's own git folder. */
  readonly gitDir: string;
}

const bytesMax = 1_000_000;

export function trustedFile({ env, gitDir }: TrustedPlace, name: string): TrustedFile {
  const home = stateHome(env);
  let known: { readonly path: string; readonly root: string } | null = null;
  const place = (): NonNullable<typeof known> => {
    known ??= isWritable(home)
      ? { path: join(home, 'open', placeName(gitDir), name), root: home }
      : { path: join(gitDir, 'runner', name), root: gitDir };
    return known;
  };
  return {
    save: async (text) => {
      const { path, root } = place();
      mkdirSync(root, { recursive: true, mode: 0o700 });
      await saveFile(path, text, { root });
    },
    load: async () => {
      const { path, root } = place();
      const source = await loadText(path, { root, bytesMax });
      return source.kind === 'text' ? source.text : null;
    },
    remove: async () => {
      const { path, root } = place();
      await removeFile(path, { root });
    },
  };
}

/** Looks without making anything, so that commands which only read leave no trace. */
function isWritable(folder: string): boolean {
  if (!existsSync(folder) && dirname(folder) !== folder) return isWritable(dirname(folder));

  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}

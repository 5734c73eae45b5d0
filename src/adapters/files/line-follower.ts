/** Whole lines of a file that grows, also of one that is not there yet or that another one replaces. Reads only; follows no link. */
import { promises } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { LineFollower } from '../../ports/iteration-reader.ts';
import { follow } from './follow.ts';
import type { Follower } from './follow.ts';
import { lineReader } from './line-reader.ts';
import { openRegular } from './regular-file.ts';

interface Followed {
  readonly handle: FileHandle;
  readonly follower: Follower;
}

export function lineFollower(find: () => { readonly path: string; readonly root: string }): LineFollower {
  let lines: string[] = [];
  let followed: Followed | null = null;

  async function open(): Promise<Followed | null> {
    const { path, root } = find();
    const opened = await openRegular(path, root);
    if (opened.kind !== 'open') return null;

    const onChunk = lineReader((line) => lines.push(line));
    const { handle } = opened;
    return { handle, follower: follow({ handle, position: 0, onChunk, followAll: true }) };
  }

  async function readAll({ handle, follower }: Followed): Promise<void> {
    const { size } = await handle.stat();
    while (await follower.readSome(size)) {
      // Bounded by the size it had.
    }
  }

  async function close(): Promise<void> {
    await followed?.handle.close();
    followed = null;
  }

  return {
    close,
    readNew: async () => {
      lines = [];
      if (followed !== null) await readAll(followed);

      // A folder that steps aside takes its file along, and another one begins in its place.
      if (followed === null || (await isReplaced(followed.handle, find().path))) {
        await close();
        followed = await open();
        if (followed !== null) await readAll(followed);
      }
      return lines;
    },
  };
}

async function isReplaced(handle: FileHandle, path: string): Promise<boolean> {
  const [held, found] = await Promise.all([handle.stat(), promises.lstat(path).catch(() => null)]);
  return found !== null && (found.ino !== held.ino || found.dev !== held.dev);
}

/** A file system of 64 KiB, to see what happens when it is full. Only root may mount one. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { scratchFolder } from './scratch.ts';

function mount(folder: string): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]).status === 0;
}

function tryMount(): boolean {
  const folder = mkdtempSync(path.join(tmpdir(), 'runner-mount-'));
  const isMounted = mount(folder);
  if (isMounted) spawnSync('umount', [folder]);

  rmdirSync(folder);
  return isMounted;
}

export const canMount = tryMount();

export function mountSmallDisk(): string {
  const folder = path.join(scratchFolder(), 'disk');
  mkdirSync(folder);
  if (!mount(folder)) throw new Error(`cannot mount a tmpfs on ${folder}`);

  onTestFinished(() => {
    spawnSync('umount', [folder]);
  });
  return folder;
}

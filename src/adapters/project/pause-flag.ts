/** The flag that asks a loop to pause (§12): a file in the git folder of the work tree. What it holds does not matter. */
import { lstatSync } from 'node:fs';
import type { PauseFlag } from '../../ports/steer.ts';
import { removeFile, saveFile } from '../files/files.ts';
import type { PrivateLayout } from '../files/layout.ts';

export function pauseFlag({ pause, gitDir: root }: PrivateLayout): PauseFlag {
  return {
    isSet: () => Promise.resolve(lstatSync(pause, { throwIfNoEntry: false })?.isFile() === true),
    set: () => saveFile(pause, 'pause\n', { root }),
    clear: () => removeFile(pause, { root }),
  };
}

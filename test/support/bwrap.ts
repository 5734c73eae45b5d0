/** Whether bubblewrap can be tried here. Where it cannot, the tests that need it are skipped, and say so. */
import { spawnSync } from 'node:child_process';

const tried = spawnSync('bwrap', ['--unshare-user', '--disable-userns', '--ro-bind', '/', '/', 'true'], {
  stdio: 'ignore',
});

export const hasBwrap = tried.status === 0;

/** For the name of a group of tests. */
export const bwrapName = hasBwrap ? 'bubblewrap' : 'bubblewrap (skipped: apt install bubblewrap)';

export const isRoot = process.getuid?.() === 0;

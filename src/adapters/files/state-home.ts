/**
 * The user's folder for what must be out of the work tree's and the git folder's reach (§14). Pure paths, except that it says
 * where links lead.
 */
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Env } from '../../core/types.ts';
import { realPath } from './look-at.ts';

/** `$XDG_STATE_HOME/runner`, else `~/.local/state/runner`; a relative value is ignored, as the XDG rules say. */
export function stateHome(env: Env): string {
  const given = env['XDG_STATE_HOME'];
  const home = env['HOME'];
  const base =
    given !== undefined && given.startsWith('/')
      ? given
      : join(home === undefined || home === '' ? homedir() : home, '.local', 'state');
  return join(base, 'runner');
}

/** A short name for a repository or work tree, the same for every way that leads there. */
export function placeName(folder: string): string {
  return createHash('sha256')
    .update(resolve(realPath(folder)))
    .digest('hex')
    .slice(0, 16);
}

/**
 * The PATH that agent, guard and git get (§14): as it was when the runner started, without entries that mean another folder wherever a
 * program runs. Reads only where folders lead to.
 */
import { delimiter, isAbsolute, join, relative, sep } from 'node:path';
import type { Env } from '../../core/types.ts';
import { realPath } from '../files/look-at.ts';

/** An empty PATH is none, and stays as it is. */
function entriesOf({ PATH: path }: Env): readonly string[] {
  return path === undefined || path === '' ? [] : path.split(delimiter);
}

/** The environment without empty and relative entries of PATH. */
export function withAbsolutePath(env: Env): Env {
  const folders = entriesOf(env);
  if (folders.every(isAbsolute)) return env;
  return { ...env, PATH: folders.filter(isAbsolute).join(delimiter) };
}

/** For the header of a run: folders of the work tree stay in use, but a session can write there. */
export function searchPathNotes(env: Env, top: string): readonly string[] {
  const folders = entriesOf(env);
  const inside = [...new Set(folders.filter(isAbsolute).flatMap((folder) => placeInside(folder, top)))];
  const dropped = folders.filter((folder) => !isAbsolute(folder)).map((folder) => `"${folder}"`);
  return [
    ...(inside.length === 0 ? [] : [`programs are taken from ${inside.join(', ')} inside the work tree`]),
    ...(dropped.length === 0 ? [] : [`left out of PATH, because it is not absolute: ${dropped.join(', ')}`]),
  ];
}

/** The folder relative to the top, when it is inside by its name or by where its links lead. */
function placeInside(folder: string, top: string): readonly string[] {
  const [place] = [folder, realPath(folder)]
    .map((path) => relative(top, path))
    .filter((path) => path !== '..' && !path.startsWith(`..${sep}`));
  return place === undefined ? [] : [place === '' ? '.' : place];
}

/** For a guard in a clone: folders of the work tree are those of the clone, where only setup and commit have put programs. */
export function pathInClone(env: Env, { top, clone }: { readonly top: string; readonly clone: string }): Env {
  const folders = entriesOf(env).map((folder) => {
    const [place] = isAbsolute(folder) ? placeInside(folder, top) : [];
    return place === undefined ? folder : join(clone, place);
  });
  return folders.length === 0 ? env : { ...env, PATH: folders.join(delimiter) };
}

/**
 * The PATH that programs get (§14). Agent and guard: as it was when the runner started, without entries that mean another folder wherever
 * a program runs. The runner's own programs: not from where a session writes. Reads only where folders lead to.
 */
import { existsSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Env } from '../../core/types.ts';
import { realPath } from '../files/look-at.ts';
import { isOff } from '../files/test-switch.ts';

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

/**
 * For what the runner starts for itself: a session may have put a `git` into `node_modules/.bin`, which `npx` puts first. Folders of the
 * work tree come last, so that a filter of the user's that is only there is still found.
 */
export function withWorkTreeLast(env: Env, projectDir: string): Env {
  const top = findOutermostTop(projectDir);
  const { outside, inside } = top === null ? { outside: [], inside: [] } : splitPath(env, top);
  return inside.length === 0 ? env : { ...env, PATH: [...outside, ...inside].join(delimiter) };
}

/** For the user's hooks: as an activated virtual environment has it. */
export function withWorkTreeFirst(env: Env, top: string): Env {
  const { outside, inside } = splitPath(env, top);
  return inside.length === 0 ? env : { ...env, PATH: [...inside, ...outside].join(delimiter) };
}

/** For programs that a session must not be able to replace, such as that of the sandbox. */
export function withoutWorkTree(env: Env, top: string): Env {
  const { outside, inside } = splitPath(env, top);
  return inside.length === 0 ? env : { ...env, PATH: outside.join(delimiter) };
}

function splitPath(
  env: Env,
  top: string,
): { readonly outside: readonly string[]; readonly inside: readonly string[] } {
  if (isOff('programs')) return { outside: entriesOf(env), inside: [] };
  const folders = entriesOf(env).map((folder) => ({
    folder,
    isInside: !isAbsolute(folder) || [top, realPath(top)].some((at) => placeInside(folder, at).length > 0),
  }));
  return {
    outside: folders.filter(({ isInside }) => !isInside).map(({ folder }) => folder),
    inside: folders.filter(({ isInside }) => isInside).map(({ folder }) => folder),
  };
}

/** Without git, which is what is looked for. The outermost: a session may have made a repository inside. Null: there is none. */
function findOutermostTop(projectDir: string): string | null {
  let top: string | null = null;
  for (let folder = resolve(projectDir); folder !== dirname(folder); folder = dirname(folder))
    if (existsSync(join(folder, '.git'))) top = folder;
  return top;
}

/** For a guard in a clone: folders of the work tree are those of the clone, where only setup and commit have put programs. */
export function pathInClone(env: Env, { top, clone }: { readonly top: string; readonly clone: string }): Env {
  const folders = entriesOf(env).map((folder) => {
    const [place] = isAbsolute(folder) ? placeInside(folder, top) : [];
    return place === undefined ? folder : join(clone, place);
  });
  return folders.length === 0 ? env : { ...env, PATH: folders.join(delimiter) };
}

/**
 * Finds a repository of the plain kind by its files, without a process. Null stands for "ask git": whatever is accepted here git
 * answers the same, and what is odd, foreign or on another file system is git's business.
 */
import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

export interface FoundRepo {
  readonly top: string;
  readonly gitDir: string;
  readonly commonDir: string;
  readonly prefix: string;
}

export function findPlainRepo(projectDir: string): FoundRepo | null {
  try {
    const start = realpathSync.native(projectDir);
    const top = findTop(start);
    const found = top === null ? null : openPlain(top);
    const prefix = found === null ? '' : relative(found.top, start).split(sep).join('/');
    // How git writes other names depends on its settings.
    return found === null || !/^[\w./ -]*$/.test(prefix)
      ? null
      : { ...found, prefix: prefix && `${prefix}/` };
  } catch {
    return null;
  }
}

/** Git looks no further than the file system, and a folder may be a git folder itself. */
function findTop(start: string): string | null {
  const { dev } = lstatSync(start);
  for (let folder = start; ; folder = dirname(folder)) {
    if (lstatSync(folder).dev !== dev || look(join(folder, 'HEAD')) !== undefined) {
      return null;
    }
    if (look(join(folder, '.git')) !== undefined) {
      return folder;
    }
    if (folder === dirname(folder)) {
      return null;
    }
  }
}

function openPlain(top: string): Omit<FoundRepo, 'prefix'> | null {
  const entry = lstatSync(join(top, '.git'));
  const gitDir = entry.isDirectory() ? join(top, '.git') : linkedFolder(join(top, '.git'));
  if (gitDir === null || realpathSync.native(gitDir) !== gitDir) {
    return null;
  }
  const commonDir = commonFolder(gitDir, entry.isDirectory());
  if (commonDir === null || ![lstatSync(top), entry, lstatSync(gitDir)].every(isOwn)) {
    return null;
  }
  const isWhole =
    plainHead.test(readFileSync(join(gitDir, 'HEAD'), 'latin1')) &&
    ['objects', 'refs'].every((name) => lstatSync(join(commonDir, name)).isDirectory());
  const config = isWhole ? readFileSync(join(commonDir, 'config'), 'latin1') : null;
  return config !== null && isPlainConfig(config) ? { top, gitDir, commonDir } : null;
}

const plainHead = /^(?:ref: refs\/heads\/[\w./-]+|[0-9a-f]{40})\n$/;

/** Of a linked work tree; submodules name theirs in another way. */
function linkedFolder(file: string): string | null {
  return /^gitdir: (\/[^\n]+\/worktrees\/[^/\n]+)\n$/.exec(readFileSync(file, 'utf8'))?.[1] ?? null;
}

function commonFolder(gitDir: string, isMain: boolean): string | null {
  const file = join(gitDir, 'commondir');
  if (isMain) {
    return look(file) === undefined ? gitDir : null;
  }
  return readFileSync(file, 'latin1') === '../..\n' ? dirname(dirname(gitDir)) : null;
}

/** Git trusts no repository of somebody else unless its settings say so. */
function isOwn(stats: Stats): boolean {
  return stats.uid === process.geteuid?.();
}

const plainLine = /^[ \t]*(?:\[[A-Za-z0-9.-]+(?: "[^"\\]*")?\]|[A-Za-z][A-Za-z0-9-]* = [^"\\;#\r]*|[#;].*)?$/;
/** What leads git elsewhere or asks for a newer one. */
const oddLine =
  /^[ \t]*(?:worktree|bare = (?!false$)|repositoryformatversion = (?!0$)|\[(?:extensions|include))/i;

/** One setting a line, as git itself writes them. */
export function isPlainConfig(text: string): boolean {
  return text.split('\n').every((line) => plainLine.test(line) && !oddLine.test(line));
}

function look(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

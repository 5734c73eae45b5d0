/**
 * The settings and the identity that our calls of git use (§14): git's own answer before any session ran, kept in private files. A
 * session that changes git's settings, also those in HOME, changes nothing about our calls.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Env } from '../../../core/types.ts';
import { holdsBytes, realPath } from '../../files/look-at.ts';
import { saveFile } from '../../files/files.ts';
import type { Git } from '../client.ts';
import { loadKept } from './kept.ts';

export interface Pins {
  /** Settings for every call, as `-c` takes them. */
  readonly config: readonly string[];
  /** Besides those, for calls that run no hook of the user. */
  readonly quiet: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface Entry {
  readonly scope: string;
  readonly file: string | null;
  readonly key: string;
  /** Null: a key without a value, which means true. */
  readonly value: string | null;
}

export interface Settings {
  /** Private files by name, with their bytes. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** Files of the user outside the git folder that the settings come from. */
  readonly sources: readonly string[];
  readonly identity: Readonly<Record<string, string>>;
  /** Hooks that the settings name (git 2.54 and newer). */
  readonly hooks: readonly string[];
  readonly isPartialClone: boolean;
}

export interface Surroundings {
  readonly top: string;
  readonly env: Env;
}

export async function loadSettings(git: Git, around: Surroundings): Promise<Settings> {
  const args = ['config', '--list', '-z', '--includes', '--show-scope', '--show-origin'];
  const [{ stdout }, author, committer] = await Promise.all([
    git.run(args),
    loadIdentity(git, 'AUTHOR'),
    loadIdentity(git, 'COMMITTER'),
  ]);
  const entries = parseEntries(stdout.toString('utf8'), around.top);
  const users = entries.filter(({ scope }) => scope === 'system' || scope === 'global');
  const excludes = userFile(entries, around, 'ignore');
  const attributes = userFile(entries, around, 'attributes');
  return {
    files: new Map([
      ['gitconfig', Buffer.from(renderEntries(users))],
      ['excludes', bytesOf(excludes)],
      ['attributes', bytesOf(attributes)],
    ]),
    sources: [
      ...users.flatMap(({ file }) => file ?? []),
      ...defaultFiles(around.env),
      excludes,
      attributes,
    ].filter((path, at, all) => all.indexOf(path) === at),
    identity: { ...author, ...committer },
    hooks: [...new Set(entries.flatMap(({ key }) => /^hook\.(.+)\.[^.]+$/s.exec(key)?.[1] ?? []))],
    isPartialClone: entries.some(({ key }) => /^remote\..+\.promisor$|^extensions\.partialclone$/s.test(key)),
  };
}

/** Empty: there is none, and the check before the run says so. */
async function loadIdentity(git: Git, who: 'AUTHOR' | 'COMMITTER'): Promise<Record<string, string>> {
  const { code, stdout } = await git.run(['var', `GIT_${who}_IDENT`], { accept: [1, 128] });
  const [, name, email] =
    /^(.*) <(.*)> \d+ [+-]\d+\n?$/s.exec(code === 0 ? stdout.toString('utf8') : '') ?? [];
  return name === undefined || email === undefined
    ? {}
    : { [`GIT_${who}_NAME`]: name, [`GIT_${who}_EMAIL`]: email };
}

/** `scope`, `origin` and `key[\nvalue]`, each ended by a NUL. */
function parseEntries(text: string, top: string): readonly Entry[] {
  const fields = text.split('\0');
  return Array.from({ length: Math.floor(fields.length / 3) }, (_, at) => {
    const [scope = '', origin = '', pair = ''] = fields.slice(at * 3, at * 3 + 3);
    const cut = pair.indexOf('\n');
    return {
      scope,
      file: origin.startsWith('file:') ? resolve(top, origin.slice('file:'.length)) : null,
      key: cut === -1 ? pair : pair.slice(0, cut),
      value: cut === -1 ? null : pair.slice(cut + 1),
    };
  });
}

/** As git reads it again; included files are already among the entries, and traces would write files. */
function renderEntries(entries: readonly Entry[]): string {
  return entries
    .filter(({ key }) => !/^(?:include|includeif|trace2)\./s.test(key))
    .map(({ key, value }) => {
      const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')];
      const sub = first === last ? '' : ` ${quote(key.slice(first + 1, last))}`;
      const name = key.slice(last + 1);
      return `[${key.slice(0, first)}${sub}]\n\t${name}${value === null ? '' : ` = ${quote(value)}`}\n`;
    })
    .join('');
}

function quote(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\t', '\\t')}"`;
}

/** The ignore or attribute file of the user, whether it is there or not. */
function userFile(
  entries: readonly Entry[],
  { top, env }: Surroundings,
  name: 'ignore' | 'attributes',
): string {
  const key = name === 'ignore' ? 'core.excludesfile' : 'core.attributesfile';
  const value = entries.findLast((entry) => entry.key === key)?.value ?? null;
  if (value === null) return join(configHome(env), 'git', name);

  return value.startsWith('~/') ? join(env['HOME'] ?? '', value.slice(2)) : resolve(top, value);
}

function configHome(env: Env): string {
  const given = env['XDG_CONFIG_HOME'] ?? '';
  return given === '' ? join(env['HOME'] ?? '', '.config') : given;
}

function defaultFiles(env: Env): readonly string[] {
  const named = env['GIT_CONFIG_GLOBAL'];
  return named === undefined
    ? [join(env['HOME'] ?? '', '.gitconfig'), join(configHome(env), 'git', 'config')]
    : [named];
}

/** The user may have linked it from elsewhere. */
function bytesOf(path: string): Buffer {
  const kept = loadKept(realPath(path), 'whole');
  return kept.kind === 'file' && kept.bytes !== null ? kept.bytes : Buffer.alloc(0);
}

/** Written again when somebody changed them: only the bytes in memory count. */
export async function savePins(folder: string, { files }: Settings): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [name, bytes] of files) {
    const path = join(folder, name);
    if (!holdsBytes(path, bytes)) await saveFile(path, bytes, { root: folder, isDurable: false });
  }
}

export function pinsOf(folder: string, settings: Settings): Pins {
  return {
    config: [
      `core.excludesFile=${join(folder, 'excludes')}`,
      `core.attributesFile=${join(folder, 'attributes')}`,
    ],
    quiet: [
      ...settings.hooks.map((name) => `hook.${name}.enabled=false`),
      // A partial clone fetches missing objects from the remote it was made from, whose settings are put back.
      ...(settings.isPartialClone ? [] : ['protocol.allow=never']),
    ],
    env: {
      ...settings.identity,
      GIT_CONFIG_GLOBAL: join(folder, 'gitconfig'),
      GIT_CONFIG_NOSYSTEM: '1',
      ...(settings.isPartialClone ? {} : { GIT_NO_LAZY_FETCH: '1' }),
    },
  };
}

/**
 * Bubblewrap's arguments for one program (§13.8): what is mounted where, by the data of sandbox-policy.ts, and its environment. Pure:
 * what exists on the machine is passed in.
 */
import {
  cacheVariables,
  hiddenFolders,
  hiddenProc,
  isolation,
  movedSettings,
  readOnlyProc,
  readVariables,
  toolchainRoots,
} from './sandbox-policy.ts';
import { isBelow } from './sandbox.ts';

/** What is seen at a path inside. */
export type View =
  | { readonly path: string; readonly kind: 'read' | 'write'; readonly source: string }
  /** An empty folder in memory, or an empty file. */
  | { readonly path: string; readonly kind: 'hidden'; readonly isFolder: boolean };

/** Paths of a session, each absolute and without links, as far as the machine has them. */
export interface BwrapPlace {
  readonly home: string;
  /** Another home folder of the user that the programs run as, empty but for toolchains; null: none. */
  readonly ownerHome: string | null;
  /** Top of the work tree, or of the judge's clone. */
  readonly top: string;
  /** Git folders, and the file that leads there. */
  readonly gitPaths: readonly string[];
  /** The part of the session folder that is seen inside, and the caches of the run. */
  readonly io: string;
  readonly cache: string;
  /** Mounted in place of the home folder, and of folders with a login. */
  readonly replaced: readonly { readonly path: string; readonly source: string }[];
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Files with secrets, which may be among what is shown. */
  readonly masked: readonly string[];
  /** Copies of `movedSettings`, by their new names. */
  readonly settings: string;
  /** Further folders that are empty inside: the work tree for a clone, the user's folders by variables. */
  readonly hidden: readonly string[];
  /** Sockets of programs outside. */
  readonly sockets: readonly string[];
  /** Folders of PATH. */
  readonly path: readonly string[];
  readonly network: boolean;
  /** Where /etc/resolv.conf leads. */
  readonly resolver: string | null;
  /** Null: nothing is there, or its user cannot reach it. */
  readonly kindOf: (path: string) => 'file' | 'folder' | null;
}

/** From the outside in, so that what is mounted later lies in what was mounted before. Of equal paths the first named one counts. */
export function planViews(place: BwrapPlace): readonly View[] {
  const { kindOf } = place;
  const asked = [
    ...place.gitPaths.map((path) => reads(path)),
    ...[place.top, place.io, place.cache, ...place.write].map((path) => writes(path)),
    ...place.read.map((path) => reads(path)),
  ];
  const isThere = ({ path }: View): boolean => kindOf(path) !== null;
  const empty = [
    ...hiddenFolders,
    ...place.hidden,
    ...(place.ownerHome === null ? [] : [place.ownerHome]),
  ].filter((path) => path !== '/' && kindOf(path) === 'folder');
  const { resolver } = place;
  const covers = [...empty, ...place.replaced.map(({ path }) => path)];
  const shown = [...asked, ...listToolchains(place, covers)];
  const wanted: readonly View[] = [
    ...shown.filter(isThere),
    ...listSettings(place),
    ...listProc(place),
    // Elsewhere it is seen as it is.
    ...(resolver !== null && place.network && covers.some((path) => isBelow(resolver, path))
      ? [reads(resolver)]
      : []),
    ...place.replaced.map(({ path, source }): View => ({ path, source, kind: 'write' })),
    ...empty.map((path) => hides(path, true)),
    ...place.masked
      .filter((path) => kindOf(path) !== null && isSeen(path, { shown, covers }))
      .map((path) => hides(path, kindOf(path) === 'folder')),
    ...place.sockets.filter((path) => isSeen(path, { shown, covers })).map((path) => hides(path, false)),
  ];
  const byPath = new Map(wanted.toReversed().map((view) => [view.path, view]));
  return [...byPath.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function reads(path: string, source = path): View {
  return { path, source, kind: 'read' };
}

function writes(path: string): View {
  return { path, source: path, kind: 'write' };
}

function hides(path: string, isFolder: boolean): View {
  return { path, kind: 'hidden', isFolder };
}

/** Whether what is outside at a path is seen there inside: the innermost of what shows and what covers decides. */
function isSeen(
  path: string,
  { shown, covers }: { readonly shown: readonly View[]; readonly covers: readonly string[] },
): boolean {
  const innermost = (paths: readonly string[]): number =>
    Math.max(-1, ...paths.filter((one) => isBelow(path, one)).map(({ length }) => length));
  return innermost(shown.map((view) => view.path)) >= innermost(covers);
}

/** The known folders, and folders of PATH that would be hidden. */
function listToolchains({ home, ownerHome, path }: BwrapPlace, covers: readonly string[]): readonly View[] {
  const known = [home, ...(ownerHome === null ? [] : [ownerHome])].flatMap((folder) =>
    toolchainRoots.flatMap(({ paths }) => paths.map((one) => `${folder}/${one}`)),
  );
  const isHidden = (one: string): boolean => covers.some((cover) => one !== cover && isBelow(one, cover));
  return [...known, ...path.filter((one) => isHidden(one) && !covers.includes(one))].map((one) => reads(one));
}

function listSettings({ settings, cache, kindOf }: BwrapPlace): readonly View[] {
  return movedSettings.flatMap(({ to }) =>
    kindOf(`${settings}/${to}`) === 'file' ? [reads(`${cache}/${to}`, `${settings}/${to}`)] : [],
  );
}

function listProc({ kindOf }: BwrapPlace): readonly View[] {
  const there = (names: readonly string[]): readonly string[] =>
    names.map((name) => `/proc/${name}`).filter((path) => kindOf(path) !== null);
  return [
    ...there(readOnlyProc).map((path) => reads(path)),
    ...there(hiddenProc).map((path) => hides(path, kindOf(path) === 'folder')),
  ];
}

export interface BwrapPolicy {
  readonly views: readonly View[];
  readonly network: boolean;
  /** A file without content. */
  readonly emptyFile: string;
}

/** All arguments. The environment is passed on as it is, so that no value is seen in a list of processes. */
export function bwrapArguments(
  { views, network, emptyFile }: BwrapPolicy,
  { argv, cwd }: { readonly argv: readonly string[]; readonly cwd: string },
): readonly string[] {
  return [
    ...isolation.flatMap(({ words }) => words),
    ...(network ? ['--share-net'] : []),
    ...views.flatMap((view) => renderView(view, emptyFile)),
    ...['--chdir', cwd, '--', ...argv],
  ];
}

function renderView(view: View, emptyFile: string): readonly string[] {
  if (view.kind !== 'hidden') return [view.kind === 'read' ? '--ro-bind' : '--bind', view.source, view.path];
  return view.isFolder ? ['--perms', '1777', '--tmpfs', view.path] : ['--ro-bind', emptyFile, view.path];
}

/** Variables that name places or services of the machine outside. */
const outsideNames: ReadonlySet<string> = new Set([
  ...['TMPDIR', 'TMP', 'TEMP', 'OLDPWD', '_', 'SSH_AUTH_SOCK', 'XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'],
  ...['XDG_STATE_HOME', 'XDG_DATA_HOME', 'XDG_CONFIG_HOME', 'DOCKER_HOST', 'DISPLAY', 'WAYLAND_DISPLAY'],
]);

/** `given`: what the session would have outside. */
export function bwrapEnvironment(
  given: Readonly<Record<string, string>>,
  { home, io, cache, kindOf }: Pick<BwrapPlace, 'home' | 'io' | 'cache' | 'kindOf'>,
): Record<string, string> {
  const kept = Object.entries(given).filter(([name]) => !outsideNames.has(name));
  const caches = cacheVariables.map(({ name, folder, before = '' }) => {
    const earlier = before === '' || given[name] === undefined ? '' : `${given[name]} `;
    return [name, `${earlier}${before}${cache}/${folder}`];
  });
  const found = Object.entries(readVariables).flatMap(([name, path]) =>
    given[name] === undefined && kindOf(`${home}/${path}`) === 'folder' ? [[name, `${home}/${path}`]] : [],
  );
  return Object.fromEntries([...kept, ...caches, ...found, ['TMPDIR', `${io}/tmp`]]) as Record<
    string,
    string
  >;
}

/** Why the program did not start, by what bubblewrap printed last; null: it did. */
export function findBwrapError(exitCode: number | null, printed: string): string | null {
  if (exitCode !== 1) return null;
  const [, said = null] = /(?:^|\n)bwrap: ([^\n]*)$/u.exec(printed.trimEnd()) ?? [];
  return said;
}

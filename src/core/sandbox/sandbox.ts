/**
 * What a program of a session may reach (§13.8), and docker's command line that keeps it; bubblewrap's is in bwrap.ts. Decides nothing
 * about the machine: whether an engine is there is for adapters to find out.
 */
import type { Config } from '../types.ts';

/** The resolved kind; the settings may leave it open ("auto"). */
export type SandboxKind = Exclude<Config['sandbox']['kind'], 'auto'>;

/** Who runs in it. */
export type SandboxRole = 'agent' | 'review' | 'setup' | 'guard';

export interface Mount {
  /** Where it is inside. */
  readonly path: string;
  /** Where it comes from; in most cases the same path. */
  readonly source: string;
  readonly isWritable: boolean;
}

/** Paths of a session, each absolute. */
export interface SandboxPlace {
  /** Top of the work tree, or of the judge's clone. */
  readonly top: string;
  /** Git folders, and the file that leads there: read, never written. */
  readonly gitPaths: readonly string[];
  /** Where answer and schema are. */
  readonly folder: string;
  /** Mounted in place of the user's home, and of folders with a login. */
  readonly replaced: readonly { readonly path: string; readonly source: string }[];
  readonly read: readonly string[];
  readonly write: readonly string[];
}

/** From the outside in, so that what is mounted later lies in what was mounted before. Of equal paths the first named one counts. */
export function planMounts(place: SandboxPlace): readonly Mount[] {
  const same = (path: string, isWritable: boolean): Mount => ({ path, source: path, isWritable });
  const wanted: readonly Mount[] = [
    ...place.gitPaths.map((path) => same(path, false)),
    ...[place.top, place.folder, ...place.write].map((path) => same(path, true)),
    ...place.read.map((path) => same(path, false)),
    ...place.replaced.map(({ path, source }) => ({ path, source, isWritable: true })),
  ];
  const byPath = new Map(wanted.toReversed().map((mount) => [mount.path, mount]));
  return [...byPath.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Whether a path is the folder or below it. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

export interface SandboxPolicy {
  readonly image: string;
  /** `uid:gid` of the owner of the work tree. */
  readonly user: string;
  readonly network: boolean;
  readonly memoryMb: number;
  readonly processesMax: number;
  readonly mounts: readonly Mount[];
}

/** Setup fetches what the check needs, so it has the agent's network. */
export function networkOf({ sandbox }: Pick<Config, 'sandbox'>, role: SandboxRole): boolean {
  return role === 'guard' ? (sandbox.guard_network ?? true) : sandbox.network;
}

export function isContained({ sandbox: { kind } }: Pick<Config, 'sandbox'>): boolean {
  return kind === 'bwrap' || kind === 'docker';
}

/** The guard may be left outside, where it is green. */
export function isInside(config: Pick<Config, 'sandbox'>, role: SandboxRole): boolean {
  return isContained(config) && (role !== 'guard' || config.sandbox.guard !== false);
}

/** Whether nothing that a session wrote runs where the git folder can be written: all programs are inside, and no hook runs. */
export function isWalledOff(config: Pick<Config, 'sandbox' | 'git'>): boolean {
  return isInside(config, 'guard') && !config.git.run_hooks;
}

/** A program that runs inside. */
export interface InnerProgram {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** By name, so that no value is seen in a list of processes. */
  readonly variables: readonly string[];
  readonly path: string;
  /** The container's, by which it is ended. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly hasInput: boolean;
}

const scratchOptions = 'rw,exec,nosuid,nodev,mode=1777';

/** Arguments of docker. Everything that is not mounted is the image's and read-only. */
export function dockerArguments(policy: SandboxPolicy, program: InnerProgram): readonly string[] {
  const [first = '', ...args] = program.argv;
  return [
    ...['run', '--rm', '--init', '--pull', 'never', '--name', program.name],
    ...Object.entries(program.labels).flatMap(([name, value]) => ['--label', `${name}=${value}`]),
    ...['--user', policy.user, '--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
    ...['--memory', `${policy.memoryMb}m`, '--pids-limit', String(policy.processesMax)],
    ...(policy.network ? [] : ['--network', 'none']),
    ...['/tmp', '/var/tmp', '/run'].flatMap((path) => ['--tmpfs', `${path}:${scratchOptions}`]),
    ...policy.mounts.flatMap((mount) => ['--mount', renderMount(mount)]),
    ...['--workdir', program.cwd],
    ...(program.hasInput ? ['--interactive'] : []),
    ...program.variables.flatMap((name) => ['--env', name]),
    ...['--env', `PATH=${program.path}`, '--entrypoint', first, policy.image, ...args],
  ];
}

/** One line of CSV, as docker reads it. */
function renderMount({ source, path, isWritable }: Mount): string {
  const fields = ['type=bind', `source=${source}`, `target=${path}`, ...(isWritable ? [] : ['readonly'])];
  return fields.map((field) => (/[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(',');
}

/** Variables that name places or services of the machine outside. */
const outsideNames: ReadonlySet<string> = new Set([
  ...[
    'PATH',
    'TMPDIR',
    'TMP',
    'TEMP',
    'SHELL',
    'HOSTNAME',
    'OLDPWD',
    '_',
    'SSH_AUTH_SOCK',
    'XDG_RUNTIME_DIR',
  ],
  'DBUS_SESSION_BUS_ADDRESS',
]);

/** Names that pass to the inside, sorted. */
export function listInside(names: readonly string[]): readonly string[] {
  return names.filter((name) => !outsideNames.has(name) && !name.startsWith('DOCKER_')).toSorted();
}

/** What the command line of the engine itself needs of the user's environment. */
export function isEngineVariable(name: string): boolean {
  return (
    name.startsWith('DOCKER_') ||
    ['PATH', 'HOME', 'XDG_RUNTIME_DIR', 'XDG_CONFIG_HOME', 'SSH_AUTH_SOCK'].includes(name)
  );
}

const usualPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** PATH inside: folders of the user's that are there inside, then the image's own. `imageEnv`: the image's variables, or null. */
export function pathInside(
  userPath: string,
  { mounts, imageEnv }: { readonly mounts: readonly Mount[]; readonly imageEnv: readonly string[] | null },
): string {
  const there = mounts.filter(({ path, source }) => path === source);
  const kept = userPath.split(':').filter((folder) => there.some(({ path }) => isBelow(folder, path)));
  const own = imageEnv?.find((entry) => entry.startsWith('PATH='))?.slice('PATH='.length);
  return [...kept, own ?? usualPath].join(':');
}

/** Exit codes of docker for "it did not start", which a program may have, too. */
const startFailures: ReadonlySet<number> = new Set([125, 126, 127]);

/** Why the program did not start, by what docker or its init printed last; null: it did. */
export function findStartError(exitCode: number | null, printed: string): string | null {
  if (exitCode === null || !startFailures.has(exitCode)) return null;
  const line = printed.split('\n').findLast((text) => /^(?:docker: |\[FATAL tini )/.test(text));
  return line?.replace(/^docker: (?:Error response from daemon: )?/, '').trim() ?? null;
}

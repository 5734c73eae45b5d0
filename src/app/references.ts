/**
 * Loads the references of the guard's own files (§14): those of the run state, moved where a person changed one of the files. Reads
 * only git and the journal, never what a session may have touched. A session's commits are always below ours, so what is above our
 * newest commit is a person's.
 */
import type { JournalBase } from '../core/agents/session.ts';
import { globMatcher } from '../core/guard/glob-matcher.ts';
import { guardFiles } from '../core/guard/guard-files.ts';
import type { KnownFile } from '../core/guard/guard-files.ts';
import {
  changedReferences,
  guardSettings,
  laidFiles,
  scriptTexts,
  standingReferences,
} from '../core/guard/ratchet.ts';
import type { TreeFile, Versions } from '../core/guard/ratchet.ts';
import type { Ratchet, RatchetFile } from '../core/types.ts';
import type { Ports } from '../ports/ports.ts';
import type { EndedSession, Ground } from './iteration.ts';

type Look = (paths: readonly string[]) => Promise<readonly TreeFile[]>;

/** The same, loaded once for an iteration. */
export async function referencesOf(
  ports: Ports,
  { references, ...ground }: Pick<EndedSession, 'journal' | 'own' | 'references'>,
): Promise<Ratchet> {
  return references ?? loadReferences(ports, ground);
}

/** As they count for work on B: the bootstrap commit's, the last pass's, or a person's later one. */
export async function loadReferences(
  ports: Ports,
  ground: Pick<Ground, 'journal' | 'own'>,
): Promise<Ratchet> {
  const { journal } = ground;
  const { run_id, iter, baseline, run_state } = journal;
  const guardSha256 = ports.hasher.sha256(guardSettings(journal.config));
  const own = ground.own ?? (await ports.git.findOwnCommit({ run_id, iter, at: baseline })) ?? baseline;
  const touched = new Set(own === baseline ? [] : await ports.git.changedPaths({ from: own, to: baseline }));
  const known = run_state.ratchet;
  const standing = standingReferences(known, { guardSha256, touched });
  if (standing !== null) return standing;

  // A file without a reference counts as it is at B: a person changed the settings or the guard, and had it before them.
  const source = known === null ? own : baseline;
  const held = new Map(known?.files.map((file) => [file.path, file]));
  const look: Look = async (paths) => {
    const kept = paths.filter((path) => held.has(path) && !touched.has(path));
    const persons = paths.filter((path) => touched.has(path));
    const others = paths.filter((path) => !held.has(path) && !touched.has(path));
    return [
      ...kept.flatMap((path) => filesOf(held.get(path))),
      ...(await ports.git.listTreeFiles({ tree: baseline, paths: persons })),
      ...(await ports.git.listTreeFiles({ tree: source, paths: others })),
    ];
  };
  const isSame = known?.guard_sha256 === guardSha256;
  const listed = async (): Promise<readonly string[]> =>
    isSame ? [...held.keys(), ...touched] : [...(await listAll(ports, source)), ...touched];
  return { guard_sha256: guardSha256, files: await findFiles(ports, journal, { look, listed }) };
}

/** As a pass leaves them: every file in the version that passed. `changed` knows some of the files of the tree. */
export async function loadPassed(
  ports: Ports,
  journal: JournalBase,
  { tree, looked, present }: ChangedReferences,
): Promise<Ratchet> {
  const look: Look = async (paths) => [
    ...paths.flatMap((path) => present.get(path) ?? []),
    ...(await ports.git.listTreeFiles({ tree, paths: paths.filter((path) => !looked.has(path)) })),
  ];
  const files = await findFiles(ports, journal, { look, listed: () => listAll(ports, tree) });
  return { guard_sha256: ports.hasher.sha256(guardSettings(journal.config)), files };
}

function filesOf(file: RatchetFile | undefined): readonly TreeFile[] {
  if (file === undefined || file.oid === null || file.mode === null) return [];
  return [{ path: file.path, mode: file.mode, oid: file.oid }];
}

async function listAll(ports: Ports, tree: string): Promise<readonly string[]> {
  return (await ports.git.listTreeFiles({ tree, paths: null })).map(({ path }) => path);
}

interface Source {
  readonly look: Look;
  /** Every path that `guard.protect` could match. */
  readonly listed: () => Promise<readonly string[]>;
}

async function findFiles(
  ports: Ports,
  { config, prefix }: JournalBase,
  { look, listed }: Source,
): Promise<readonly RatchetFile[]> {
  const { protect: globs, command } = config.guard;
  if (globs !== null) {
    const paths = [...new Set(await listed())].filter(globMatcher({ globs, prefix }));
    const found = await look(paths.filter((path) => !path.startsWith(`${prefix}.runner/`)));
    return sorted(found.map((file) => ({ ...file, scripts: null })));
  }
  const known = new Map<string, KnownFile | null>();
  const entries = new Map<string, TreeFile>();
  for (;;) {
    const { files, absent, unread } = guardFiles({ command, prefix, known });
    if (unread.length === 0) {
      const found = files.flatMap(({ path, scripts }) => {
        const entry = entries.get(path);
        return entry === undefined ? [] : [{ ...entry, scripts }];
      });
      return sorted([...found, ...absent.map((path) => ({ path, mode: null, oid: null, scripts: null }))]);
    }
    for (const path of unread) known.set(path, null);
    const read = await look(unread.filter((path) => path !== ''));
    const texts = await ports.git.loadBlobTexts(read.map(({ oid }) => oid));
    for (const entry of read) {
      const text = texts.get(entry.oid) ?? '';
      entries.set(entry.path, entry);
      known.set(
        entry.path,
        entry.mode === '120000' ? { kind: 'link', target: text } : { kind: 'text', text },
      );
    }
  }
}

/** In the order and with the keys that the run state has. */
function sorted(files: readonly RatchetFile[]): readonly RatchetFile[] {
  return files
    .map(({ path, mode, oid, scripts }) => ({ path, mode, oid, scripts }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

export interface ChangedReferences extends Versions {
  readonly tree: string;
  /** Paths that were looked for in the tree. */
  readonly looked: ReadonlySet<string>;
  readonly paths: readonly string[];
}

/** The references that a tree of the work differs from, with everything needed to lay them over it. */
export async function findChanged(ports: Ports, ratchet: Ratchet, tree: string): Promise<ChangedReferences> {
  const looked = new Set(ratchet.files.map(({ path }) => path));
  const files = await ports.git.listTreeFiles({ tree, paths: [...looked] });
  const present = new Map(files.map((file) => [file.path, file]));
  const texts = await ports.git.loadBlobTexts(scriptTexts({ references: ratchet.files, present }));
  const references = changedReferences({ references: ratchet.files, present, texts });
  return { tree, looked, references, present, texts, paths: references.map(({ path }) => path) };
}

/** `guard.policy = "protect"`: after a session. Returns the paths that were put back. */
export async function putReferencesBack(
  ports: Ports,
  ground: Ground,
  now: string,
): Promise<readonly string[]> {
  const { journal } = ground;
  if (journal.config.guard.policy !== 'protect') return [];
  const changed = await findChanged(ports, await loadReferences(ports, ground), now);
  if (changed.paths.length === 0) return [];
  const tree = await ports.git.makeLaidTree({ tree: now, files: laidFiles(changed) });
  const { run_id, iter } = journal;
  await ports.controlFiles.keep({ run_id, iter, paths: changed.paths });
  await ports.git.restorePaths({ commit: tree ?? journal.baseline, paths: changed.paths });
  return changed.paths;
}

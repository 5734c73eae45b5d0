/**
 * Decides which of the guard's own files have changed against their references, and what laying the references over the work means
 * (§14). Versions of files are git's blob ids and modes; nothing is read here.
 */
import type { GuardRun } from '../agents/session.ts';
import { isSameScripts, layScripts } from './package-scripts.ts';
import type { Config, Ratchet, RatchetFile } from '../types.ts';

/** A file of a tree. */
export interface TreeFile {
  readonly path: string;
  readonly mode: string;
  readonly oid: string;
}

/** What a file becomes: a blob that git has, a text, or nothing. */
export type LaidFile =
  | TreeFile
  | { readonly path: string; readonly mode: string; readonly text: string }
  | { readonly path: string; readonly mode: null };

export interface Versions {
  readonly references: readonly RatchetFile[];
  /** The same paths in the work; one that is missing here is not there. */
  readonly present: ReadonlyMap<string, TreeFile>;
  /** Texts of package.json files by blob id. */
  readonly texts: ReadonlyMap<string, string>;
}

/** The settings that decide which files are the guard's: with others they are looked for again. */
export function guardSettings({ guard }: Config): string {
  return JSON.stringify([guard.command, guard.protect]);
}

/** The references of a run while they are valid; null: settings changed, or a person changed one of the files. */
export function standingReferences(
  ratchet: Ratchet | null,
  { guardSha256, touched }: { readonly guardSha256: string; readonly touched: ReadonlySet<string> },
): Ratchet | null {
  if (ratchet?.guard_sha256 !== guardSha256) return null;
  return ratchet.files.some(({ path }) => touched.has(path)) ? null : ratchet;
}

/** Blob ids of package.json files whose texts must be compared. */
export function scriptTexts({ references, present }: Omit<Versions, 'texts'>): readonly string[] {
  return references
    .filter((file) => file.scripts !== null && !isSameVersion(file, present.get(file.path)))
    .flatMap(({ path, oid }) => [oid, present.get(path)?.oid])
    .filter((oid) => oid !== null && oid !== undefined);
}

function isSameVersion({ oid, mode }: RatchetFile, now: TreeFile | undefined): boolean {
  return oid === now?.oid && mode === now.mode;
}

/** The references that the work differs from. Deleting a file is a change; so is making one where there must be none. */
export function changedReferences({ references, present, texts }: Versions): readonly RatchetFile[] {
  return references.filter((reference) => {
    const { path, oid, scripts } = reference;
    const now = present.get(path);
    if (oid === null || now === undefined) return oid !== null || now !== undefined;
    if (isSameVersion(reference, now)) return false;
    const [before, after] = [texts.get(oid), texts.get(now.oid)];
    if (scripts === null || before === undefined || after === undefined) return true;
    return !isSameScripts({ reference: before, present: after, names: scripts });
  });
}

/** What these paths become when the references are laid over the work. */
export function laidFiles({ references, present, texts }: Versions): readonly LaidFile[] {
  return references.map(({ path, mode, oid, scripts }): LaidFile => {
    if (oid === null || mode === null) return { path, mode: null };
    const now = present.get(path);
    const [before, after] = [texts.get(oid), now === undefined ? undefined : texts.get(now.oid)];
    if (scripts === null || now === undefined || before === undefined || after === undefined)
      return { path, mode, oid };
    return { path, mode: now.mode, text: layScripts({ reference: before, present: after, names: scripts }) };
  });
}

/** The guard's verdict with what it said on the references: they can only take a pass away. */
export function withRatchet(guard: GuardRun, run: GuardRun, paths: readonly string[]): GuardRun {
  const { end } = run;
  if (end.kind === 'passed' || end.kind === 'interrupted') return { ...guard, end };
  const why = end.kind === 'out_of_time' ? `out of time after ${end.seconds} s` : '';
  const how = 'reason' in end ? end.reason : why;
  const reason = `the check is green, but red with the check's files as they were before: ${paths.join(', ')} (${how})`;
  return { ...guard, end: { kind: 'failed', reason, by: 'ratchet' }, output: run.output };
}

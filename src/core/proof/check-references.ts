/**
 * Checks the references of the guard's own files in the run state (§14, §15): they stay, move with a pass to the files that passed, or
 * come from what a person committed. Which files are the guard's own is not derived again.
 */
import { guardSettings, standingReferences } from '../guard/ratchet.ts';
import type { Ratchet, RatchetFile } from '../types.ts';
import type { ReadIteration } from './check-iteration.ts';
import { differ, first, problem } from './problem.ts';
import type { Entries, Problem } from './transition.ts';

const rule = 'run_state.ratchet';

export function checkReferences(read: ReadIteration): Problem | null {
  const { state, facts } = read;
  const after = state.after.ratchet;
  const old = state.before.ratchet?.files ?? [];
  const standing = standingOf(read);
  return first(
    () => differ(`${rule}.guard_sha256`, guardHash(read), after?.guard_sha256 ?? null),
    () => {
      if (moves(read)) return checkEach(after, (file) => isAt(facts.entries.after, file));
      if (standing !== null) return differ(rule, standing, after);
      return checkEach(
        after,
        (file) =>
          old.some((one) => one.path === file.path && isSameVersion(one, file)) ||
          isAt(facts.entries.base, file),
      );
    },
  );
}

function guardHash({ config, sha256 }: ReadIteration): string {
  return sha256(guardSettings(config));
}

/** What is put back after every session is never taken from one. */
function moves({ transition, config }: ReadIteration): boolean {
  return transition.subject.guard === 'pass' && config.guard.policy !== 'protect';
}

function standingOf(read: ReadIteration): Ratchet | null {
  const touched = new Set(read.facts.touched);
  return standingReferences(read.state.before.ratchet, { guardSha256: guardHash(read), touched });
}

function checkEach(after: Ratchet | null, isKnown: (file: RatchetFile) => boolean): Problem | null {
  const wrong = after?.files.find((file) => !isKnown(file));
  if (wrong === undefined) return null;
  const { path, mode, oid } = wrong;
  return problem(rule, `${path} as it is in git`, `${path} ${mode ?? 'none'} ${oid ?? 'none'}`);
}

type Version = Pick<RatchetFile, 'mode' | 'oid'>;

function isSameVersion(a: Version, b: Version): boolean {
  return a.mode === b.mode && a.oid === b.oid;
}

/** With null for both: there is no such file. */
function versionAt(entries: Entries, path: string): Version {
  return entries.get(path) ?? { mode: null, oid: null };
}

function isAt(entries: Entries, file: RatchetFile): boolean {
  return isSameVersion(versionAt(entries, file.path), file);
}

/** The guard's own files that the work has in another version; null: whether there are any cannot be told. */
export function changedGuardFiles(read: ReadIteration): readonly string[] | null {
  const references = moves(read) ? standingOf(read) : read.state.after.ratchet;
  if (references === null) return changedAnew(read);
  const changed = references.files.filter((file) => !isAt(read.facts.entries.after, file));
  // Of a package.json only some scripts count.
  return changed.some(({ scripts }) => scripts !== null) ? null : changed.map(({ path }) => path);
}

/**
 * The same for a pass whose references were looked for anew. They are not recorded, but the files that it left are: if all of those were
 * there before and differ only by this commit, one that differs was a reference, or another one that differs led to it.
 */
function changedAnew(read: ReadIteration): readonly string[] | null {
  const { outside, entries } = read.facts;
  const left = read.state.after.ratchet?.files ?? [];
  const changed = left.filter((file) => !isSameVersion(referenceAnew(read, file.path), file));
  const isTold = changed.every(
    ({ path, scripts }) =>
      scripts === null &&
      referenceAnew(read, path).mode !== null &&
      entries.base.has(path) &&
      outside.includes(path),
  );
  // A file that is gone leaves no trace here.
  return isTold && changed.length > 0 ? changed.map(({ path }) => path) : null;
}

/** What a file was held against then, if it was. */
function referenceAnew({ state, facts, config, sha256 }: ReadIteration, path: string): Version {
  const old = state.before.ratchet;
  const isTouched = facts.touched.includes(path);
  const held = isTouched ? undefined : old?.files.find((file) => file.path === path);
  if (held !== undefined) return held;
  // The same globs are matched with what was held and what a person touched, and with nothing else.
  const isLimited = config.guard.protect !== null && old?.guard_sha256 === sha256(guardSettings(config));
  return versionAt(isLimited && !isTouched ? new Map() : facts.entries.base, path);
}

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
        (file) => old.some((one) => isSameFile(one, file)) || isAt(facts.entries.base, file),
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

function isSameFile(a: RatchetFile, b: RatchetFile): boolean {
  return a.path === b.path && a.mode === b.mode && a.oid === b.oid;
}

function isAt(entries: Entries, { path, mode, oid }: RatchetFile): boolean {
  const entry = entries.get(path);
  return entry === undefined ? mode === null && oid === null : entry.mode === mode && entry.oid === oid;
}

/** The guard's own files that the work has in another version; null: the references it was held against are not all known. */
export function changedGuardFiles(read: ReadIteration): readonly string[] | null {
  const references = moves(read) ? standingOf(read) : read.state.after.ratchet;
  if (references === null) return null;
  const changed = references.files.filter((file) => !isAt(read.facts.entries.after, file));
  // Of a package.json only some scripts count.
  return changed.some(({ scripts }) => scripts !== null) ? null : changed.map(({ path }) => path);
}

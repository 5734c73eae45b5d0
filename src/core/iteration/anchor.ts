/**
 * What the runner remembers of an open iteration where a session cannot forge it (§7, §14). The journal, which lies in the git
 * folder, is believed only as far as it agrees; it decides nothing itself.
 */
import * as z from 'zod';
import { isWalledOff } from '../sandbox/sandbox.ts';
import type { AnyJournal, JournalEntry } from '../agents/session.ts';
import { parseStrictJson } from '../text/strict-json.ts';

const phases = ['agent', 'ended', 'guard', 'review', 'persisting'] as const;

const schema = z.strictObject({
  run_id: z.string().min(1),
  iter: z.int().min(1),
  branch: z.string().min(1),
  baseline: z.string().min(1),
  prefix: z.string(),
  cookie: z.string().min(1),
  dirty_submodules_before: z.array(z.string()),
  phase: z.enum(phases),
  /** The commit whose runner-owned files count; null before that is decided. */
  control: z.string().nullable(),
  /** Whether its session could not write the git folder. One that the version before left does not say. */
  is_walled_off: z.boolean().default(false),
});

export type Anchor = Readonly<z.infer<typeof schema>>;

export function anchorOf(entry: JournalEntry): Anchor {
  const { run_id, iter, branch, baseline, prefix, cookie, dirty_submodules_before, phase } = entry;
  const control = entry.phase === 'persisting' ? entry.control : null;
  return {
    run_id,
    iter,
    branch,
    baseline,
    prefix,
    cookie,
    dirty_submodules_before: [...dirty_submodules_before],
    phase,
    control,
    is_walled_off: isWalledOff(entry.config),
  };
}

export function renderAnchor(anchor: Anchor): string {
  return `${JSON.stringify(anchor)}\n`;
}

/** Null: not one of ours. */
export function parseAnchor(text: string): Anchor | null {
  const json = parseStrictJson(text);
  const parsed = schema.safeParse(json.ok ? json.value : null);
  return parsed.success ? parsed.data : null;
}

/** What of the journal does not agree; empty: it may be used. It is written after the anchor, so a crash may leave it behind. */
export function findDisagreement(anchor: Anchor, entry: AnyJournal): readonly string[] {
  if (entry.kind !== 'iteration') return [`it speaks of a ${entry.kind}, but an iteration is open`];
  const told = anchorOf(entry);
  const keys = ['run_id', 'iter', 'branch', 'baseline', 'prefix', 'cookie'] as const;
  const wrong: string[] = keys.filter((key) => told[key] !== anchor[key]);
  if (told.dirty_submodules_before.join('\0') !== anchor.dirty_submodules_before.join('\0'))
    wrong.push('dirty_submodules_before');

  if (phases.indexOf(told.phase) > phases.indexOf(anchor.phase)) wrong.push('phase');
  if (told.control !== null && told.control !== anchor.control) wrong.push('control');
  return wrong.map((key) => `${key} is not what the runner noted`);
}

/** Whether code of an agent may have been running: what was committed then is no person's. */
export function isSessionPhase(phase: JournalEntry['phase']): boolean {
  return phase === 'agent' || phase === 'guard' || phase === 'review';
}

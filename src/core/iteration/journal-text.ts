/** Renders a journal entry, and the one part of it that may be stored elsewhere. journal.ts decides which entries are readable. */
import type { AnyJournal, JournalBase } from '../agents/session.ts';
import type { SourceText } from '../types.ts';

/** One line of the journal, without its end. */
export function renderJournal(file: { readonly stash: string | null; readonly entry: AnyJournal }): string {
  return JSON.stringify({ stash: file.stash, entry: file.entry });
}

export interface JournalLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

/** Whole lines of a journal, the newest first: a line without its end was never finished, and what it announces never done. */
export function journalLines(text: string): readonly JournalLine[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line, at) => ({ number: at + 1, text: line }))
    .filter((line) => line.text !== '')
    .toReversed();
}

/** What the agent left at tree.json, where the entry has it. */
export function agentTreeOf(entry: AnyJournal): SourceText | null {
  return 'session' in entry ? entry.session.agent_tree : null;
}

export function withAgentTree(entry: AnyJournal, agent_tree: SourceText): AnyJournal {
  return 'session' in entry ? { ...entry, session: { ...entry.session, agent_tree } } : entry;
}

const baseKeys = [
  'version',
  'kind',
  'run_id',
  'iter',
  'node_id',
  'node_path',
  'purpose',
  'branch',
  'baseline',
  'baseline_tree',
  'prefix',
  'cookie',
  'config',
  'run_state',
  'agent',
  'started_at',
  'prompt_sha256',
  'task_sha256',
  'prompt_cut',
  'dirty_submodules_before',
] as const satisfies readonly (keyof JournalBase)[];

/** The fields that all phases share; the next phase must not inherit the others. */
export function baseOf(entry: JournalBase): JournalBase {
  return Object.fromEntries(baseKeys.map((key) => [key, entry[key]])) as unknown as JournalBase;
}

/** A journal entry as text, and the one part of it that may be kept elsewhere. What a readable entry is stands in journal.ts. */
import type { AnyJournal } from './session.ts';
import type { SourceText } from './types.ts';

export function renderJournal(file: { readonly stash: string | null; readonly entry: AnyJournal }): string {
  return `${JSON.stringify({ stash: file.stash, entry: file.entry }, null, 2)}\n`;
}

/** What the agent left at tree.json, where the entry has it. */
export function agentTreeOf(entry: AnyJournal): SourceText | null {
  return 'session' in entry ? entry.session.agent_tree : null;
}

export function withAgentTree(entry: AnyJournal, agent_tree: SourceText): AnyJournal {
  return 'session' in entry ? { ...entry, session: { ...entry.session, agent_tree } } : entry;
}

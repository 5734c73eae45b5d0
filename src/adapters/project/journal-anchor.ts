/** Keeps the anchor of the open iteration out of a session's reach (§7). Core decides what it says and whether a journal agrees. */
import type { AnyJournal } from '../../core/agents/session.ts';
import { anchorOf, parseAnchor, renderAnchor } from '../../core/iteration/anchor.ts';
import type { Anchor } from '../../core/iteration/anchor.ts';
import { trustedFile } from './trusted-file.ts';
import type { TrustedPlace } from './trusted-file.ts';

export interface JournalAnchor {
  load(): Promise<Anchor | null>;
  /** Durable; only iterations have one. */
  save(entry: AnyJournal): Promise<void>;
  remove(): Promise<void>;
}

export function journalAnchor(place: TrustedPlace): JournalAnchor {
  const file = trustedFile(place, 'iteration.json');
  return {
    load: async () => {
      const text = await file.load();
      return text === null ? null : parseAnchor(text);
    },
    save: async (entry) => {
      if (entry.kind === 'iteration') await file.save(renderAnchor(anchorOf(entry)));
    },
    remove: () => file.remove(),
  };
}

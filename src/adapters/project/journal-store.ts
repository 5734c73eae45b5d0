/**
 * The journal in the git folder (§7): one line per entry, the newest counts; empty between iterations. A large agent tree is
 * stored beside it once, named by its hash, so that not every entry has to carry megabytes.
 */
import { isUtf8 } from 'node:buffer';
import { agentTreeOf, renderJournal, withAgentTree } from '../../core/iteration/journal-text.ts';
import { RunnerError } from '../../core/errors.ts';
import { logDiskBytesMax } from '../../core/limits.ts';
import type { AnyJournal } from '../../core/agents/session.ts';
import type { Anchor } from '../../core/iteration/anchor.ts';
import type { JournalResult } from '../../core/iteration/journal.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import { withPath } from '../../core/text/text-place.ts';
import type { Journal } from '../../ports/stores.ts';
import type * as Lines from '../files/append-line.ts';
import { loadBytes, moveAside } from '../files/files.ts';
import type { SourceBytes } from '../files/files.ts';
import type { JournalAnchor } from './journal-anchor.ts';
import type { JournalStash } from './journal-stash.ts';
import type { PrivateLayout } from '../files/layout.ts';
import type { TrustedPlace } from './trusted-file.ts';

/** Above this a tree is stashed. */
const inlineBytesMax = 32 * 1024;

export interface JournalPlace {
  readonly own: PrivateLayout;
  readonly env: TrustedPlace['env'];
}

export function journalStore({ own: place, env }: JournalPlace): Journal {
  const below = { root: place.gitDir };

  /** Loaded with the first write, like all that writes: commands that only look need none of it. */
  let stashes: JournalStash | null = null;
  const openStash = async (): Promise<JournalStash> =>
    (stashes ??= (await import('./journal-stash.ts')).journalStash(place));
  let lines: Promise<typeof Lines> | null = null;
  const openLines = (): Promise<typeof Lines> => (lines ??= import('../files/append-line.ts'));
  let anchors: JournalAnchor | null = null;
  const openAnchor = async (): Promise<JournalAnchor> =>
    (anchors ??= (await import('./journal-anchor.ts')).journalAnchor({ env, gitDir: place.gitDir }));
  const withStash = async ({ entry, stash }: Extract<JournalResult, { ok: true }>): Promise<AnyJournal> =>
    stash === null ? entry : withAgentTree(entry, await (await openStash()).load(stash));
  const readJournal = (): Promise<SourceBytes> =>
    loadBytes(place.journal, { ...below, bytesMax: logDiskBytesMax });

  return {
    load: async () => {
      const parsed = await parseSource(await readJournal());
      if (parsed === null) return null;

      if (!parsed.ok) throw unreadable(place.journal, parsed.problems);

      return withStash(parsed);
    },
    peek: async () => {
      const parsed = await parseSource(await readJournal());
      return parsed?.ok === true ? parsed.entry : null;
    },
    recall: async () => {
      const anchor = await (await openAnchor()).load();
      const parsed = await parseSource(await readJournal());
      if (parsed === null) {
        return anchor === null
          ? { kind: 'none' }
          : { kind: 'lost', anchor, problems: ['it is empty or gone'] };
      }

      const problems = await findProblems(parsed, anchor);
      return parsed.ok && problems.length === 0
        ? { kind: 'entry', entry: await withStash(parsed), anchor }
        : { kind: 'lost', anchor, problems };
    },
    setAside: () => moveAside({ from: place.journal, toDir: place.quarantine('journal'), ...below }),
    save: async (entry) => {
      // First the anchor: a journal that is ahead of it was not written by us.
      await (await openAnchor()).save(entry);
      const tree = agentTreeOf(entry);
      const isLarge = tree?.kind === 'text' && Buffer.byteLength(tree.text) > inlineBytesMax;
      const file = isLarge
        ? {
            stash: await (await openStash()).save(tree.text),
            entry: withAgentTree(entry, { kind: 'missing' }),
          }
        : { stash: null, entry };
      const { appendLine } = await openLines();
      await appendLine(place.journal, renderJournal(file), below);
      if (file.stash === null) await (await openStash()).drop();
    },
    close: async () => {
      // First the anchor: without one the journal is believed, without a journal the anchor speaks of a loss.
      await (await openAnchor()).remove();
      const { clearLines } = await openLines();
      await clearLines(place.journal);
      await (await openStash()).drop();
    },
  };
}

async function findProblems(parsed: JournalResult, anchor: Anchor | null): Promise<readonly string[]> {
  if (!parsed.ok) return parsed.problems;
  if (anchor === null) return [];

  const { findDisagreement } = await import('../../core/iteration/anchor.ts');
  return findDisagreement(anchor, parsed.entry);
}

/** Null: no entry is open. The reader is loaded where it is needed: mostly there is nothing to read. */
async function parseSource(source: SourceBytes): Promise<JournalResult | null> {
  if (source.kind === 'missing' || (source.kind === 'bytes' && source.bytes.length === 0)) return null;

  if (source.kind !== 'bytes') return { ok: false, problems: ['it cannot be read'] };

  const { parseJournal } = await import('../../core/iteration/journal.ts');
  return parseJournal(decodeLines(source.bytes));
}

/** A line that ends within a character was cut off; it must not take the others with it. */
function decodeLines(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');

  const lines = bytes.toString('latin1').split('\n');
  return lines.map((line) => decodeLine(Buffer.from(line, 'latin1'))).join('\n');
}

function decodeLine(bytes: Buffer): string {
  // What replaces it is no JSON.
  return isUtf8(bytes) ? bytes.toString('utf8') : '\u{fffd}';
}

function unreadable(path: string, problems: readonly string[]): RunnerError {
  return new RunnerError({
    code: 'INTERNAL',
    message: `the journal of the unfinished iteration cannot be used: ${path}`,
    details: problems.map((problem) => withPath(path, problem)),
    hint: `keep your work as it is and set the journal aside: mv ${shellWord(path)} ${shellWord(`${path}.bad`)}`,
  });
}

/**
 * The journal in the git folder (§7): one line an entry, of which the newest counts; empty between iterations. A large agent tree is
 * kept beside it once, named by its hash, so that not every entry has to carry megabytes.
 */
import { agentTreeOf, renderJournal, withAgentTree } from '../core/journal-text.ts';
import { RunnerError } from '../core/errors.ts';
import { logDiskBytesMax, treeBytesMax } from '../core/limits.ts';
import type { JournalResult } from '../core/journal.ts';
import { withPath } from '../core/text-place.ts';
import type { SourceText } from '../core/types.ts';
import type { Journal } from '../ports/stores.ts';
import { appendLine, clearLines } from './append-line.ts';
import { shellWord } from './disk-error.ts';
import { listDir, readText, removeFile, saveFile } from './files.ts';
import type { PrivateLayout } from './layout.ts';
import { stampFile } from './look-at.ts';

/** Above this a tree is stashed. */
const inlineBytesMax = 32 * 1024;

export function journalStore(place: PrivateLayout): Journal {
  const below = { root: place.gitDir };

  /** What this process stashed last, and the file as it was then. */
  let kept: { readonly text: string; readonly sha256: string; readonly mark: string } | null = null;

  async function saveStash(text: string): Promise<string> {
    if (kept?.text === text && kept.mark === stampFile(place.stash(kept.sha256))) {
      return kept.sha256;
    }
    const sha256 = await hashOf(text);
    const stashed = await loadStash(sha256);
    if (stashed.kind !== 'text') {
      await saveFile(place.stash(sha256), text, below);
    }
    kept = { text, sha256, mark: stampFile(place.stash(sha256)) };
    return sha256;
  }

  async function loadStash(sha256: string): Promise<SourceText> {
    const path = place.stash(sha256);
    const source = await readText(path, { ...below, bytesMax: treeBytesMax });
    if (source.kind === 'text' && (await hashOf(source.text)) === sha256) {
      return source;
    }
    return { kind: 'unreadable', message: `the kept copy ${path} is missing or damaged` };
  }

  const readJournal = (): Promise<SourceText> =>
    readText(place.journal, { ...below, bytesMax: logDiskBytesMax });

  return {
    load: async () => {
      const parsed = await parseSource(await readJournal());
      if (parsed === null) {
        return null;
      }
      if (!parsed.ok) {
        throw unreadable(place.journal, parsed.problems);
      }
      const { entry, stash } = parsed;
      return stash === null ? entry : withAgentTree(entry, await loadStash(stash));
    },
    peek: async () => {
      const parsed = await parseSource(await readJournal());
      return parsed?.ok === true ? parsed.entry : null;
    },
    save: async (entry, { isFollowed = false } = {}) => {
      const tree = agentTreeOf(entry);
      const isLarge = tree?.kind === 'text' && Buffer.byteLength(tree.text) > inlineBytesMax;
      const file = isLarge
        ? { stash: await saveStash(tree.text), entry: withAgentTree(entry, { kind: 'missing' }) }
        : { stash: null, entry };
      await appendLine(place.journal, renderJournal(file), { ...below, isDurable: !isFollowed });
    },
    close: async ({ isRecorded = false } = {}) => {
      kept = null;
      await clearLines(place.journal, { ...below, isDurable: !isRecorded });
      for (const { name } of await listDir(place.stashDir)) {
        await removeFile(place.stash(name), { ...below, isDurable: false });
      }
    },
  };
}

/** Null: no entry is open. The reader is loaded where it is needed: mostly there is nothing to read. */
async function parseSource(source: SourceText): Promise<JournalResult | null> {
  if (source.kind === 'missing' || (source.kind === 'text' && source.text === '')) {
    return null;
  }
  const { parseJournal } = await import('../core/journal.ts');
  return source.kind === 'text' ? parseJournal(source.text) : { ok: false, problems: ['it cannot be read'] };
}

/** Loaded where it is needed: commands that only look find no large tree. */
async function hashOf(text: string): Promise<string> {
  const { createHash } = await import('node:crypto');
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

function unreadable(path: string, problems: readonly string[]): RunnerError {
  return new RunnerError({
    code: 'INTERNAL',
    message: `the journal of the unfinished iteration cannot be used: ${path}`,
    details: problems.map((problem) => withPath(path, problem)),
    hint: `keep your work as it is and set the journal aside: mv ${shellWord(path)} ${shellWord(`${path}.bad`)}`,
  });
}

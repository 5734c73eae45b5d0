/** The runner's note about itself, in the git folder of the work tree. All projects of a work tree share the file, as they share the lock. */
import { parseRunNote, renderRunNote } from '../../core/runs/run-note.ts';
import type { Redactor } from '../../core/text/redact.ts';
import { shortenMiddle } from '../../core/text/shorten.ts';
import type { RunNotes } from '../../ports/steer.ts';
import { loadText, saveFile } from '../files/files.ts';
import type { PrivateLayout } from '../files/layout.ts';

const bytesMax = 256_000;
const textBytesMax = 4096;
const detailsMax = 21;
const detailBytesMax = 1000;

export interface RunNotePlace {
  readonly own: PrivateLayout;
  /** Project folder inside the work tree, `''` or ending in `/`. */
  readonly prefix: string;
}

export function loadRunNote({ own, prefix }: RunNotePlace): RunNotes['load'] {
  return async () => {
    const source = await loadText(own.note, { root: own.gitDir, bytesMax });
    const note = source.kind === 'text' ? parseRunNote(source.text) : null;
    return note?.prefix === prefix ? note : null;
  };
}

export function runNoteFile(
  place: RunNotePlace,
  texts: { readonly redactor: () => Redactor; readonly fit: (hint: string, least: number | null) => string },
): RunNotes {
  const short = (text: string, max = textBytesMax): string =>
    shortenMiddle(texts.redactor().redact(text), max);
  return {
    load: loadRunNote(place),
    save: async (told, least) => {
      const note = { ...told, prefix: place.prefix };
      if (note.kind === 'waiting') note.reason = short(note.reason);
      if (note.kind === 'ended') {
        [note.sentence, note.hint] = [short(note.sentence), short(texts.fit(note.hint, least))];
        note.details = note.details.slice(0, detailsMax).map((line) => short(line, detailBytesMax));
      }

      const { own } = place;
      await saveFile(own.note, renderRunNote(note), { root: own.gitDir, isDurable: false });
    },
  };
}

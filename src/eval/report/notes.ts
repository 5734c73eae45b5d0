/** What a reader must know before any rate: trials that are missing, and trials the harness could not judge. Plain sentences. */
import { variantLabel } from '../cases/names.ts';
import type { EvalComparison } from './compare.ts';
import { renderCount, renderPart } from './numbers.ts';
import type { BatchReport } from './report.ts';
import { shortName } from './words.ts';

export interface Note {
  readonly text: string;
  /** Ends the sentence; null: there is nothing to be done. */
  readonly command: string | null;
  /** The same for each variant, where there are too many to read first. */
  readonly parts: readonly string[];
}

/** Each with its command; of many variants every one. */
export function noteLines(report: BatchReport): readonly string[] {
  return listNotes(report).flatMap((note) => (note.parts.length === 0 ? [noteText(note)] : note.parts));
}

export function noteText({ text, command }: Note): string {
  return command === null ? text : `${text} ${command}`;
}

export function listNotes(report: BatchReport): readonly Note[] {
  const { missing, shards, summary } = report;
  const parts = shards?.map(({ index, of }) => `${index}/${of}`).join(', ');
  return [
    ...(parts === undefined ? [] : [plainNote(`This batch covers only shard ${parts} of its plan.`)]),
    ...(missing === 0 ? [] : [incomplete(report), ...missingNote(report)]),
    ...errorNotes(summary.variants),
  ];
}

function plainNote(text: string): Note {
  return { text, command: null, parts: [] };
}

function incomplete({ batch_id, planned, missing }: BatchReport): Note {
  return {
    text: `Incomplete: ${renderPart(missing, planned)} no result. Continue with:`,
    command: `runner eval run --resume --batch ${batch_id}`,
    parts: [],
  };
}

export function incompleteNote(report: BatchReport): string {
  return noteText(incomplete(report));
}

/** More are folded. */
const notesMax = 3;

/** Of one variant the note before it says all. */
function missingNote({ left, summary }: BatchReport): readonly Note[] {
  if (summary.variants.length < 2) return [];
  const labels = left.map(({ variant }) => variantLabel(variant));
  const words = summary.variants.flatMap(({ variant }) => {
    const count = labels.filter((label) => label === variant).length;
    return count === 0 ? [] : [`${renderCount(count, 'trial')} of ${shortName(variant)}`];
  });
  if (words.length <= notesMax) return [plainNote(`Missing: ${words.join(', ')}.`)];
  const text = `Trials are missing in ${renderCount(words.length, 'variant')}.`;
  return [{ text, command: null, parts: words.map((one) => `Missing: ${one}.`) }];
}

type Erring = Pick<BatchReport['summary']['variants'][number], 'variant' | 'outcomes' | 'trials'>;

function errorNotes(variants: readonly Erring[]): readonly Note[] {
  const lines = variants.flatMap(({ variant, outcomes, trials }) =>
    errorNote(variant, outcomes.error, trials),
  );
  if (lines.length <= notesMax) return lines.map(plainNote);
  const errors = variants.reduce((sum, { outcomes }) => sum + outcomes.error, 0);
  return [
    {
      text: `${renderCount(errors, 'harness error')} in ${renderCount(lines.length, 'variant')}: not judged, and not in their rates.`,
      command: null,
      parts: lines,
    },
  ];
}

/** Of both sides, in the same words. */
export function compareNotes({ a, b }: Pick<EvalComparison, 'a' | 'b'>): readonly Note[] {
  return [a, b].flatMap(({ name, missing, outcomes, trials }) =>
    [
      ...(missing === 0
        ? []
        : [`Incomplete: ${shortName(name)} lacks ${renderCount(missing, 'planned trial')}.`]),
      ...errorNote(name, outcomes.error, trials),
    ].map(plainNote),
  );
}

function errorNote(name: string, errors: number, trials: number): readonly string[] {
  if (errors === 0) return [];
  return [
    `${renderCount(errors, 'harness error')} in ${renderCount(trials, 'trial')} of ${shortName(name)}: not judged, and not in its rate.`,
  ];
}

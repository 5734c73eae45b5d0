/**
 * Fits the sections of a prompt into its budget (§6): in a fixed order each is first shortened in the middle, then dropped, as far as
 * its step allows. It counts what is left out; nothing is cut without being told.
 */
import type { PromptCut } from '../agents/prompt-facts.ts';
import { byteLength, cutMiddle } from '../text/shorten.ts';

export interface Section {
  readonly title: string;
  readonly text: string;
}

/** One step of the order of cuts. `floorBytes`: how much of the text this step leaves; null: it may drop the section. */
export interface CutStep {
  readonly title: string;
  readonly floorBytes: number | null;
}

/** One section as it is in the prompt; `text` is empty for one that had to be dropped. */
export interface PromptSection {
  readonly title: string;
  readonly text: string;
  /** What it would take without a budget. */
  readonly whole_bytes: number;
  /** Of its text; 0: it is whole. */
  readonly left_out_bytes: number;
}

/** Less than this is not worth reading: the section is dropped instead. */
const shortenedBytesMin = 256;

interface FitInput<S extends Section> {
  readonly sections: readonly S[];
  readonly steps: readonly CutStep[];
  readonly budgetBytes: number;
  readonly render: (section: S) => string;
}

export function fitSections<S extends Section>(input: FitInput<S>): readonly PromptSection[] {
  const { sections, steps, budgetBytes, render } = input;
  let fitted = sections.map((source) => {
    const text = render(source);
    const bytes = byteLength(text);
    return { source, shown: byteLength(source.text), text, bytes, whole_bytes: bytes, left_out_bytes: 0 };
  });
  for (const { title, floorBytes } of steps) {
    const over = fitted.reduce((sum, { bytes }) => sum + bytes, 0) - budgetBytes;
    if (over <= 0) break;
    fitted = fitted.map((one) => {
      if (one.source.title !== title) return one;
      // Always from the whole text, so that one that is shortened twice has one gap.
      const { text: shown, left_out_bytes } = cutMiddle(
        one.source.text,
        roomAfter(one, { over, floorBytes }),
      );
      const text = shown === '' ? '' : render({ ...one.source, text: shown });
      return { ...one, shown: byteLength(shown), text, bytes: byteLength(text), left_out_bytes };
    });
  }
  return fitted.map(({ source, text, whole_bytes, left_out_bytes }) => ({
    title: source.title,
    text,
    whole_bytes,
    left_out_bytes,
  }));
}

/** A tag has the same length whatever it holds, so the section shrinks by at least what is asked. */
function roomAfter(
  { shown }: { readonly shown: number },
  { over, floorBytes }: { readonly over: number; readonly floorBytes: number | null },
): number {
  const room = shown - over;
  if (floorBytes !== null) return Math.max(room, Math.min(floorBytes, shown));
  return room < shortenedBytesMin ? 0 : room;
}

export function listCuts(sections: readonly PromptSection[]): readonly PromptCut[] {
  return sections
    .filter(({ left_out_bytes }) => left_out_bytes > 0)
    .map(({ title, left_out_bytes }) => ({ section: title, bytes: left_out_bytes }));
}

export function renderCuts(cuts: readonly PromptCut[], budgetBytes: number): string {
  const parts = cuts.map(({ section, bytes }) => `${section} (${bytes} bytes left out)`);
  return `the prompt was cut to prompt_budget_bytes = ${budgetBytes}: ${parts.join(', ')}`;
}

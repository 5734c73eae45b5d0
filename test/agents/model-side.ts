/** Answers to what a CLI asks beside the conversation: titles, summaries, small decisions. Pure. */
import type { Said } from './model-api.ts';

export function renderSide(body: string, place: { id: string; chunkBytes: number }): Said {
  return {
    reasoning: null,
    text: sideText(body),
    call: null,
    usage: { input: 50, cached: 0, output: 5, reasoning: 0 },
    ...place,
  };
}

/** gemini asks small questions that must be answered in the JSON it names. */
function sideText(body: string): string {
  if (body.includes('next_speaker')) return JSON.stringify({ reasoning: 'over', next_speaker: 'user' });
  if (body.includes('model_choice')) return JSON.stringify({ reasoning: 'small', model_choice: 'flash' });
  return 'A short title';
}

/** The four memory files and the person's answers for a prompt (§6). Agents write them, so any content becomes text and never an error. */
import { textFileBytesMax } from '../../core/limits.ts';
import type { PromptBuilder } from '../../ports/stores.ts';
import { loadText } from '../files/files.ts';
import type { Layout } from '../files/layout.ts';
import { loadTail } from '../files/log-cut.ts';

export function promptBuilder(place: Layout): PromptBuilder {
  /** Agents append: of a file that is too long the end is the part that counts. */
  const load = async (path: string): Promise<string> => {
    const source = await loadText(path, { root: place.projectDir, bytesMax: textFileBytesMax });
    if (source.kind === 'text') return source.text;

    return source.kind === 'missing' ? '' : loadTail(path, textFileBytesMax);
  };
  return {
    loadMemory: async () => {
      const { assumptions, questions, answers, feedback, improvements } = place.memory;
      return {
        assumptions: await load(assumptions),
        questions: await load(questions),
        answers: await load(answers),
        feedback: await load(feedback),
        improvements: await load(improvements),
      };
    },
  };
}

/** Appends text to GitHub's job summary file. A failure is reported and never fails a run. */
import { appendFile } from 'node:fs/promises';

export async function appendStepSummary(file: string, text: string): Promise<string | null> {
  try {
    await appendFile(file, text);
    return null;
  } catch (error) {
    return `the job summary could not be written: ${error instanceof Error ? error.message : String(error)}`;
  }
}

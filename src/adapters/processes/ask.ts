/** Asks a person for one line, with an answer filled in. For commands that may prompt; prompts go to stderr, stdout stays the answer's. */
import { createInterface } from 'node:readline/promises';

export async function askLine(question: string, proposal: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = terminal.question(question);
    terminal.write(proposal);
    return (await answer).trim();
  } finally {
    terminal.close();
  }
}

/** Asks a person for one line, with an answer filled in. The question goes to stderr: stdout belongs to the command's answer. */
import { createInterface } from 'node:readline';
import { RunnerError } from '../../core/errors.ts';

/** Throws INTERRUPTED on Ctrl-C and Ctrl-D. */
export async function askLine(question: string, proposal: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await new Promise<string>((resolve, reject) => {
      const leave = (): void => {
        reject(
          new RunnerError({
            code: 'INTERRUPTED',
            message: 'nothing was started',
            hint: 'runner run start --no-input takes the proposal',
            signal: 'SIGINT',
          }),
        );
      };
      terminal.once('SIGINT', leave).once('close', leave);
      terminal.question(question, (answer) => {
        resolve(answer.trim());
      });
      terminal.write(proposal);
    });
  } finally {
    terminal.close();
  }
}

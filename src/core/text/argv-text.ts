/** Shows a command's arguments on one line so that a reader can tell them apart. The text is for reading, never for a shell. */
import { cleanLine } from './terminal-text.ts';

export function renderArgv(argv: readonly string[]): string {
  return cleanLine(
    argv.map((argument) => (isPlain(argument) ? argument : JSON.stringify(argument))).join(' '),
  );
}

function isPlain(argument: string): boolean {
  return argument !== '' && !/[\s"'\\`]/u.test(argument);
}

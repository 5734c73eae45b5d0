/** `runner help`: of the program, of a command, or about a topic. */
import { RunnerError } from '../../core/errors.ts';
import { suggest } from '../../core/text/suggest.ts';
import { commandTable } from '../table/command-table.ts';
import { exitCodes } from '../exit-codes.ts';
import { topics } from '../help-topics.ts';
import { parseCommandLine } from '../program.ts';
import type { CommandCall } from '../program.ts';
import { printLine } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const asked = call.args.join(' ');
  const topic = topics.get(asked);
  if (topic !== undefined) {
    const { text, value } = topic();
    printLine(settings, text, { command: 'help', topic: asked, ...value });
    return exitCodes.ok;
  }
  const known = commandTable.filter((row) => !('isHidden' in row)).map(({ name }) => name);
  if (asked !== '' && !isKnown(known, asked)) throw unknownTopic(asked, [...known, ...topics.keys()]);
  const argv = [...call.args, '--help'];
  if (settings.json) {
    const text = captureHelp(argv);
    printLine(settings, text, { command: 'help', topic: asked === '' ? null : asked, text });
  } else {
    parseCommandLine(argv, settings.streams);
  }
  return exitCodes.ok;
}

/** A command, or the first word of two-word commands. */
function isKnown(known: readonly string[], asked: string): boolean {
  return known.some((name) => name === asked || name.startsWith(`${asked} `));
}

function captureHelp(argv: readonly string[]): string {
  let text = '';
  parseCommandLine(argv, { out: (part) => (text += part) });
  return text;
}

function unknownTopic(asked: string, known: readonly string[]): RunnerError {
  const near = suggest(asked, known);
  return new RunnerError({
    code: 'USAGE',
    message: `there is no command or topic '${asked}'${near === null ? '' : ` (did you mean ${near}?)`}`,
    hint: near === null ? 'runner --help' : `runner help ${near}`,
  });
}

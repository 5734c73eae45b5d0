/** Where the process meets the program: streams, argv and the exit code. Loads next to nothing, so that `--version` is there at once. */
import { sendOut, writeOut } from '../adapters/standard-output.ts';
import { packageVersion } from '../core/version.js';
import type { Streams } from './streams.ts';

export async function main(): Promise<void> {
  const [, entryFile = '', ...argv] = process.argv;
  const streams: Streams = {
    out: (text) => writeOut(1, text),
    err: (text) => writeOut(2, text),
    columns: () => terminalColumns(process.stderr),
    outColumns: () => terminalColumns(process.stdout),
    send: sendOut,
  };
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    streams.out(`${packageVersion}\n`);
    return;
  }
  const { run } = await import('./run.ts');
  process.exitCode = await run(argv, { env: process.env, streams, entryFile });
}

/** A dumb terminal gets plain lines; so does a pipe. */
function terminalColumns(stream: NodeJS.WriteStream): number | null {
  if (!stream.isTTY || process.env['TERM'] === 'dumb') return null;
  return stream.columns;
}

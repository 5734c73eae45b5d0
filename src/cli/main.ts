/** Where the process meets the program: streams, argv and the exit code. Loads next to nothing, so that `--version` is there at once. */
import { sendOut, writeOut } from '../adapters/standard-output.ts';
import { packageVersion } from '../core/version.js';
import type { Streams } from './streams.ts';

/** `entryFile`: null in the one executable file, which is its own program. */
export async function main(entryFile: string | null = process.argv[1] ?? ''): Promise<void> {
  const argv = process.argv.slice(2);
  const streams: Streams = {
    out: (text) => writeOut(1, text),
    err: (text) => writeOut(2, text),
    columns: () => columnsOf(process.stderr),
    rows: () => (isTerminal(process.stderr) ? process.stderr.rows || 24 : null),
    onResize: (listener) => {
      process.stderr.on('resize', listener);
      return () => process.stderr.off('resize', listener);
    },
    outColumns: () => columnsOf(process.stdout),
    send: sendOut,
  };
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    streams.out(`${packageVersion}\n`);
    return;
  }
  const around = { env: process.env, streams, entryFile };
  const { runQuick } = await import('./quick.ts');
  const code = await runQuick(argv, around);
  process.exitCode = code ?? (await (await import('./run.ts')).run(argv, around));
}

/** A dumb terminal gets plain lines; so does a pipe. */
function isTerminal(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY && process.env['TERM'] !== 'dumb';
}

/** Some terminals say that they have no size. */
function columnsOf(stream: NodeJS.WriteStream): number | null {
  return isTerminal(stream) ? stream.columns || 80 : null;
}

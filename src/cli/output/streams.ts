/** What a command may write to: stdout is an interface for scripts, stderr is for people. */
import type { Env } from '../../core/types.ts';

export interface Streams {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Width of the terminal behind stderr; null when stderr is not a terminal. */
  readonly columns: () => number | null;
  /** Its height, or null. */
  readonly rows: () => number | null;
  /** Calls the listener whenever it has another size; returns the unsubscribe. */
  readonly onResize: (listener: () => void) => () => void;
  /** Width of the terminal behind stdout; null when stdout is not a terminal. */
  readonly outColumns: () => number | null;
  /** Writes to stdout and waits until it is taken, so that much text needs little memory; false: nobody reads any more. */
  readonly send: (text: string) => Promise<boolean>;
}

export interface Settings {
  /** Program file of this runner, which the scripted agent starts again; null when the program is one executable file. */
  readonly entryFile: string | null;
  readonly directory: string;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** Never prompt; fail instead. */
  readonly noInput: boolean;
  readonly env: Env;
  readonly streams: Streams;
}

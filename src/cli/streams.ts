/** What a command may write to: stdout is an interface for scripts, stderr is for people's eyes. */
export interface Streams {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Width of the terminal behind stderr, or null when it is none. */
  readonly columns: () => number | null;
}

export interface Settings {
  /** Program file of this runner, which the scripted agent starts again; null when the program is one executable file. */
  readonly entryFile: string | null;
  readonly directory: string;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly streams: Streams;
}

/** What a row of the table of commands may say. Types only. */
import type { ConfigFlag } from '../core/config-layers.ts';

/** What a shell offers for a value: one of these kinds, or the words themselves. */
export type Completes =
  | 'agent'
  | 'config-key'
  | 'error-code'
  | 'file'
  | 'folder'
  | 'node'
  | 'node-or-code'
  | readonly string[];

export interface OptionRow {
  /** As commander reads it: `--max-attempts <n>`. */
  readonly flags: string;
  readonly means: string;
  /** `count`: a positive whole number; `list`: may be given several times; `port`: 0 to 65535. */
  readonly takes?: 'count' | 'list' | 'port';
  /** The setting it stands above for this process (§9). */
  readonly sets?: ConfigFlag['key'];
  /** Values to choose from, for help, checks and completion. */
  readonly choices?: readonly string[];
  /** Only where the name of the flag or of its value does not tell; see completion.ts. */
  readonly completes?: Completes;
}

export interface CommandRow {
  /** Two words for a command below another: `config list`. */
  readonly name: string;
  /** As commander reads them: `[iter]`. */
  readonly args: string;
  readonly means: string;
  readonly options: readonly OptionRow[];
  /** For the arguments in order, only where their names do not tell; see completion.ts. */
  readonly completes?: readonly Completes[];
  readonly isHidden?: true;
}

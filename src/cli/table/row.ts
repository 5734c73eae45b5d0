/** What one command, and one of its flags, is made of. */
import type { ConfigFlag } from '../../core/config/config-layers.ts';

export const shellNames = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type ShellName = (typeof shellNames)[number];

/** What a shell offers for a value: one of these kinds, or the words themselves. */
export type Completes =
  | 'agent'
  | 'batch'
  | 'case'
  | 'config-key'
  | 'error-code'
  | 'file'
  | 'folder'
  | 'node'
  | 'node-or-code'
  | 'open-leaf'
  | 'open-node'
  | 'rescue'
  | 'run'
  | readonly string[];

export interface OptionRow {
  /** As commander reads it: `--max-attempts <n>`. */
  readonly flags: string;
  readonly means: string;
  /** `count`: a positive whole number; `list`: may be given several times; `port`: 0 to 65535. */
  readonly takes?: 'count' | 'list' | 'port';
  /** The setting it overrides for this process (§9). */
  readonly sets?: ConfigFlag['key'];
  /** Values to choose from, for help, checks and completion. */
  readonly choices?: readonly string[];
  /** Only where the name of the flag or of its value does not tell; see completion/offer.ts. */
  readonly completes?: Completes;
}

export interface CommandRow {
  /** Two words for a command below another: `config list`. */
  readonly name: string;
  /** As commander reads them: `[iter]`. */
  readonly args: string;
  readonly means: string;
  readonly options: readonly OptionRow[];
  /** For the arguments in order, only where their names do not tell; see completion/offer.ts. */
  readonly completes?: readonly Completes[];
  readonly isHidden?: true;
}

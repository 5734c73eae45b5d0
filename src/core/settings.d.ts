/** Types of settings.js, which `node scripts/generate.mjs` writes from the schema of the settings. */

export type ValueKind = 'integer' | 'number' | 'boolean' | 'list' | 'text';

export interface ConfigKey {
  readonly key: string;
  readonly kind: ValueKind;
  /** `RUNNER_AGENT_NAME` for `agent.name`. */
  readonly variable: string;
  /** Every value it may have, as typed; empty: any of its kind. */
  readonly choices: readonly string[];
}

/** Every dotted key of the settings, in the order of the documents. */
export const configKeys: readonly ConfigKey[];

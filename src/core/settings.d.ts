/**
 * Types of settings.js, which `node scripts/generate.mjs` writes from `schemas/`: the schemas that every command checks files with,
 * without their texts for people.
 */
import type { QuickSchema } from './config/quick-schema.ts';

export const configSchema: QuickSchema;
export const runStateSchema: QuickSchema;

export type ValueKind = 'integer' | 'number' | 'boolean' | 'list' | 'text';

export interface ConfigKey {
  readonly key: string;
  readonly kind: ValueKind;
  /** `RUNNER_AGENT_NAME` for `agent.name`. */
  readonly variable: string;
}

/** Every dotted key of the settings, in the order of the documents. */
export const configKeys: readonly ConfigKey[];

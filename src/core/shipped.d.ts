/**
 * Types of shipped.js, which `node scripts/generate.mjs` writes from `schemas/` and package.json: validators, schema
 * texts. It holds no behaviour.
 */
import type { AgentOutput, Review } from './types.ts';

export interface SchemaError {
  readonly keyword: string;
  /** JSON pointer to the value that is wrong; empty for the whole value. */
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** `errors` belongs to the last call and is null when that value was valid. */
export interface Validator<T> {
  (value: unknown): value is T;
  readonly errors: readonly SchemaError[] | null;
}

export const validateAgentOutput: Validator<AgentOutput>;
export const validateReview: Validator<Review>;
export const validateScript: Validator<unknown>;

/** Exact text of `schemas/task_tree/v1.schema.json`. */
export const treeSchemaText: string;
/** Exact text of `schemas/agent_output/v1.schema.json`. */
export const agentOutputSchemaText: string;
/** `schemas/config/v1.schema.json`, as `init` puts it beside `config.toml`, where its `#:schema` line points. */
export const configSchemaText: string;
/** Exact text of `schemas/review/v1.schema.json`. */
export const reviewSchemaText: string;
/** Exact text of `schemas/script/v1.schema.json`. */
export const scriptSchemaText: string;

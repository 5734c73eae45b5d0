/** Explains every setting: default, allowed values, variable, meaning. Generated from the schema, so it cannot differ. */
import { configJsonSchema } from './config-schema.ts';
import { defaultConfig } from './default-config.ts';
import { configKeys } from '../settings.js';
import type { ValueKind } from '../settings.js';

export interface SettingHelp {
  readonly key: string;
  readonly kind: ValueKind;
  /** As written in the file; null: not set. */
  readonly default: string | null;
  readonly allowed: string;
  readonly variable: string;
  readonly means: string;
}

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

/** In the order of the documents. */
export function listSettings(): readonly SettingHelp[] {
  const root = configJsonSchema() as SchemaNode;
  return configKeys.map(({ key, kind, variable }) => {
    const path = key.split('.');
    const schema = path.reduce<SchemaNode | undefined>((node, part) => node?.properties?.[part], root);
    const value = path.reduce<unknown>(
      (table, part) => (table as Readonly<Record<string, unknown>>)[part],
      defaultConfig,
    );
    return {
      key,
      kind,
      default: value === null ? null : JSON.stringify(value).replaceAll(',', ', '),
      allowed: renderAllowed(kind, schema),
      variable,
      means: String(schema?.description),
    };
  });
}

function renderAllowed(kind: ValueKind, schema: SchemaNode | undefined): string {
  switch (kind) {
    case 'integer':
      return `${schema?.minimum} to ${schema?.maximum}`;
    case 'number':
      return `above ${schema?.exclusiveMinimum} to ${schema?.maximum}`;
    case 'boolean':
      return 'true, false';
    case 'list':
      return 'list of texts';
    case 'text':
      return schema?.enum?.map((choice) => `"${choice}"`).join(', ') ?? 'text';
  }
}

/**
 * Whether a value fits a JSON Schema, with what is left out filled in: the few keywords that our own settings use, read as they
 * stand. A compiled validator of the same schemas takes Node longer to load than this takes to answer. It gives no reasons.
 */

export interface QuickSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly items?: QuickSchema;
  readonly anyOf?: readonly QuickSchema[];
  readonly properties?: Readonly<Record<string, QuickSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false | QuickSchema;
  readonly propertyNames?: QuickSchema;
  readonly default?: unknown;
}

export type Filled = { readonly ok: true; readonly value: unknown } | { readonly ok: false };

const misfit: Filled = { ok: false };

/** The depth is the schema's, not the value's. */
export function fillValue(schema: QuickSchema, value: unknown): Filled {
  if (schema.anyOf !== undefined) {
    return schema.anyOf.map((one) => fillValue(one, value)).find(({ ok }) => ok) ?? misfit;
  }
  const type = typeOf(value);
  const types = [schema.type ?? type].flat();
  const isOfType = types.includes(type) || (types.includes('number') && type === 'integer');
  if (!isOfType || (schema.enum !== undefined && !schema.enum.includes(value))) return misfit;
  if (typeof value === 'number') return inBounds(schema, value) ? { ok: true, value } : misfit;
  if (typeof value === 'string') return fitsText(schema, value) ? { ok: true, value } : misfit;
  if (Array.isArray(value)) return fillList(schema, value);
  return type === 'object'
    ? fillObject(schema, value as Readonly<Record<string, unknown>>)
    : { ok: true, value };
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  // A date of TOML is an object too, but none that a table could be.
  const isPlain = Object.prototype.toString.call(value) === '[object Object]';
  return typeof value === 'object' && !isPlain ? 'other' : typeof value;
}

function inBounds(schema: QuickSchema, value: number): boolean {
  const { minimum = -Infinity, exclusiveMinimum = -Infinity, maximum = Infinity } = schema;
  return Number.isFinite(value) && value >= minimum && value > exclusiveMinimum && value <= maximum;
}

function fitsText({ minLength = 0, pattern }: QuickSchema, value: string): boolean {
  return value.length >= minLength && (pattern === undefined || new RegExp(pattern, 'u').test(value));
}

function fillList({ items = {}, minItems = 0 }: QuickSchema, list: readonly unknown[]): Filled {
  const made: unknown[] = [];
  for (const item of list) {
    const filled = fillValue(items, item);
    if (!filled.ok) return misfit;
    made.push(filled.value);
  }
  return list.length < minItems ? misfit : { ok: true, value: made };
}

function fillObject(schema: QuickSchema, table: Readonly<Record<string, unknown>>): Filled {
  const { properties = {}, required = [], additionalProperties } = schema;
  const made = Object.create(null) as Record<string, unknown>;
  for (const [key, item] of Object.entries(table)) {
    const known = Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
    const filled = known === undefined || known === false ? misfit : fillValue(known, item);
    if (!filled.ok) return misfit;
    made[key] = filled.value;
  }
  for (const [key, property] of Object.entries(properties)) {
    if (key in made || property.default === undefined) continue;
    const filled = fillValue(property, property.default);
    if (filled.ok) made[key] = filled.value;
  }
  return required.every((key) => key in made) ? { ok: true, value: made } : misfit;
}

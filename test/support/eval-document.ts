/** docs/eval.md against the code: keys of a case, checks, outcomes, reasons, and the cases that ship. Reads no files; it is given the texts. */
import { parse } from 'smol-toml';
import { evalCaseJsonSchema } from '../../src/eval/cases/case-schema.ts';
import { evalRecordSchemas } from '../../src/eval/cases/records.ts';
import type { Texts } from './documents.ts';
import { findTable } from './documents.ts';

interface SchemaNode {
  readonly const?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly items?: SchemaNode;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
}

interface CaseHead {
  readonly case: { readonly id: string; readonly requires?: readonly string[] };
}

type Row = readonly string[];

const document = 'docs/eval.md';
/** Tables that docs/config.md describes, with what a case adds to them. */
const describedElsewhere: Readonly<Record<string, readonly string[]>> = { config: ['justfile'], agent: [] };

function entriesOf(node: SchemaNode | undefined): readonly (readonly [string, SchemaNode])[] {
  return Object.entries(node?.properties ?? {});
}

function code(word: string): string {
  return `\`${word}\``;
}

function keyRow(key: string, node: SchemaNode, isRequired: boolean): Row {
  if (isRequired) return [code(key), '–'];
  return [code(key), node.default === undefined ? 'not set' : code(JSON.stringify(node.default))];
}

function caseKeys(): readonly Row[] {
  const schema = evalCaseJsonSchema() as SchemaNode;
  return entriesOf(schema).flatMap(([table, node]) => {
    const isRequired = schema.required?.includes(table) ?? false;
    const added = describedElsewhere[table];
    const inner = entriesOf(node)
      .filter(([key]) => added?.includes(key) ?? true)
      .map(([key, value]) =>
        keyRow(`${table}.${key}`, value, isRequired && (node.required?.includes(key) ?? false)),
      );
    const isListed = added !== undefined || node.properties === undefined;
    return isListed ? [keyRow(table, node, isRequired), ...inner] : inner;
  });
}

function checkKinds(): readonly Row[] {
  const kinds = (evalCaseJsonSchema() as SchemaNode).properties?.['checks']?.items?.oneOf ?? [];
  return kinds.map((kind) => {
    const keys = entriesOf(kind).flatMap(([key]) => (key === 'type' ? [] : [code(key)]));
    return [code(kind.properties?.['type']?.const ?? ''), keys.join(' ')];
  });
}

function metaWords(key: string): readonly Row[] {
  const node = (evalRecordSchemas().eval_meta as SchemaNode).properties?.[key];
  return (node?.enum ?? node?.anyOf?.flatMap((part) => part.enum ?? []) ?? []).map((word) => [code(word)]);
}

function shippedCases(texts: Texts): readonly Row[] {
  const files = [...texts].filter(([file]) => /^eval\/cases\/[^/]+\.toml$/.test(file));
  return files.map(([, text]) => {
    const { id, requires = [] } = (parse(text) as unknown as CaseHead).case;
    return [code(id), requires.map(code).join(', ')];
  });
}

interface Expected {
  readonly header: readonly string[];
  readonly rows: readonly Row[];
  /** A cell as it is compared. */
  readonly read?: (cell: string) => string;
}

/** The words in code of a cell, without what stands between them. */
function wordsInCode(cell: string): string {
  return [...cell.matchAll(/`[^`]+`/g)].map(([word]) => word).join(' ');
}

export function checkEvalDocument(texts: Texts): readonly string[] {
  const expected: readonly Expected[] = [
    { header: ['Case', 'Needs', 'What has to be done'], rows: shippedCases(texts) },
    { header: ['Key', 'Default', 'Meaning'], rows: caseKeys() },
    { header: ['Check', 'Keys', 'Passes when'], rows: checkKinds(), read: wordsInCode },
    { header: ['Outcome', 'When'], rows: metaWords('outcome') },
    { header: ['Reason', 'Means'], rows: metaWords('reason') },
  ];
  return expected.flatMap(({ header, rows, read = (cell) => cell }) => {
    const table = findTable(texts.get(document) ?? '', header);
    const shown = (table?.rows ?? []).map((row) =>
      row
        .slice(0, rows[0]?.length ?? 1)
        .map(read)
        .join(' | '),
    );
    const wanted = rows.map((row) => row.join(' | '));
    const what = `${document}, table ${header.join(' / ')}`;
    return [
      ...(wanted.length === 0 ? [`${what}: the code has nothing to compare it with`] : []),
      ...wanted.filter((row) => !shown.includes(row)).map((row) => `${what}: lacks ${row}`),
      ...shown.filter((row) => !wanted.includes(row)).map((row) => `${what}: has ${row}`),
    ];
  });
}

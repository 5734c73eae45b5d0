/**
 * A node as a small form for an editor: title, goal and acceptance as YAML in which everything is text. Rendering and parsing
 * it again gives the same texts; an error names its line.
 */
import { isMap, isScalar, isSeq, parseDocument, stringify } from 'yaml';
import type { NodeTexts } from './person-edit.ts';
import { parseStrictJson } from '../text/strict-json.ts';

export type ParsedForm =
  | { readonly ok: true; readonly texts: Partial<NodeTexts> }
  | { readonly ok: false; readonly message: string };

const keys = ['title', 'goal', 'acceptance'] as const;

export function renderForm(texts: NodeTexts, path: string): string {
  const { title, goal, acceptance } = texts;
  const body = stringify({ title, goal, acceptance: [...acceptance] }, { lineWidth: 0, schema: 'core' });
  return `# Node ${path}. Save and close the editor to commit the change; leave the form as it is, or empty it, to change
# nothing. It is YAML in which everything is text.
${body}`;
}

/** A form, or a JSON object with the same keys. Keys may be missing: what is not there does not change. */
export function parseForm(text: string): ParsedForm {
  return text.trimStart().startsWith('{') ? parseJsonForm(text) : parseYamlForm(text);
}

function refuse(message: string): ParsedForm {
  return { ok: false, message };
}

function parseJsonForm(text: string): ParsedForm {
  const json = parseStrictJson(text);
  if (!json.ok) return refuse(`line ${json.line}, column ${json.column}: ${json.message}`);
  return checkForm(json.value as Readonly<Record<string, unknown>>);
}

function parseYamlForm(text: string): ParsedForm {
  const document = parseDocument(text, { schema: 'failsafe', version: '1.2' });
  const [error] = document.errors;
  if (error !== undefined) {
    const at = error.linePos?.[0];
    return refuse(
      `line ${Number(at?.line)}, column ${Number(at?.col)}: ${String(error.message.split('\n')[0]).replace(/ at line .*/, '')}`,
    );
  }
  const { contents } = document;
  if (contents === null) return { ok: true, texts: {} };
  if (!isMap(contents)) return refuse('the form has no "title:", "goal:" or "acceptance:"');
  const found: Record<string, unknown> = {};
  for (const { key, value } of contents.items) {
    const name = isScalar(key) ? String(key.value) : '?';
    // No alias, no nesting: a scalar, or a list of scalars, is all there can be.
    if (isScalar(value)) found[name] = String(value.value);
    else if (isSeq(value))
      found[name] = value.items.map((item) => (isScalar(item) ? String(item.value) : null));
    else found[name] = null;
  }
  return checkForm(found);
}

function checkForm(form: Readonly<Record<string, unknown>>): ParsedForm {
  const unknown = Object.keys(form).find((key) => !keys.some((known) => known === key));
  if (unknown !== undefined) return refuse(`unknown key "${unknown}"; a node has title, goal and acceptance`);
  for (const key of ['title', 'goal'])
    if (key in form && typeof form[key] !== 'string') return refuse(`"${key}" must be a text`);

  const { acceptance = [] } = form;
  const isList = Array.isArray(acceptance) && acceptance.every((item) => typeof item === 'string');
  // An empty list is often left as "acceptance:" with nothing behind it.
  if (!isList && acceptance !== '') return refuse('"acceptance" must be a list of texts');
  return { ok: true, texts: 'acceptance' in form && !isList ? { ...form, acceptance: [] } : form };
}

/**
 * The script of the built-in `scripted` agent: which scripts are valid, and how their edits change a tree. It decides nothing
 * about runs; the player in the adapters carries out the actions.
 */
import { isInsidePath } from '../text/inside-path.ts';
import { validateScript } from '../shipped.js';
import type { SchemaError } from '../shipped.js';
import { isObject } from '../text/is-object.ts';
import { parseStrictJson } from '../text/strict-json.ts';
import type { JsonObject, JsonValue } from '../text/strict-json.ts';
import { renderProblem } from '../text/text-place.ts';
import type { SourceText } from '../types.ts';

export interface ScriptFile {
  readonly path: string;
  readonly content: string;
}

export type TreeEdit =
  | { readonly id: string; readonly set: JsonObject }
  | { readonly id: string; readonly add: readonly JsonValue[] }
  | { readonly remove: string };

export type TreeAction =
  | { readonly text: string }
  | { readonly json: JsonValue }
  | { readonly edits: readonly TreeEdit[] };

export type ScriptAction =
  | { readonly write: ScriptFile }
  | { readonly append: ScriptFile }
  | { readonly delete: string }
  /** A file beside the script: it is read, so it may lie outside the project folder. */
  | { readonly apply_patch: string }
  | { readonly tree: TreeAction }
  | { readonly print: string }
  | { readonly print_error: string }
  | { readonly sleep_ms: number }
  | { readonly exit: number };

export interface ScriptStep {
  readonly note?: string;
  readonly actions: readonly ScriptAction[];
  readonly answer?: JsonObject | string | null;
}

export interface Script {
  /** For editors; the checks use the shipped schema. */
  readonly $schema?: string;
  readonly version: 1;
  readonly steps: readonly ScriptStep[];
}

export type ScriptResult =
  | { readonly ok: true; readonly script: Script }
  | { readonly ok: false; readonly problems: readonly string[] };

export function parseScript(source: SourceText): ScriptResult {
  if (source.kind !== 'text') return { ok: false, problems: [describeSource(source)] };
  const json = parseStrictJson(source.text);
  if (!json.ok) return { ok: false, problems: [renderProblem(json, json.message)] };
  validateScript(json.value);
  const broken = schemaProblems(validateScript.errors ?? []);
  if (broken.length > 0) return { ok: false, problems: broken };
  // The schema has just said so; the validator is compiled and carries no type.
  const script = json.value as unknown as Script;
  const problems = checkPaths(script);
  return problems.length === 0 ? { ok: true, script } : { ok: false, problems };
}

function describeSource(source: Exclude<SourceText, { readonly kind: 'text' }>): string {
  switch (source.kind) {
    case 'missing':
      return 'there is no such file';
    case 'unreadable':
      return source.message;
    case 'too_large':
      return `the file has ${source.bytes} bytes, more than ${source.bytesMax}`;
  }
}

const editShape = 'must be {"id", "set": {…}}, {"id", "add": […]} or {"remove": "id"}';
const answerShape = 'must be an object, a text or null';

function schemaProblems(errors: readonly SchemaError[]): readonly string[] {
  const choices = errors.filter(({ keyword }) => keyword === 'anyOf').map(({ instancePath }) => instancePath);
  const told = errors.flatMap((error) => {
    const at = error.instancePath;
    if (choices.includes(at)) return [`${at}: ${at.endsWith('/answer') ? answerShape : editShape}`];
    // What each of the rejected shapes lacks would only confuse.
    if (choices.some((path) => at.startsWith(`${path}/`))) return [];
    return [`${at === '' ? '(script)' : at}: ${error.message}${extra(error)}`];
  });
  return [...new Set(told)].toSorted();
}

function extra({ params }: SchemaError): string {
  const name = params['additionalProperty'];
  return typeof name === 'string' ? ` ('${name}')` : '';
}

function checkPaths(script: Script): readonly string[] {
  return script.steps.flatMap((step, stepIndex) =>
    step.actions.flatMap((action, actionIndex) => {
      const path = pathOf(action);
      return path === null || isInsidePath(path)
        ? []
        : [`/steps/${stepIndex}/actions/${actionIndex}: the path '${path}' is not inside the project folder`];
    }),
  );
}

function pathOf(action: ScriptAction): string | null {
  if ('write' in action) return action.write.path;
  if ('append' in action) return action.append.path;
  return 'delete' in action ? action.delete : null;
}

export type EditResult =
  | { readonly ok: true; readonly tree: JsonValue }
  | { readonly ok: false; readonly message: string };

/** The tree after the edits, in order; what the edits put in is not checked, because agents are not either. */
export function applyTreeEdits(tree: JsonValue, edits: readonly TreeEdit[]): EditResult {
  let current = tree;
  for (const edit of edits) {
    const id = 'remove' in edit ? edit.remove : edit.id;
    const found = locateNode(current, id);
    if (found === null) return { ok: false, message: `the tree has no node '${id}'` };
    if ('remove' in edit) {
      if (found.parent === null) return { ok: false, message: `the root '${id}' cannot be removed` };
      current = rebuild(found.parent, { index: found.index, items: [] });
    } else {
      const node = 'set' in edit ? { ...found.node, ...edit.set } : withChildren(found.node, edit.add);
      current = found.parent === null ? node : rebuild(found.parent, { index: found.index, items: [node] });
    }
  }
  return { ok: true, tree: current };
}

interface LocatedNode {
  readonly node: JsonObject;
  readonly parent: LocatedNode | null;
  /** Position among the parent's children. */
  readonly index: number;
}

function locateNode(tree: JsonValue, id: string): LocatedNode | null {
  const open: LocatedNode[] = isObject(tree) ? [{ node: tree, parent: null, index: 0 }] : [];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (place.node['id'] === id) return place;
    const parent = place;
    for (const [index, child] of childrenOf(place.node).entries())
      if (isObject(child)) open.push({ node: child, parent, index });
  }
  return null;
}

function rebuild(
  place: LocatedNode,
  change: { readonly index: number; readonly items: readonly JsonValue[] },
): JsonValue {
  let at: LocatedNode = place;
  let node = { ...at.node, children: childrenOf(at.node).toSpliced(change.index, 1, ...change.items) };
  while (at.parent !== null) {
    node = { ...at.parent.node, children: childrenOf(at.parent.node).with(at.index, node) };
    at = at.parent;
  }
  return node;
}

function withChildren(node: JsonObject, added: readonly JsonValue[]): JsonObject {
  return { ...node, children: [...childrenOf(node), ...added] };
}

function childrenOf(node: JsonObject): JsonValue[] {
  const { children } = node;
  return Array.isArray(children) ? children : [];
}

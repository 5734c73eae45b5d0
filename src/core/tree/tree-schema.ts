/**
 * Parses a task tree (§3): strict JSON, the shipped schema, sorting, the rules beyond the schema. All violations come at once,
 * each with its path of ids; nothing here throws or trusts the shape of what an agent wrote.
 */
import { isObject } from '../text/is-object.ts';
import { nodeKeys, renderTree } from './canonical-json.ts';
import { checkInvariants, checkLimits, checkNodes, tooManyNodes } from './invariants.ts';
import { idLengthMax, treeNodesMax } from '../limits.ts';
import type { SchemaError } from '../shipped.js';
import { escapeText, parseStrictJson } from '../text/strict-json.ts';
import type { JsonObject, JsonValue } from '../text/strict-json.ts';
import { renderProblem } from '../text/text-place.ts';
import { validateTree } from '../tree-validator.js';
import { indexTree, sortTree } from './tree-walk.ts';
import type { SourceText, TreeNode, Violation } from '../types.ts';

export type ParsedTree =
  | { readonly ok: true; readonly tree: TreeNode }
  | { readonly ok: false; readonly violations: readonly Violation[] };

export type AgentTree =
  | { readonly kind: 'tree'; readonly tree: TreeNode }
  | { readonly kind: 'invalid' | 'over_limit'; readonly violations: readonly Violation[] };

export interface AgentTreeInput {
  readonly source: SourceText;
  /** The baseline tree, a valid one: which nodes are open, passed or new. */
  readonly before: TreeNode;
  readonly maxAttemptsDefault: number;
}

interface Refusal {
  readonly ok: false;
  readonly broken: readonly Violation[];
  /** Limits of §3 that are exceeded: for an agent's tree another row of the §5 table than a broken one. */
  readonly limits: readonly Violation[];
  /** Where every node has what the rules between nodes are about; null: they cannot be asked. */
  readonly tree: TreeNode | null;
}
type Reading = { readonly ok: true; readonly tree: TreeNode } | Refusal;

/** What a node gets from the runner, whatever the text says. */
type OwnedKeys = Pick<TreeNode, 'passes' | 'attempts' | 'max_attempts'>;
/** By the id in the text; null: the text's own keys count. */
type FindOwned = (id: unknown) => OwnedKeys | null;
/** Null: the text is taken unchanged. */
type Owned = FindOwned | null;

/** Bounds on what is listed; a hostile text could hold millions of wrong keys and entries. */
const wrongPerNodeMax = 100;
const wrongPerTreeMax = 10_000;

const knownKeys: ReadonlySet<string> = new Set(nodeKeys);
const ownedKeys = ['passes', 'attempts', 'max_attempts'] as const satisfies readonly (keyof OwnedKeys)[];

function isOwned(key: string): key is keyof OwnedKeys {
  return ownedKeys.some((owned) => owned === key);
}

/** A tree that people commit: all rules of §3. */
export function parseTree(source: SourceText): ParsedTree {
  const read = readSource(source, null);
  const between = read.tree === null ? [] : checkInvariants(read.tree);
  if (!read.ok) return { ok: false, violations: [...read.broken, ...read.limits, ...between] };
  return between.length === 0 ? { ok: true, tree: read.tree } : { ok: false, violations: between };
}

/**
 * A tree that an agent left: runner-owned keys of open and new nodes come from the baseline, nothing of a passed node is
 * overwritten. Whether passed and open nodes are where they should be is judged elsewhere, by comparison (§5).
 */
export function readAgentTree({ source, before, maxAttemptsDefault }: AgentTreeInput): AgentTree {
  // An unchanged tree is still valid.
  if (source.kind === 'text' && source.text === renderTree(before)) return { kind: 'tree', tree: before };
  const baseline = indexTree(before);
  const fresh: OwnedKeys = { passes: false, attempts: 0, max_attempts: maxAttemptsDefault };
  const read = readSource(source, (id) => {
    const known = typeof id === 'string' ? baseline.get(id)?.node : undefined;
    if (known === undefined) return fresh;
    return known.passes ? null : known;
  });
  const { tree } = read;
  const broken = [...(read.ok ? [] : read.broken), ...(tree === null ? [] : checkNodes(tree))];
  const limits = [...(read.ok ? [] : read.limits), ...(tree === null ? [] : checkLimits(tree))];
  if (!read.ok || broken.length + limits.length > 0) return renderRefusal({ broken, limits });
  return { kind: 'tree', tree: read.tree };
}

/** The §5 table asks first whether the tree is valid, then whether it is within the limits. */
function renderRefusal({ broken, limits }: Pick<Refusal, 'broken' | 'limits'>): AgentTree {
  return { kind: broken.length > 0 ? 'invalid' : 'over_limit', violations: [...broken, ...limits] };
}

function readSource(source: SourceText, findOwned: Owned): Reading {
  switch (source.kind) {
    case 'missing':
      return refuse('the file is missing');
    case 'unreadable':
      return refuse(`the file cannot be read: ${source.message}`);
    case 'too_large':
      return refuseLimit(`the file has ${source.bytes} bytes; at most ${source.bytesMax} are allowed`);
    case 'text': {
      const json = parseStrictJson(source.text);
      if (json.ok) return isWrapped(json.value) ? refuse(wrapped) : readNodes(json.value, findOwned);
      const message = renderProblem(json, json.message);
      return json.kind === 'limit' ? refuseLimit(message) : refuse(message);
    }
  }
}

const wrapped =
  "the tree is wrapped in an object: the file must hold the root node itself, so move the content of 'root' to the top and drop the rest";

/** `{"version": 1, "root": {…}}` and the like: one sentence helps more than every rule that the wrapper breaks. */
function isWrapped(value: JsonValue): boolean {
  const root = isObject(value) && !('id' in value) ? value['root'] : undefined;
  return root !== undefined && isObject(root);
}

function refuse(message: string): Refusal {
  return { ok: false, broken: [{ path: '', message }], limits: [], tree: null };
}

function refuseLimit(message: string): Refusal {
  return { ok: false, broken: [], limits: [{ path: '', message }], tree: null };
}

/** A list of siblings on the way down; `next` is the one to visit. */
interface Level {
  readonly values: readonly JsonValue[];
  /** The list of the parent that the visited siblings go to. */
  readonly home: JsonValue[];
  /** Path of the parent, or null above the root. */
  readonly path: string | null;
  next: number;
}

/** Checks each node by itself: the work is linear, the stack stays flat and the path of ids is at hand. */
function readNodes(top: JsonValue, findOwned: Owned): Reading {
  const broken = new Map<string, Violation>();
  const levels: Level[] = [{ values: [top], home: [], path: null, next: 0 }];
  let root: TreeNode | null = null;
  let areComparable = true;
  let nodes = 0;
  for (let level = levels.pop(); level !== undefined; level = levels.pop()) {
    const value = level.values[level.next];
    if (value === undefined) continue;
    nodes += 1;
    if (nodes > treeNodesMax)
      return { ok: false, broken: [...broken.values()], limits: [tooLarge], tree: null };

    const path = renderPath(level, value);
    level.next += 1;
    const { shape, values, home } = shapeOf(value, findOwned);
    level.home.push(shape);
    if (!validateTree(shape)) addViolations(broken, path, validateTree.errors as readonly SchemaError[]);
    if (isComparable(shape)) root ??= shape;
    else areComparable = false;
    if (broken.size >= wrongPerTreeMax) return refuseMany(broken);
    levels.push(level, { values, home, path, next: 0 });
  }
  const tree = root === null || !areComparable ? null : sortTree(root);
  if (tree === null || broken.size > 0) return { ok: false, broken: [...broken.values()], limits: [], tree };
  return { ok: true, tree };
}

/** The messages of those rules show ids unescaped. */
const safeId = new RegExp(`^[\\w.-]{1,${idLengthMax}}$`);

/** Has what the rules between nodes are about, whatever else is wrong with it. */
function isComparable(shape: JsonValue): shape is JsonValue & TreeNode {
  if (!isObject(shape)) return false;
  const { id, order, passes, attempts, max_attempts, children } = shape;
  return (
    typeof id === 'string' &&
    safeId.test(id) &&
    [order, attempts, max_attempts].every((field) => typeof field === 'number') &&
    typeof passes === 'boolean' &&
    Array.isArray(children)
  );
}

const tooLarge: Violation = { path: '', message: tooManyNodes };

function refuseMany(broken: ReadonlyMap<string, Violation>): Refusal {
  const note = { path: '', message: `only the first ${broken.size} violations are listed` };
  return { ok: false, broken: [...broken.values(), note], limits: [], tree: null };
}

function renderPath({ path, next }: Level, value: JsonValue): string {
  const id = isObject(value) ? value['id'] : undefined;
  const hasId = typeof id === 'string' && id !== '';
  if (path === null) return hasId ? escapeText(id) : '(root)';
  return `${path}/${hasId ? escapeText(id) : `children[${next}]`}`;
}

interface Shape {
  /** The node as the schema is to see it: keys in the documented order, no children yet, of bounded size. */
  readonly shape: JsonValue;
  /** What the text has as children, and the shape's own list that they go to. */
  readonly values: readonly JsonValue[];
  readonly home: JsonValue[];
}

function shapeOf(node: JsonValue, findOwned: Owned): Shape {
  if (!isObject(node)) return { shape: node, values: [], home: [] };
  const home: JsonValue[] = [];
  const shape: JsonObject = {};
  const owned = findOwned === null ? null : findOwned(node['id']);
  for (const key of nodeKeys) {
    const field = owned !== null && isOwned(key) ? owned[key] : node[key];
    if (field !== undefined) shape[key] = field;
  }
  const { acceptance, children } = shape;
  if (Array.isArray(acceptance)) shape['acceptance'] = cutAfterWrong(acceptance);
  if (Array.isArray(children)) shape['children'] = home;
  const unknown = Object.keys(node).filter((key) => !knownKeys.has(key));
  for (const key of unknown.slice(0, wrongPerNodeMax)) shape[key] = null;
  return { shape, values: Array.isArray(children) ? children : [], home };
}

function cutAfterWrong(entries: JsonValue[]): JsonValue[] {
  let wrong = 0;
  const end = entries.findIndex((entry) => {
    if (typeof entry !== 'string') wrong += 1;
    return wrong > wrongPerNodeMax;
  });
  return end === -1 ? entries : entries.slice(0, end);
}

const idWords: ReadonlyMap<string, string> = new Map([
  [
    'pattern',
    `id must be 1 to ${idLengthMax} of A-Z a-z 0-9 . _ -, starting with a letter or digit and not ending in a dot`,
  ],
  ['not', 'id is a name that Windows reserves'],
]);

function addViolations(found: Map<string, Violation>, path: string, errors: readonly SchemaError[]): void {
  for (const error of errors) {
    const words = error.instancePath === '/id' ? idWords.get(error.keyword) : undefined;
    const message = words ?? renderSchemaError(error);
    found.set(`${path}\n${message}`, { path, message });
  }
}

const typeWords: ReadonlyMap<unknown, string> = new Map([
  ['array', 'a list'],
  ['boolean', 'true or false'],
  ['integer', 'a whole number'],
  ['object', 'an object'],
  ['string', 'a string'],
]);

/** What a validator found, in plain words: `title must be a string`, `children[2]: missing key 'goal'`. */
export function renderSchemaError({ keyword, instancePath, params, message }: SchemaError): string {
  const field = instancePath
    .replaceAll(/\/(\d+)/g, '[$1]')
    .replaceAll('/', '.')
    .slice(1);
  const at = field === '' ? '' : `${field}: `;
  const about = field === '' ? '' : `${field} `;
  switch (keyword) {
    case 'required':
      return `${at}missing key '${escapeText(String(params['missingProperty']))}'`;
    case 'additionalProperties':
      return `${at}unknown key '${escapeText(String(params['additionalProperty']))}'`;
    case 'type':
      return `${about}must be ${[params['type']].flat().map(renderType).join(' or ')}`;
    case 'enum':
      return `${about}must be one of ${[params['allowedValues']].flat().join(', ')}`;
    default:
      return `${about}${message}`;
  }
}

function renderType(type: unknown): string {
  return typeWords.get(type) ?? String(type);
}

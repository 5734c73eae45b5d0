/**
 * Decides which case files are allowed and turns one into an EvalCase, or names every problem at once. It must never guess: an unknown
 * key is an error with a suggestion, not a value that is silently ignored.
 */
import type * as z from 'zod';

import { trialSandbox } from './case-config.ts';
import { checkJoined } from '../../core/config/config-rules.ts';
import { evalCaseJsonSchema, evalCaseSchema } from './case-schema.ts';
import type { EvalCaseFile } from './case-schema.ts';
import type { EvalCase, EvalCheck } from './types.ts';
import { isInsidePath, pathNames } from '../../core/text/inside-path.ts';
import { suggest } from '../../core/text/suggest.ts';
import { compareCodePoints } from '../../core/tree/tree-walk.ts';

/** One thing wrong in a case. */
export interface CaseProblem {
  /** As people name it: `checks[0].path`; empty for the document itself. */
  readonly key: string;
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export type EvalCaseResult =
  | { readonly ok: true; readonly case: EvalCase }
  | { readonly ok: false; readonly problems: readonly CaseProblem[] };

type Path = CaseProblem['path'];

/** `value` is what the file holds, parsed. */
export function parseEvalCase(value: unknown): EvalCaseResult {
  const parsed = evalCaseSchema.safeParse(value);
  const problems = [
    ...checkNames(value),
    ...(parsed.success ? checkSound(parsed.data, value) : parsed.error.issues.flatMap(problemsOf)),
  ];
  if (parsed.success && problems.length === 0) return { ok: true, case: caseOf(parsed.data, value) };
  // One field can break several of its rules, which all read the same.
  const told = new Map(problems.map((problem) => [`${problem.key}\n${problem.message}`, problem]));
  return {
    ok: false,
    problems: [...told].toSorted(([a], [b]) => compareCodePoints(a, b)).map(([, problem]) => problem),
  };
}

/** The one key that our objects cannot hold: it would be dropped silently. */
const lostName = '__proto__';

/** Of the whole document, however deep: dotted keys make tables deeper than the stack. */
function checkNames(value: unknown): readonly CaseProblem[] {
  const problems: CaseProblem[] = [];
  const pending: { readonly path: Path; readonly item: unknown }[] = [{ path: [], item: value }];
  for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
    const { path, item } = entry;
    if (typeof item !== 'object' || item === null) continue;
    if (Object.hasOwn(item, lostName)) problems.push(fault([...path, lostName], 'cannot be a name'));
    const isList = Array.isArray(item);
    for (const [name, inner] of Object.entries(item))
      pending.push({ path: [...path, isList ? Number(name) : name], item: inner });
  }
  return problems;
}

function fault(path: Path, message: string): CaseProblem {
  return { key: renderKey(path), path, message };
}

function renderKey(path: Path): string {
  return path
    .map((part) =>
      typeof part === 'number' ? `[${part}]` : /^[\w-]+$/.test(part) ? `.${part}` : `."${part}"`,
    )
    .join('')
    .replace(/^\./, '');
}

function problemsOf(issue: z.core.$ZodIssue): readonly CaseProblem[] {
  const path = issue.path as Path;
  if (issue.code !== 'unrecognized_keys') return [fault(path, issue.message)];
  return issue.keys.map((name) => {
    return fault([...path, name], `unknown key${suggestKey([...path, name])}`);
  });
}

/** The nearest known key: the same name in another table, or a small spelling difference. Empty when none is near. */
function suggestKey(path: Path): string {
  const unknown = renderKey(path).replaceAll(/\[\d+\]/g, '[]');
  const name = String(path.at(-1));
  const keys = knownKeys();
  if (keys.includes(unknown)) return ' of this type';
  const namesakes = keys.filter((key) => key === name || key.endsWith(`.${name}`));
  const near =
    namesakes.find((key) => key === name) ??
    suggest(unknown, namesakes) ??
    namesakes[0] ??
    suggest(unknown, keys);
  return near === null ? '' : `; did you mean ${near}?`;
}

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly oneOf?: readonly SchemaNode[];
}

let known: readonly string[] | null = null;

function knownKeys(): readonly string[] {
  known ??= [...new Set(keysBelow(evalCaseJsonSchema() as SchemaNode, ''))];
  return known;
}

function keysBelow(node: SchemaNode, prefix: string): readonly string[] {
  const own = Object.entries(node.properties ?? {}).flatMap(([name, inner]) => {
    const key = prefix === '' ? name : `${prefix}.${name}`;
    return [key, ...keysBelow(inner, key)];
  });
  const kinds = (node.items?.oneOf ?? []).flatMap((inner) => keysBelow(inner, `${prefix}[]`));
  return [...own, ...kinds];
}

/** Rules that join keys, of a case whose every key is sound by itself. */
function checkSound(file: EvalCaseFile, value: unknown): readonly CaseProblem[] {
  return [
    ...checkSettings(file, value),
    ...Object.keys(file.env).flatMap((name) => checkVariable(['env', name], name)),
    ...file.checks.flatMap((check, index) =>
      'env' in check
        ? Object.keys(check.env).flatMap((name) => checkVariable(['checks', index, 'env', name], name))
        : [],
    ),
    ...file.setup.flatMap(({ env }, index) =>
      Object.keys(env).flatMap((name) => checkVariable(['setup', index, 'env', name], name)),
    ),
    ...checkFiles(['files'], Object.keys(file.files)),
    ...checkFiles(['hidden', 'files'], Object.keys(file.hidden.files)),
    ...checkPaths(file),
  ];
}

function checkSettings({ config, agent }: EvalCaseFile, value: unknown): readonly CaseProblem[] {
  // Which agent it will be is often said on the command line only, and with it which limits can be kept.
  const isNamed = 'name' in spelled(value, 'agent');
  const { limits, review } = config;
  return checkJoined({ agent, limits, sandbox: trialSandbox, review })
    .filter(({ key }) => isNamed || !key.startsWith('limits.'))
    .map(({ key, message }) =>
      fault([...(key.startsWith('agent.') ? [] : ['config']), ...key.split('.')], message),
    );
}

const ownVariables = ['EVAL_CASE', 'EVAL_REPEAT'];

function checkVariable(path: Path, name: string): readonly CaseProblem[] {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    return [fault(path, 'must be the name of an environment variable')];

  return ownVariables.includes(name) ? [fault(path, 'is set by the harness itself')] : [];
}

const ownFolders = ['.git', '.runner'];

/** Below the root, so that an ordinary `/` in a text never means something else. */
const containerPath = /^(?:\/[A-Za-z0-9_][A-Za-z0-9_.-]*)+$/;

/** A folder without files would be a promise that nobody keeps. */
function checkPaths({ paths, oracle }: EvalCaseFile): readonly CaseProblem[] {
  return Object.entries(paths).flatMap(([path, meaning]) => {
    if (!containerPath.test(path)) return [fault(['paths', path], 'must be an absolute path like /app')];
    if (meaning === 'oracle' && oracle?.fixture === undefined)
      return [fault(['paths', path], 'means the folder of the oracle, but oracle.fixture is not set')];
    return [];
  });
}

function checkFiles(table: Path, paths: readonly string[]): readonly CaseProblem[] {
  const taken = new Map(paths.map((path) => [pathNames(path).join('/'), path]));
  return paths.flatMap((path) => {
    const place = [...table, path];
    if (!isInsidePath(path) || /[/\\]$/.test(path))
      return [fault(place, 'must be a path inside the workspace')];
    const names = pathNames(path);
    if (ownFolders.includes(String(names[0]).toLowerCase()))
      return [fault(place, `must not be in ${names[0]}, which git and the runner make`)];

    const above = names.slice(0, -1).map((_, index) => names.slice(0, index + 1).join('/'));
    const file = above.find((folder) => taken.has(folder));
    if (file !== undefined) return [fault(place, `must not be below '${file}', which is a file`)];
    return taken.get(names.join('/')) === path ? [] : [fault(place, 'is there twice')];
  });
}

/** A table as the file spells it, nothing filled in. */
function spelled(value: unknown, table: string): Readonly<Record<string, unknown>> {
  return (value as Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>)[table] ?? {};
}

function caseOf(file: EvalCaseFile, value: unknown): EvalCase {
  const { justfile: _justfile, ...config } = spelled(value, 'config');
  return {
    id: file.case.id,
    goal: file.case.goal,
    description: file.case.description ?? null,
    tags: file.case.tags,
    timeout_secs: file.case.timeout_secs,
    requires: file.case.requires,
    fixture: file.fixture ?? null,
    history: file.history ?? null,
    setup: file.setup,
    files: file.files,
    justfile: file.config.justfile ?? null,
    config,
    agent: spelled(value, 'agent'),
    env: file.env,
    oracle: oracleOf(file),
    hidden: { fixture: file.hidden.fixture ?? null, files: file.hidden.files },
    paths: file.paths,
    checks: file.checks.map(checkOf),
  };
}

function oracleOf({ oracle }: EvalCaseFile): EvalCase['oracle'] {
  if (oracle?.script !== undefined) return { script: oracle.script };
  return oracle?.command === undefined ? null : { command: oracle.command, fixture: oracle.fixture ?? null };
}

function checkOf(check: EvalCaseFile['checks'][number]): EvalCheck {
  switch (check.type) {
    case 'file_contains':
      return { type: check.type, path: check.path, text: check.text ?? null, pattern: check.pattern ?? null };
    case 'tree':
      return {
        type: check.type,
        passes: check.passes ?? null,
        min_nodes: check.min_nodes ?? null,
        max_nodes: check.max_nodes ?? null,
        max_depth: check.max_depth ?? null,
      };
    case 'file_exists':
    case 'command_succeeds':
    case 'command_fails':
    case 'runner_completed':
    case 'max_iterations_used':
      return check;
  }
}

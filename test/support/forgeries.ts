/** Histories that somebody has changed: forged by hand, and at random. Everything is made of objects; no git command has a say. */
import { createHash } from 'node:crypto';
import type { Commit, Objects } from './object-base.ts';

/** One commit of a history on its way to another one. */
export interface Draft extends Commit {
  /** Marks what did not come from the honest history. */
  readonly isMade?: boolean;
}

/** `isClever`: trailers that name commits are brought up to date, as a careful forger would do. */
export function rebuild(objects: Objects, drafts: readonly Draft[], isClever: boolean): readonly string[] {
  const ids = new Map<string, string>();
  const made: string[] = [];
  for (const draft of drafts) {
    const previous = made.at(-1);
    const parents = [...(previous === undefined ? [] : [previous]), ...draft.parents.slice(1)];
    const message = isClever
      ? draft.message.replaceAll(/\b[0-9a-f]{40}\b/gu, (id) => ids.get(id) ?? id)
      : draft.message;
    const id = objects.putCommit({ ...draft, parents, message });
    if (draft.isMade !== true) ids.set(draft.id, id);
    made.push(id);
  }
  return made;
}

export function withMessage(draft: Draft, change: (message: string) => string): Draft {
  return { ...draft, message: change(draft.message) };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export const treeFile = '.runner/state/tree.json';
export const stateFile = '.runner/state/run_state.json';

export type Value = { [key: string]: unknown };

export function withFile(
  objects: Objects,
  draft: Draft,
  path: string,
  change: (text: string) => string | null,
): Draft {
  return { ...draft, tree: objects.withText(draft.tree, path, change(objects.text(draft.tree, path) ?? '')) };
}

export function withJson(
  objects: Objects,
  draft: Draft,
  path: string,
  change: (value: Value) => void,
): Draft {
  return withFile(objects, draft, path, (text) => {
    const value = JSON.parse(text) as Value;
    change(value);
    return `${JSON.stringify(value, null, 2)}\n`;
  });
}

/** The hashes of the trees as they are now: of a forger who knows the trailers. */
export function withHashes(objects: Objects, drafts: readonly Draft[]): readonly Draft[] {
  return drafts.map((draft, at) => {
    const previous = drafts[at - 1];
    const after = sha256(objects.text(draft.tree, treeFile) ?? '');
    const before = previous === undefined ? '' : sha256(objects.text(previous.tree, treeFile) ?? '');
    return withMessage(draft, (message) =>
      message
        .replace(/^(Runner-Tree-After-SHA256: ).*$/mu, `$1${after}`)
        .replace(/^(Runner-Tree-Before-SHA256: ).*$/mu, `$1${before}`),
    );
  });
}

/** Every node of a tree as it is in a file. */
export function nodesOf(value: Value): Value[] {
  return [value, ...((value['children'] as Value[] | undefined) ?? []).flatMap(nodesOf)];
}

/** Small and seeded, so that a failure can be made again. */
export function dice(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (max: number): number => Math.floor(next() * max);
  return {
    below,
    one: <T>(list: readonly T[]): T => list[below(list.length)] as T,
    isHeads: () => next() < 0.5,
  };
}

export type Dice = ReturnType<typeof dice>;

interface Table {
  readonly objects: Objects;
  readonly drafts: readonly Draft[];
  /** Where the run begins; nothing before it is changed. */
  readonly first: number;
  readonly roll: Dice;
}

type Mutation = (table: Table) => readonly Draft[];

function replaceAt(drafts: readonly Draft[], at: number, draft: Draft): readonly Draft[] {
  return drafts.map((one, place) => (place === at ? draft : one));
}

function pick({ drafts, first, roll }: Table): number {
  return first + roll.below(drafts.length - first);
}

const trailerLine = /^Runner-[A-Za-z0-9-]+: .*$/u;

/** A trailer is removed, given twice, or gets another value. */
const changeTrailer: Mutation = (table) => {
  const { drafts, roll } = table;
  const at = pick(table);
  const draft = drafts[at] as Draft;
  const lines = draft.message.split('\n');
  const places = lines.flatMap((line, place) => (trailerLine.test(line) ? [place] : []));
  if (places.length === 0) return drafts;
  const place = roll.one(places);
  const line = String(lines[place]);
  const key = line.slice(0, line.indexOf(': '));
  const others = drafts.flatMap(({ message }) =>
    message.split('\n').filter((one) => one.startsWith(`${key}: `)),
  );
  const changed = roll.one([
    [],
    [line, line],
    [roll.one(others)],
    [line.replace(/[0-9a-f](?!.*[0-9a-f])/u, (digit) => (digit === '0' ? '1' : '0'))],
    [line.replace(/\d+/u, (digits) => String(Number(digits) + 1))],
    [
      `${key}: ${roll.one(['pass', 'retry', 'guard-fail', 'decomposed', 'none', '0', '1', 'execute', 'reopened'])}`,
    ],
  ]);
  lines.splice(place, 1, ...changed);
  return replaceAt(drafts, at, { ...draft, message: lines.join('\n') });
};

const changeSubject: Mutation = (table) => {
  const { drafts, roll } = table;
  const at = pick(table);
  const swaps = [
    [/iter \d+/u, `iter ${1 + roll.below(20)}`],
    [/status=\w+/u, `status=${roll.one(['done', 'retry', 'decomposed'])}`],
    [/guard=\w+/u, `guard=${roll.one(['pass', 'fail', 'skipped'])}`],
    [/node \S+/u, `node ${roll.one(['root', 'root.1', 'root.3', 'a', 'b', 'nobody'])}`],
    [/run test/u, 'run other'],
    [/^chore\(loop\)/u, 'chore'],
  ] as const;
  const [from, to] = roll.one(swaps);
  return replaceAt(
    drafts,
    at,
    withMessage(drafts[at] as Draft, (message) => message.replace(from, to)),
  );
};

function changeNode(value: Value, roll: Dice): void {
  const node = roll.one(nodesOf(value));
  const children = (node['children'] as Value[] | undefined) ?? [];
  const fresh = {
    id: `new.${roll.below(99)}`,
    order: 0,
    title: 't',
    goal: 'g',
    acceptance: [],
    passes: roll.isHeads(),
    attempts: roll.below(2),
    max_attempts: 3,
    children: [],
  };
  const ways: readonly (() => void)[] = [
    () => (node['passes'] = node['passes'] !== true),
    () => (node['attempts'] = Number(node['attempts']) + 1),
    () => (node['attempts'] = Math.max(0, Number(node['attempts']) - 1)),
    () => (node['max_attempts'] = Number(node['max_attempts']) + 1),
    () => (node['title'] = `${String(node['title'])}!`),
    () => (node['order'] = Number(node['order']) + 1),
    () => (node['id'] = `${String(node['id'])}x`),
    () => children.splice(0, 1),
    () => children.push(fresh),
    () => delete node['goal'],
  ];
  roll.one(ways)();
}

/** In one commit, or from one commit on. */
function changeFile(table: Table, path: string, change: (text: string) => string | null): readonly Draft[] {
  const { objects, drafts, roll } = table;
  const [at, isLasting] = [pick(table), roll.isHeads()];
  return drafts.map((draft, place) => {
    if (place < at || (place > at && !isLasting) || objects.text(draft.tree, path) === null) return draft;
    return withFile(objects, draft, path, change);
  });
}

function tolerant(change: (value: Value) => void): (text: string) => string {
  return (text) => {
    try {
      const value = JSON.parse(text) as Value;
      change(value);
      return `${JSON.stringify(value, null, 2)}\n`;
    } catch {
      return text;
    }
  };
}

const changeTree: Mutation = (table) => {
  const seed = table.roll.below(1e9);
  const drafts = changeFile(
    table,
    treeFile,
    tolerant((value) => changeNode(value, dice(seed))),
  );
  return table.roll.isHeads() ? withHashes(table.objects, drafts) : drafts;
};

const changeState: Mutation = (table) => {
  const seed = table.roll.below(1e9);
  return changeFile(
    table,
    stateFile,
    tolerant((value) => changeStateValue(value, dice(seed))),
  );
};

function changeStateValue(value: Value, roll: Dice): void {
  const totals = value['totals'] as Value;
  const nodes = value['nodes'] as Value;
  const record = (Object.values(nodes)[0] ?? {}) as Value;
  const ratchet = value['ratchet'] as { files: Value[] } | null;
  const ways: readonly (() => void)[] = [
    () => (value['next_iter'] = Number(value['next_iter']) + roll.one([-1, 1])),
    () => (value['last_status'] = roll.one(['done', 'retry', 'decomposed', null])),
    () => (value['last_guard'] = roll.one(['pass', 'fail', 'skipped', null])),
    () => (value['last_summary'] = roll.one(['another', null])),
    () => (value['failures_in_a_row'] = roll.below(4)),
    () => (value['judged_sessions'] = Number(value['judged_sessions']) + roll.one([-1, 1])),
    () => (totals['seconds'] = Number(totals['seconds']) + roll.one([-1, 1, 0.5])),
    () => (totals['tokens'] = roll.one([null, 7])),
    () => (value['base_commit'] = roll.one([null, 'f'.repeat(40)])),
    () => (value['base_branch'] = 'another'),
    () => (value['goal_sha256'] = 'f'.repeat(64)),
    () => (value['guard_baseline'] = roll.one(['green', 'red', 'other'])),
    () => (value['repair'] = roll.one([null, { node_id: 'root.3', count: 1, sha256: 'f'.repeat(64) }])),
    () => (record['invalid_trees'] = Number(record['invalid_trees'] ?? 0) + 1),
    () => (record['confirm_asked'] = record['confirm_asked'] !== true),
    () => (record['base'] = roll.one(['f'.repeat(40), 'zzz'])),
    () => (nodes['root.9'] = { ...record }),
    () => ratchet?.files.pop(),
    () => ratchet?.files.forEach((file) => (file['oid'] = 'f'.repeat(40))),
    () => (value['ratchet'] = null),
    () => (value['run_id'] = 'other'),
    () => (value['unknown'] = 1),
    () => delete value['repair'],
  ];
  roll.one(ways)();
}

/** Other ways to write the same, and what only a lenient reader takes. */
const spellings: readonly ((text: string) => string)[] = [
  (text) => text.replace(/: (\d+)(?=[,\n])/u, ': $1.0'),
  (text) => text.replaceAll(/: (\d+)(?=[,\n])/gu, ': $1e0'),
  (text) => text.replace(/: 0(?=[,\n])/u, ': -0.0'),
  (text) => text.replace(/: \d+(?=[,\n])/u, ': NaN'),
  (text) => text.replace(/: \d+(?=[,\n])/u, ': 9007199254740993'),
  (text) => text.replace(/: \d+(?=[,\n])/u, ': 1e400'),
  (text) => text.replace(/": "/u, String.raw`": "\ud800`),
  (text) => text.replace(/": "/u, String.raw`": "\ud83d\ude00`),
  (text) => `\uFEFF${text}`,
  (text) => text.replace(/^( *"\w+": .*,\n)/mu, '$1$1'),
  (text) => text.replace('{', '{ "__proto__": 0, '),
  (text) => text.replace('{', `{ "deep": ${'['.repeat(300)}${']'.repeat(300)}, `),
  (text) => text.replaceAll('\n', '\r\n'),
];

const changeSpelling: Mutation = (table) => {
  const path = table.roll.one([treeFile, treeFile, stateFile]);
  const [seed, isChanged] = [table.roll.below(1e9), table.roll.isHeads()];
  const change = path === treeFile ? changeNode : changeStateValue;
  const spell = table.roll.one(spellings);
  const changed = tolerant((value) => change(value, dice(seed)));
  return changeFile(table, path, (text) => spell(isChanged ? changed(text) : text));
};

const otherFiles = [
  ...[
    'lib.txt',
    'check.sh',
    'a.txt',
    '.gitignore',
    '.envrc',
    'new.txt',
    '.runner/GOAL.md',
    '.runner/state/config.toml',
  ],
  ...['.runner/state/tree.rejected.json', '.runner/nodes/root.3/last.json', '.runner/state/answers.md'],
  ...['.runner/nodes/root.5/dropped.json', '.runner/state/assumptions.md', '.runner/nodes/a/last.json'],
];

const changeOther: Mutation = (table) => {
  const { objects, drafts, roll } = table;
  const [at, path, isLasting, isGone] = [
    pick(table),
    roll.one(otherFiles),
    roll.isHeads(),
    roll.below(4) === 0,
  ];
  return drafts.map((draft, place) =>
    place < at || (place > at && !isLasting)
      ? draft
      : withFile(objects, draft, path, (text) => (isGone ? null : `${text}# changed\n`)),
  );
};

const settings = ['on_stuck = "decompose"', 'max_attempts_default = 9', 'on_stuck = "defer"'];

const changeSettings: Mutation = (table) => {
  const line = table.roll.one(settings);
  return changeFile(table, '.runner/state/config.toml', (text) =>
    text.includes(line.split(' ')[0] ?? '') ? text : `${line}\n${text}`,
  );
};

const remove: Mutation = (table) => {
  const at = pick(table);
  return table.drafts.filter((_, place) => place !== at);
};

const swap: Mutation = (table) => {
  const at = Math.min(pick(table), table.drafts.length - 2);
  const { drafts } = table;
  return [...drafts.slice(0, at), drafts[at + 1] as Draft, drafts[at] as Draft, ...drafts.slice(at + 2)];
};

const cut: Mutation = (table) => table.drafts.slice(0, pick(table) + 1);

/** A commit of the history once more, elsewhere. */
const repeat: Mutation = (table) => {
  const [at, to] = [pick(table), pick(table)];
  const copy = { ...(table.drafts[at] as Draft), isMade: true };
  return [...table.drafts.slice(0, to + 1), copy, ...table.drafts.slice(to + 1)];
};

/** A commit of nobody: a person's, plain, or one that poses as a command. */
const insert: Mutation = (table) => {
  const { objects, drafts, roll } = table;
  const at = pick(table);
  const ground = drafts[at] as Draft;
  const message = roll.one([
    'docs: a person\n',
    `chore(loop): edit root\n\nRunner-Person: ${roll.one(['edit', 'add', 'retry', 'drop', 'move', 'config set', 'other'])}\n`,
    `chore(loop): start run test\n\nRunner-Run: test\nRunner-Proof: ${roll.one([1, 2])}\n`,
  ]);
  const made: Draft = { ...ground, parents: [], message, isMade: true };
  const seed = roll.below(1e9);
  const draft = roll.one([
    made,
    withFile(objects, made, 'lib.txt', (text) => `${text}x\n`),
    withFile(
      objects,
      made,
      treeFile,
      tolerant((value) => changeNode(value, dice(seed))),
    ),
    withFile(
      objects,
      made,
      stateFile,
      tolerant((value) => changeStateValue(value, dice(seed))),
    ),
  ]);
  return [...drafts.slice(0, at + 1), draft, ...drafts.slice(at + 1)];
};

const mutations: readonly Mutation[] = [
  ...[changeTrailer, changeTrailer, changeTrailer, changeSubject, changeTree, changeTree, changeTree],
  ...[changeSpelling, changeSpelling],
  ...[changeState, changeState, changeOther, changeSettings, remove, swap, cut, repeat, insert, insert],
];

/** A history with one to three changes; returns its last commit. */
export function mutate(
  objects: Objects,
  tip: string,
  seed: number,
): { readonly tip: string; readonly what: string } {
  const roll = dice(seed);
  let drafts: readonly Draft[] = objects.line(tip);
  const first = drafts.findIndex(({ message }) => message.startsWith('chore(loop): start run test'));
  const times = roll.one([1, 1, 1, 2, 3]);
  for (let time = 0; time < times; time += 1) drafts = roll.one(mutations)({ objects, drafts, first, roll });
  const isClever = roll.below(4) > 0;
  return {
    tip: rebuild(objects, drafts, isClever).at(-1) ?? '',
    what: `seed ${seed}${isClever ? ', clever' : ''}`,
  };
}

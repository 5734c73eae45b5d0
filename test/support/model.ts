/**
 * A second telling of the outcome table (§5), of selection and `on_stuck` (§4), of REPAIR and of the empty change (§9): flat cards and a
 * list of rows, first match wins. It imports nothing from the code it is compared with and knows no texts, only what is counted.
 */

/** A node without its children: who stands above it says all. */
export interface Card {
  readonly parent: string | null;
  readonly order: number;
  /** Title, goal and acceptance, as one string. */
  readonly text: string;
  readonly passes: boolean;
  readonly attempts: number;
  readonly max: number;
}

export type Cards = ReadonlyMap<string, Card>;

export interface ModelConfig {
  readonly onStuck: 'stop' | 'defer' | 'decompose';
  readonly onTimeout: 'stop' | 'continue';
  readonly emptyChange: 'confirm' | 'reject' | 'allow';
  readonly maxFailures: number;
  readonly maxRepairs: number;
  readonly maxAttempts: number;
  readonly allowRemoval: boolean;
  /** Folder names under `.runner/nodes/`. */
  readonly taken: ReadonlySet<string>;
}

export interface ModelState {
  readonly cards: Cards;
  readonly repair: { readonly node: string; readonly count: number } | null;
  readonly invalidTrees: ReadonlyMap<string, number>;
  readonly asked: ReadonlySet<string>;
  readonly planned: ReadonlySet<string>;
  readonly base: ReadonlyMap<string, string>;
  readonly failures: number;
}

export interface ModelEvent {
  readonly end: 'exited' | 'interrupted' | 'paused' | 'out_of_time' | 'blocked' | 'failed' | 'undone';
  /** What stood at tree.json: nothing of a tree, too much of one, or cards as the agent wrote them. */
  readonly tree: 'invalid' | 'over_limit' | Cards;
  /** Null: missing, not JSON, not of the schema, over 64 KiB. `children`: the texts of those it lists, null without a list. */
  readonly answer: {
    readonly status: 'done' | 'retry' | 'decomposed';
    readonly isTooLong: boolean;
    readonly children: readonly string[] | null;
  } | null;
  readonly guard: 'passed' | 'failed' | 'not_started' | 'out_of_time' | 'interrupted' | 'cut_off';
  /** What the second opinion on work with a green guard came to; `none`: nobody was asked. */
  readonly review:
    | 'none'
    | 'pass'
    | 'fail'
    | 'no_verdict'
    | 'interrupted'
    | 'paused'
    | 'out_of_time'
    | 'blocked'
    | 'failed';
  /** Everything outside `.runner/` before and after the session, as one name each. */
  readonly workBefore: string;
  readonly workAfter: string;
}

export type Pick =
  | { readonly kind: 'complete' }
  | { readonly kind: 'stuck' | 'execute' | 'plan' | 'repair'; readonly id: string };

export interface ModelResult {
  readonly state: ModelState;
  readonly status: 'done' | 'retry' | 'decomposed';
  readonly guard: 'pass' | 'fail' | 'skipped';
  readonly stop:
    | null
    | 'interrupted'
    | 'paused'
    | 'timeout'
    | 'blocked'
    | 'failing'
    | 'guard_not_started'
    | 'stuck';
}

export function modelStart(cards: Cards): ModelState {
  return {
    cards,
    repair: null,
    invalidTrees: new Map(),
    asked: new Set(),
    planned: new Set(),
    base: new Map(),
    failures: 0,
  };
}

/** Ids of the children, in order; siblings by order, then by id (ASCII only, so `<` is by code point). */
function childrenOf(cards: Cards, parent: string | null): readonly string[] {
  return [...cards]
    .filter(([, { parent: above }]) => above === parent)
    .toSorted(([a, left], [b, right]) => left.order - right.order || (a < b ? -1 : 1))
    .map(([id]) => id);
}

function leaves(cards: Cards): readonly string[] {
  const down = (id: string): readonly string[] => {
    const children = childrenOf(cards, id);
    return children.length === 0 ? [id] : children.flatMap(down);
  };
  return childrenOf(cards, null).flatMap(down);
}

function card(cards: Cards, id: string): Card {
  const found = cards.get(id);
  if (found === undefined) throw new Error(`the model has no card ${id}`);
  return found;
}

const isSpent = ({ attempts, max }: Card): boolean => attempts >= max;

/** §4. */
export function modelSelect(state: ModelState, config: ModelConfig): Pick {
  if (state.repair !== null) return { kind: 'repair', id: state.repair.node };
  const open = leaves(state.cards).filter((id) => !card(state.cards, id).passes);
  const [first] = open;
  if (first === undefined) return { kind: 'complete' };
  if (!isSpent(card(state.cards, first))) return { kind: 'execute', id: first };
  if (config.onStuck === 'decompose' && !state.planned.has(first)) return { kind: 'plan', id: first };
  const next = config.onStuck === 'defer' ? open.find((id) => !isSpent(card(state.cards, id))) : undefined;
  return next === undefined ? { kind: 'stuck', id: first } : { kind: 'execute', id: next };
}

/** §3: runner-owned keys of open and new nodes come from the baseline; passed nodes stay as they were written. */
function owned(before: Cards, written: Cards, config: ModelConfig): Cards {
  const fill = (id: string, from: Card): Card => {
    const old = before.get(id);
    if (old === undefined) return { ...from, passes: false, attempts: 0, max: config.maxAttempts };
    return old.passes ? from : { ...from, passes: false, attempts: old.attempts, max: old.max };
  };
  return new Map([...written].map(([id, from]) => [id, fill(id, from)]));
}

function hasOpenBelow(cards: Cards, id: string): boolean {
  return childrenOf(cards, id).some((child) => !card(cards, child).passes || hasOpenBelow(cards, child));
}

function same(a: Card | undefined, b: Card | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The malformed rules that speak of the tree alone, so that a repair is held to them too. */
function breaksTree(before: Cards, next: Cards, config: ModelConfig): boolean {
  const passed = [...before.keys()].filter((id) => card(before, id).passes);
  const gone = [...before.keys()].filter((id) => !next.has(id));
  const had = (id: string): boolean => childrenOf(before, id).length > 0;
  const internal = [...next.keys()].filter((id) => childrenOf(next, id).length > 0 || had(id));
  // "Agents may move them under nodes that were internal", and nowhere else.
  const strayed = [...next].filter(([id, { parent }]) => {
    const old = before.get(id);
    return old !== undefined && old.parent !== parent && (parent === null || !had(parent));
  });
  return (
    passed.some((id) => !same(before.get(id), next.get(id)) || hasOpenBelow(next, id)) ||
    (gone.length > 0 && !config.allowRemoval) ||
    strayed.length > 0 ||
    internal.some((id) => !card(next, id).passes && !hasOpenBelow(next, id))
  );
}

function gained(before: Cards, next: Cards, id: string): number {
  const had = new Set(childrenOf(before, id));
  return childrenOf(next, id).filter((child) => !had.has(child)).length;
}

interface Facts {
  readonly id: string;
  readonly state: ModelState;
  readonly config: ModelConfig;
  readonly event: ModelEvent;
  /** The agent's tree with the runner's keys; null when it is none. */
  readonly next: Cards | null;
}

/** The malformed rules that name the selected node or the answer. */
function breaksAnswer({ id, state, event, next }: Facts): boolean {
  const before = state.cards;
  const { answer } = event;
  if (next === null || answer === null || !next.has(id)) return true;
  const otherLeafGrew = leaves(before).some(
    (leaf) => leaf !== id && !card(before, leaf).passes && gained(before, next, leaf) > 0,
  );
  const inTree = gained(before, next, id) > 0;
  const inAnswer = (answer.children ?? []).length > 0;
  const wrong = {
    done: inTree || inAnswer || card(before, id).text !== card(next, id).text,
    retry: inTree || inAnswer,
    decomposed: answer.children?.length === 0 || inTree === inAnswer,
  };
  return otherLeafGrew || answer.isTooLong || wrong[answer.status];
}

function isEmptyChange({ id, state, event }: Facts): boolean {
  return (state.base.get(id) ?? event.workBefore) === event.workAfter;
}

interface Row {
  readonly when: (facts: Facts) => boolean;
  readonly status?: ModelResult['status'];
  readonly guard?: ModelResult['guard'];
  readonly tree?: 'agent' | 'agent_and_children' | 'agent_and_pass';
  readonly attempts?: (facts: Facts) => number;
  readonly stop?: (facts: Facts) => ModelResult['stop'];
  /** Back to 0 on a judged answer (§1.6), one more where the table says "counts towards `max_failures`". */
  readonly failures?: 'reset' | 'reset_if_answered' | 'count';
  readonly marks?: 'invalid' | 'fruitless' | 'repaired' | 'asked' | 'planned';
}

const always = (): boolean => true;
const one = (): number => 1;

/** The rows of a session that never came to be judged; they hold for the agent and for the reviewer. */
function troubled(endOf: (event: ModelEvent) => string): readonly Row[] {
  return [
    { when: ({ event }) => endOf(event) === 'interrupted', stop: () => 'interrupted' },
    { when: ({ event }) => endOf(event) === 'paused', stop: () => 'paused' },
    {
      when: ({ event }) => endOf(event) === 'out_of_time',
      stop: ({ config }) => (config.onTimeout === 'stop' ? 'timeout' : null),
      failures: 'count',
    },
    { when: ({ event }) => endOf(event) === 'blocked', stop: () => 'blocked' },
    { when: ({ event }) => endOf(event) === 'failed', failures: 'count' },
  ];
}

/** They hold for every kind of iteration. */
const unjudged: readonly Row[] = [
  ...troubled(({ end }) => end),
  { when: ({ event }) => event.end === 'undone' },
];

const repairRows: readonly Row[] = [
  ...unjudged,
  {
    when: ({ next, state, config }) => next === null || breaksTree(state.cards, next, config),
    marks: 'fruitless',
    failures: 'reset_if_answered',
  },
  { when: always, tree: 'agent', marks: 'repaired', failures: 'reset_if_answered' },
];

const isMalformed = (facts: Facts): boolean =>
  facts.next === null || breaksTree(facts.state.cards, facts.next, facts.config) || breaksAnswer(facts);

const planRows: readonly Row[] = [
  ...unjudged,
  {
    when: (facts) => facts.event.answer?.status === 'decomposed' && !isMalformed(facts),
    status: 'decomposed',
    tree: 'agent_and_children',
    marks: 'planned',
    failures: 'reset',
  },
  { when: always, marks: 'planned', stop: () => 'stuck' },
];

const asRetry: Omit<Row, 'when'> = { tree: 'agent', attempts: one, failures: 'reset' };

const executeRows: readonly Row[] = [
  ...unjudged,
  {
    when: ({ event }) => event.tree === 'invalid',
    marks: 'invalid',
    attempts: ({ state, id, config }) =>
      (state.invalidTrees.has(id) ? 1 : 0) + (config.maxRepairs === 0 ? 1 : 0),
    failures: 'reset_if_answered',
  },
  { when: ({ event }) => event.answer === null, failures: 'count' },
  { when: isMalformed, attempts: one, failures: 'reset' },
  { when: ({ event }) => event.answer?.status === 'retry', ...asRetry },
  {
    when: ({ event }) => event.answer?.status === 'decomposed',
    status: 'decomposed',
    tree: 'agent_and_children',
    failures: 'reset',
  },
  { when: (facts) => isEmptyChange(facts) && facts.config.emptyChange === 'reject', ...asRetry },
  {
    when: (facts) =>
      isEmptyChange(facts) && facts.config.emptyChange === 'confirm' && !facts.state.asked.has(facts.id),
    tree: 'agent',
    marks: 'asked',
    failures: 'reset',
  },
  { when: ({ event }) => event.guard === 'interrupted', stop: () => 'interrupted' },
  {
    when: ({ event }) => event.guard === 'out_of_time',
    stop: ({ config }) => (config.onTimeout === 'stop' ? 'timeout' : null),
    failures: 'count',
  },
  { when: ({ event }) => event.guard === 'not_started', stop: () => 'guard_not_started' },
  { when: ({ event }) => event.guard === 'cut_off', ...asRetry },
  {
    when: ({ event }) => event.guard === 'failed',
    ...asRetry,
    status: 'done',
    guard: 'fail',
  },
  ...troubled(({ review }) => review),
  { when: ({ event }) => event.review === 'no_verdict', failures: 'count' },
  {
    when: ({ event }) => event.guard === 'passed' && event.review === 'fail',
    ...asRetry,
    status: 'done',
    guard: 'fail',
  },
  {
    when: ({ event }) => event.guard === 'passed' && (event.review === 'none' || event.review === 'pass'),
    status: 'done',
    guard: 'pass',
    tree: 'agent_and_pass',
    failures: 'reset',
  },
];

const tables = { execute: executeRows, plan: planRows, repair: repairRows };

function raise(cards: Cards, id: string, by: number): Cards {
  const old = card(cards, id);
  return new Map(cards).set(id, { ...old, attempts: Math.min(old.max, old.attempts + by) });
}

function withChildren(cards: Cards, facts: Facts): Cards {
  const { taken, maxAttempts } = facts.config;
  const next = new Map(cards);
  let number = 1;
  for (const [order, text] of (facts.event.answer?.children ?? []).entries()) {
    while (next.has(`${facts.id}.${number}`) || taken.has(`${facts.id}.${number}`)) number += 1;
    next.set(`${facts.id}.${number}`, {
      parent: facts.id,
      order,
      text,
      passes: false,
      attempts: 0,
      max: maxAttempts,
    });
  }
  return next;
}

/** The leaf passes; whoever stands above passes when all its children do. */
function withPass(cards: Cards, id: string): Cards {
  const next = new Map(cards);
  for (let at: string | null = id; at !== null; at = card(next, at).parent) {
    if (!childrenOf(next, at).every((child) => card(next, child).passes)) break;
    next.set(at, { ...card(next, at), passes: true });
  }
  return next;
}

function nextCards(row: Row, facts: Facts): Cards {
  const agent = facts.next ?? facts.state.cards;
  const trees = {
    baseline: () => facts.state.cards,
    agent: () => agent,
    agent_and_children: () => withChildren(agent, facts),
    agent_and_pass: () => withPass(agent, facts.id),
  };
  const cards = trees[row.tree ?? 'baseline']();
  const by = row.attempts?.(facts) ?? 0;
  return by === 0 ? cards : raise(cards, facts.id, by);
}

function afterRepair(row: Row, facts: Facts, state: ModelState): ModelState {
  if (row.marks === 'repaired') return { ...state, repair: null };
  if (row.marks === 'invalid') {
    const times = (state.invalidTrees.get(facts.id) ?? 0) + 1;
    return {
      ...state,
      repair: facts.config.maxRepairs === 0 ? null : { node: facts.id, count: 0 },
      invalidTrees: new Map(state.invalidTrees).set(facts.id, times),
    };
  }
  if (row.marks !== 'fruitless' || state.repair === null) return state;
  const count = state.repair.count + 1;
  if (count < facts.config.maxRepairs) return { ...state, repair: { ...state.repair, count } };
  const isLeaf = state.cards.has(facts.id) && childrenOf(state.cards, facts.id).length === 0;
  return { ...state, repair: null, cards: isLeaf ? raise(state.cards, facts.id, 1) : state.cards };
}

const plus = (set: ReadonlySet<string>, id: string, isWanted: boolean): ReadonlySet<string> =>
  isWanted ? new Set(set).add(id) : set;

function failuresAfter(row: Row, { state, event }: Facts): number {
  if (row.failures === 'count') return state.failures + 1;
  const isAnswered = row.failures === 'reset_if_answered' && event.answer !== null;
  return row.failures === 'reset' || isAnswered ? 0 : state.failures;
}

/** One iteration on what `modelSelect` picked. */
export function modelStep(
  state: ModelState,
  pick: Exclude<Pick, { kind: 'complete' }>,
  { config, event }: { readonly config: ModelConfig; readonly event: ModelEvent },
): ModelResult {
  if (pick.kind === 'stuck') throw new Error('nothing to do on a stuck leaf');
  const next = typeof event.tree === 'string' ? null : owned(state.cards, event.tree, config);
  const facts: Facts = { id: pick.id, state, config, event, next };
  const row = tables[pick.kind].find(({ when }) => when(facts));
  if (row === undefined) throw new Error('the table has no row for this');
  const failures = failuresAfter(row, facts);
  const after: ModelState = {
    ...state,
    cards: nextCards(row, facts),
    asked: plus(state.asked, pick.id, row.marks === 'asked'),
    planned: plus(state.planned, pick.id, row.marks === 'planned'),
    base: state.base.has(pick.id) ? state.base : new Map(state.base).set(pick.id, event.workBefore),
    failures,
  };
  const isFailing = row.failures === 'count' && failures >= config.maxFailures;
  return {
    state: afterRepair(row, facts, after),
    status: row.status ?? 'retry',
    guard: row.guard ?? 'skipped',
    stop: row.stop?.(facts) ?? (isFailing ? 'failing' : null),
  };
}

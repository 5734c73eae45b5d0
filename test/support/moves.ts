/**
 * Random behaviour of agents and guards, told without a tree so that it can be shrunk, and its resolution against the tree
 * at hand: once as the texts the code reads, once as the cards the model reads.
 */
import fc from 'fast-check';
import type { GuardRun, ReviewRun, SessionEnd, SessionFacts, Usage } from '../../src/core/agents/session.ts';
import type { AgentStatus, SourceText, TreeNode } from '../../src/core/types.ts';
import type { Draft, Edit, EditScene } from './edits.ts';
import { applyEdit, arbEdit, thaw } from './edits.ts';
import { guardWith, reviewWith, sessionWith, textSource } from './facts.ts';
import type { Card, Cards, ModelEvent } from './model.ts';
import { node } from './trees.ts';

export interface Move {
  readonly end: ModelEvent['end'];
  readonly tree: 'edited' | 'invalid' | 'over_limit' | 'too_large' | 'missing';
  readonly edits: readonly Edit[];
  /** Which of the ways to give no answer, or the status of one. */
  readonly answer: 'missing' | 'prose' | 'schema' | 'too_large' | 'unreadable' | AgentStatus;
  readonly isTooLong: boolean;
  readonly children: number | null;
  readonly guard: ModelEvent['guard'];
  readonly review: ModelEvent['review'];
  readonly work: 'same' | 'base' | 'new';
  readonly usage: Usage;
  readonly reviewUsage: Usage;
}

function often<T>(usual: T, usualWeight: number, others: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: usualWeight, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );
}

/** Whole tokens, and dollars to the millionth, as agents report them. */
const arbUsage: fc.Arbitrary<Usage> = fc.record({
  input_tokens: fc.option(fc.nat()),
  cached_input_tokens: fc.option(fc.nat()),
  output_tokens: fc.option(fc.nat()),
  cost_usd: fc.option(fc.nat().map((millionths) => millionths / 1e6)),
});

/** Mostly sessions that end by themselves, leave a sound tree and answer: rare things in a row would hide the rest of the table. */
export function arbMove(ends: readonly ModelEvent['end'][]): fc.Arbitrary<Move> {
  const free: fc.Arbitrary<Move> = fc.record({
    end: often<ModelEvent['end']>('exited', 6, ends),
    tree: often<Move['tree']>('edited', 5, ['invalid', 'over_limit', 'too_large', 'missing']),
    edits: fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(arbEdit, { maxLength: 3 }) },
    ),
    answer: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom<AgentStatus[]>('done', 'done', 'retry', 'decomposed') },
      {
        weight: 1,
        arbitrary: fc.constantFrom<Move['answer'][]>('missing', 'prose', 'schema', 'too_large', 'unreadable'),
      },
    ),
    isTooLong: often(false, 20, [true]),
    children: fc.option(fc.nat({ max: 3 }), { freq: 1 }),
    guard: often<ModelEvent['guard']>('passed', 2, [
      'failed',
      'failed',
      'not_started',
      'out_of_time',
      'interrupted',
      'cut_off',
    ]),
    review: often<ModelEvent['review']>('none', 1, [
      'pass',
      'pass',
      'fail',
      'no_verdict',
      'interrupted',
      'paused',
      'out_of_time',
      'blocked',
      'failed',
    ]),
    work: fc.constantFrom('same', 'base', 'new'),
    usage: arbUsage,
    reviewUsage: arbUsage,
  });
  const sensible = free.map((move): Move => ({
    ...move,
    tree: 'edited',
    edits: [],
    isTooLong: false,
    children: move.answer === 'decomposed' ? (move.children ?? 0) + 1 : null,
  }));
  const careless = fc
    .tuple(free, fc.constantFrom<Move['tree'][]>('invalid', 'missing', 'over_limit'))
    .map(([move, tree]): Move => ({ ...move, end: 'exited', tree }));
  const editing = fc.tuple(free, arbEdit).map(([move, edit]): Move => ({
    ...move,
    end: 'exited',
    tree: 'edited',
    edits: [edit],
    isTooLong: false,
  }));
  return fc.oneof(
    { weight: 3, arbitrary: free },
    { weight: 3, arbitrary: sensible },
    { weight: 2, arbitrary: editing },
    { weight: 1, arbitrary: careless },
  );
}

export interface Scene extends EditScene {
  readonly tree: TreeNode;
  readonly workBefore: string;
  readonly base: string;
  readonly newWork: () => string;
}

export interface Played {
  readonly session: SessionFacts;
  readonly guard: GuardRun;
  /** What the review would be, if the guard lets it come to one. */
  readonly review: ReviewRun | null;
  readonly workAfter: string;
  readonly event: ModelEvent;
}

export function play(move: Move, scene: Scene): Played {
  const draft = thaw(scene.tree);
  for (const edit of move.edits) applyEdit(draft, edit, scene);
  const answer = answerOf(move, scene);
  const workAfter = { same: scene.workBefore, base: scene.base, new: '' }[move.work] || scene.newWork();
  return {
    session: sessionWith({
      end: ends[move.end],
      agent_tree: treeText(move, draft),
      answer: answer.source,
      usage: move.usage,
    }),
    review: reviewOf(move),
    guard: guardWith(guardEnds[move.guard], { output: 'check "x" failed\n' }),
    workAfter,
    event: {
      end: move.end,
      tree:
        { edited: cardsOf(draft), over_limit: 'over_limit', too_large: 'over_limit' }[
          move.tree as 'edited'
        ] ?? 'invalid',
      answer: answer.event,
      guard: move.guard,
      review: move.review,
      workBefore: scene.workBefore,
      workAfter,
    },
  };
}

const ends: Readonly<Record<ModelEvent['end'], SessionEnd>> = {
  exited: { kind: 'exited' },
  interrupted: { kind: 'interrupted', signal: 'SIGINT' },
  paused: { kind: 'paused' },
  out_of_time: { kind: 'out_of_time', seconds: 1800 },
  blocked: { kind: 'blocked', failure: 'not_logged_in', reason: 'not logged in', fix: 'agent login' },
  failed: { kind: 'failed', failure: 'crashed', reason: 'exit code 2' },
  undone: { kind: 'undone' },
};

function reviewOf({ review, reviewUsage: usage }: Move): ReviewRun | null {
  switch (review) {
    case 'none':
      return null;
    case 'pass':
    case 'fail':
      return reviewWith({ verdict: review, findings: ['a test is missing'] }, { usage });
    case 'no_verdict':
      return reviewWith(null, { usage });
    case 'interrupted':
    case 'paused':
    case 'out_of_time':
    case 'blocked':
    case 'failed':
      // Whatever such a session has said by then, it is no verdict.
      return reviewWith({ verdict: 'pass', findings: [] }, { usage, end: ends[review] });
  }
}

const guardEnds: Readonly<Record<ModelEvent['guard'], GuardRun['end']>> = {
  passed: { kind: 'passed' },
  failed: { kind: 'failed', reason: 'exit code 1' },
  not_started: { kind: 'not_started', reason: 'no such program' },
  out_of_time: { kind: 'out_of_time', seconds: 1700 },
  interrupted: { kind: 'interrupted', signal: 'SIGTERM' },
  cut_off: { kind: 'cut_off' },
};

/** The tree as flat cards; siblings need no order, the order key says it. */
export function cardsOf(tree: TreeNode): Cards {
  const cards = new Map<string, Card>();
  const visit = (at: TreeNode, parent: string | null): void => {
    const { order, passes, attempts, max_attempts: max } = at;
    cards.set(at.id, { parent, order, text: textOf(at), passes, attempts, max });
    for (const below of at.children) visit(below, at.id);
  };
  visit(tree, null);
  return cards;
}

function textOf({ title, goal, acceptance }: Pick<TreeNode, 'title' | 'goal' | 'acceptance'>): string {
  return JSON.stringify([title, goal, acceptance]);
}

function treeText(move: Move, draft: Draft): SourceText {
  const texts: Readonly<Record<Move['tree'], () => SourceText>> = {
    edited: () => textSource(JSON.stringify(draft)),
    invalid: () => textSource(JSON.stringify({ ...draft, goal: 1 })),
    over_limit: () => {
      draft.children.push(thaw(node('over.limit', { title: 'x'.repeat(201) })));
      return textSource(JSON.stringify(draft));
    },
    too_large: () => ({ kind: 'too_large', bytes: 70_000_000, bytesMax: 67_108_864 }),
    missing: () => ({ kind: 'missing' }),
  };
  return texts[move.tree]();
}

const noAnswers: Readonly<Record<string, SourceText>> = {
  missing: { kind: 'missing' },
  prose: textSource('All done!'),
  schema: textSource('{"status":"passed","summary":"","children":null}'),
  too_large: textSource(JSON.stringify({ status: 'done', summary: 'x'.repeat(70_000), children: null })),
  unreadable: { kind: 'unreadable', message: 'a folder' },
};

function answerOf(
  move: Move,
  { newId }: Scene,
): { readonly source: SourceText; readonly event: ModelEvent['answer'] } {
  const source = noAnswers[move.answer];
  if (source !== undefined) return { source, event: null };
  const status = move.answer as AgentStatus;
  const count = move.children === null || newId !== null ? move.children : 0;
  const children =
    count === null
      ? null
      : Array.from({ length: count }, (_, index) => ({
          title: `part ${index}`,
          goal: 'smaller',
          acceptance: [],
        }));
  const summary = move.isTooLong ? 'é'.repeat(4097) : 'what was done';
  return {
    source: textSource(JSON.stringify({ status, summary, children })),
    event: { status, isTooLong: move.isTooLong, children: children?.map(textOf) ?? null },
  };
}

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkIteration } from '../../../src/core/proof/check-iteration.ts';
import { provenKeys } from '../../../src/core/proof/run-states.ts';
import { outcomeNames } from '../../../src/core/iteration/outcome-row.ts';
import type { OutcomeInput } from '../../../src/core/iteration/outcome-row.ts';
import { renderTree } from '../../../src/core/tree/canonical-json.ts';
import type { RunState } from '../../../src/core/types.ts';
import {
  accepted,
  configWith,
  edited,
  guardWith,
  recordWith,
  reviewWith,
  runStateWith,
  sessionWith,
  sha256,
  smallTree,
  textSource,
  usageWith,
} from '../../support/facts.ts';
import { base, factsWith, filesOf, iterationStep, missing } from '../../support/proof-model.ts';
import type { Given, Step } from '../../support/proof-model.ts';
import type { IterationTransition } from '../../../src/core/proof/transition.ts';
import { node } from '../../support/trees.ts';

const rules = { sha256, needsWork: true };
const check = ({ transition, facts }: Step<IterationTransition>) => checkIteration(transition, facts, rules);

const stateWith = (fields: Partial<RunState> = {}): RunState =>
  runStateWith({ next_iter: 7, failures_in_a_row: 2, judged_sessions: 4, ...fields });
const agentTree = edited(smallTree(), 'b', (b) => ({ ...b, title: 'by the agent' }));
const splitTree = edited(agentTree, 'a', (a) => ({ ...a, children: [node('a.1')] }));
const done = (fields: Partial<OutcomeInput> = {}): Partial<OutcomeInput> => ({
  judgement: accepted('done', { tree: agentTree }),
  guard: guardWith({ kind: 'passed' }),
  ...fields,
});
const failed = (by: 'guard' | 'ratchet' | 'clone' | 'bytes' | 'counterfactual'): Given => ({
  input: done({ guard: guardWith({ kind: 'failed', reason: 'red', by }) }),
  ...(by === 'counterfactual' ? { counterfactual: 'green' } : {}),
});
const asked = recordWith({ base: 'd'.repeat(40), confirm_asked: true });
const withRecord = (record = asked): Partial<OutcomeInput> => ({
  record,
  runState: stateWith({ nodes: { a: record } }),
});
const empty = { facts: { sinceNode: [] } };
const repair = { node_id: 'a', count: 0, sha256: sha256('broken') };
const repairing = (count = 0): Partial<OutcomeInput> => ({
  purpose: 'repair',
  runState: stateWith({ repair: { ...repair, count } }),
});
const stuck = smallTree({ attempts: 3 });
const planning: Partial<OutcomeInput> = {
  purpose: 'plan',
  before: stuck,
  config: configWith({ on_stuck: 'decompose' }),
};
const plan: Given['facts'] = { config: { on_stuck: 'decompose' } };
const broken = sessionWith({ agent_tree: textSource('broken') });
const treeInvalid = { kind: 'tree_invalid', violations: [], answered: true } as const;

/** Every row, at least once. */
const rows: readonly (readonly [name: string, given: Given])[] = [
  ['interrupted', { input: { session: sessionWith({ end: { kind: 'interrupted', signal: 'SIGTERM' } }) } }],
  [
    'interrupted in the guard',
    {
      input: done({ guard: guardWith({ kind: 'interrupted', signal: 'SIGINT' }) }),
      guardExit: null,
      change: (text) => text,
    },
  ],
  ['out-of-time', { input: { session: sessionWith({ end: { kind: 'out_of_time', seconds: 9 } }) } }],
  ['undone', { input: { session: sessionWith({ end: { kind: 'undone' } }) } }],
  [
    'blocked',
    {
      input: { session: sessionWith({ end: { kind: 'blocked', failure: 'quota', reason: 'r', fix: 'f' } }) },
    },
  ],
  [
    'agent-failed',
    { input: { session: sessionWith({ end: { kind: 'failed', failure: 'crashed', reason: 'r' } }) } },
  ],
  ['tree-invalid', { input: { session: broken, judgement: treeInvalid } }],
  [
    'tree-invalid without an answer',
    { input: { session: broken, judgement: { ...treeInvalid, answered: false } } },
  ],
  [
    'tree-invalid, a tree too large to keep',
    { input: { session: sessionWith({ agent_tree: missing }), judgement: treeInvalid } },
  ],
  [
    'tree-invalid for the second time, never repaired',
    {
      input: {
        session: broken,
        judgement: treeInvalid,
        config: configWith({ tree: { max_repairs: 0 } }),
        ...withRecord({ ...asked, invalid_trees: 1 }),
      },
      facts: { config: { tree: { max_repairs: 0 } } },
    },
  ],
  ['no-answer', { input: { judgement: { kind: 'no_answer', error: 'none' } } }],
  ['malformed', { input: { judgement: { kind: 'malformed', violations: [] } } }],
  ['plan-used-up', { input: { ...planning, judgement: { kind: 'no_answer', error: '' } }, facts: plan }],
  ['retry', { input: { judgement: accepted('retry', { tree: agentTree }) }, outside: ['x.txt'] }],
  [
    'retry with another goal',
    {
      input: {
        judgement: accepted('retry', {
          tree: edited(smallTree(), 'a', (a) => ({ ...a, goal: 'g' })),
          textChanged: true,
        }),
      },
    },
  ],
  ['decomposed', { input: { judgement: accepted('decomposed', { tree: splitTree }) } }],
  [
    'decomposed by a plan',
    {
      input: {
        ...planning,
        judgement: accepted('decomposed', {
          tree: edited(stuck, 'a', (a) => ({ ...a, children: [node('a.1')] })),
        }),
      },
      facts: plan,
    },
  ],
  ['empty-change-asked', { input: { judgement: accepted('done') }, ...empty }],
  [
    'empty-change-rejected',
    {
      input: { judgement: accepted('done'), config: configWith({ guard: { empty_change: 'reject' } }) },
      facts: { sinceNode: [], config: { guard: { empty_change: 'reject' } } },
    },
  ],
  ['guard-not-started', { input: done({ guard: guardWith({ kind: 'not_started', reason: 'r' }) }) }],
  ['guard-cut-off', { input: done({ guard: guardWith({ kind: 'cut_off' }) }) }],
  ['guard-fail', failed('guard')],
  ['ratchet-fail', failed('ratchet')],
  ['clone-fail', failed('clone')],
  ['bytes-fail', failed('bytes')],
  ['counterfactual-fail', failed('counterfactual')],
  ['review-no-verdict', { input: done({ review: reviewWith(null) }), review: null }],
  ['review-fail', { input: done({ review: reviewWith({ verdict: 'fail', findings: [] }) }), review: 'fail' }],
  ['pass', { input: done(), outside: ['x.txt', '.gitignore', '.envrc', 'justfile'] }],
  [
    'pass after a review',
    {
      input: done({ review: reviewWith({ verdict: 'pass', findings: [] }) }),
      review: 'pass',
      facts: { config: { review: { agent: 'claude' } } },
    },
  ],
  [
    'pass, asked about an empty change',
    { input: done({ ...withRecord(), workTree: 'd'.repeat(40) }), ...empty },
  ],
  ['pass, asked, in a history that is cut', { input: done({ ...withRecord(), workTree: 'd'.repeat(40) }) }],
  [
    'pass, empty since a node without a base',
    { input: done(withRecord({ ...asked, base: null })), ...empty },
  ],
  [
    'pass with a counterfactual',
    { input: done(), counterfactual: 'red', facts: { config: { guard: { counterfactual: 'require' } } } },
  ],
  [
    'pass with tokens and cost',
    {
      input: done({
        session: sessionWith({ usage: usageWith({ input_tokens: 10, output_tokens: 2, cost_usd: 0.125 }) }),
      }),
    },
  ],
  ['pass in a new process', { input: done({ runState: stateWith({ failures_in_a_row: 0 }) }) }],
  [
    'pass of a run whose setting came from a flag',
    {
      input: done({ config: configWith({ guard: { policy: 'protect' } }) }),
      settings: ['guard.policy="protect"', 'agent.name="x"', 'tree.max_repairs={'],
    },
  ],
  [
    'repaired',
    { input: { ...repairing(), judgement: { kind: 'repaired', tree: agentTree, answered: false } } },
  ],
  [
    'repair-fruitless',
    {
      input: { ...repairing(), judgement: { kind: 'fruitless', violations: [], answered: true } },
      facts: { after: undefined as never },
    },
  ],
  [
    'repair-fruitless for the last time',
    { input: { ...repairing(1), judgement: { kind: 'fruitless', violations: [], answered: true } } },
  ],
];

/** A repair that goes on keeps the rejected tree. */
function stepOf(given: Given): Step<IterationTransition> {
  if (given.facts === undefined || !('after' in given.facts)) return iterationStep(given);
  const { facts, transition } = iterationStep({ ...given, facts: {} });
  const rejected = textSource('broken');
  const [before, after] = [facts.before, facts.after].map((files) => ({ ...files, rejected }));
  return {
    transition,
    facts: factsWith({
      ...facts,
      before: before ?? facts.before,
      base: before ?? facts.before,
      after: after ?? facts.after,
    }),
  };
}

describe('what the runner records follows', () => {
  test.each(rows)('%s', (_, given) => expect(check(stepOf(given))).toBeNull());

  test('every outcome has its row', () => {
    const names = new Set(rows.map(([, given]) => stepOf(given).transition.trailers.get('Outcome')?.[0]));
    expect(outcomeNames.filter((name) => !names.has(name))).toEqual([]);
  });

  test('a person committed on top: another tree counts, only for what was closed', () => {
    const control = 'f'.repeat(40);
    const theirs = edited(smallTree(), 'b', (b) => ({ ...b, title: 'a person' }));
    const state = stateWith();
    const session = sessionWith({ end: { kind: 'undone' } });
    const files = filesOf(theirs, state);
    const facts = { before: files, base: filesOf(smallTree(), state) };
    expect(check(iterationStep({ input: { session, before: theirs }, control, facts }))).toBeNull();
    const retried = { judgement: accepted('retry', { tree: theirs }), before: theirs };
    expect(check(iterationStep({ input: retried, control, facts }))).toMatchObject({
      rule: 'Runner-Control',
    });
  });

  test('nothing was left to do: closed with the root as its node', () => {
    const complete = node('root', { passes: true });
    const input = {
      before: complete,
      nodeId: 'root',
      session: sessionWith({ end: { kind: 'undone' } }),
    } as const;
    expect(check(iterationStep({ input }))).toBeNull();
    const failing = {
      ...input,
      session: sessionWith({ end: { kind: 'failed', failure: 'crashed', reason: '' } }),
    } as const;
    expect(check(iterationStep({ input: failing }))).toMatchObject({
      rule: 'selected node',
      expected: 'none',
    });
  });
});

const replaced =
  (from: RegExp | string, to: string): NonNullable<Given['change']> =>
  (message) =>
    message.replace(from, to);
const without = (key: string): NonNullable<Given['change']> =>
  replaced(new RegExp(`^Runner-${key}: .*\n`, 'mu'), '');
const passing: Given = { input: done(), outside: ['x.txt'] };

const wrongs: readonly (readonly [rule: string, given: Given])[] = [
  [
    'Runner-Outcome',
    { ...passing, change: replaced('Runner-Outcome: pass', 'Runner-Outcome: pass\nRunner-Outcome: pass') },
  ],
  ['Runner-Run', { ...passing, change: without('Run') }],
  ['Runner-Outcome', { ...passing, change: replaced('Outcome: pass', 'Outcome: good') }],
  ['Runner-Outcome', { ...passing, change: without('Outcome') }],
  ['Runner-Outcome', { ...passing, change: replaced('Outcome: pass', 'Outcome: repaired') }],
  ['Runner-Outcome', { ...passing, change: replaced('Outcome: pass', 'Outcome: plan-used-up') }],
  ['Runner-Outcome', { ...passing, change: replaced('Outcome: pass', 'Outcome: review-fail') }],
  ['iteration number', { ...passing, change: replaced('iter 7', 'iter 8') }],
  ['selected node', { ...passing, change: replaced('node a', 'node b') }],
  ['status', { ...passing, change: replaced('status=done', 'status=retry') }],
  ['guard', { ...passing, change: replaced('guard=pass', 'guard=fail') }],
  ['guard.empty_change', { input: { judgement: accepted('done') }, facts: { sinceNode: ['x.txt'] } }],
  ['guard.empty_change', { input: done(), ...empty }],
  ['Runner-Tree-Before-SHA256', { ...passing, change: without('Tree-Before-SHA256') }],
  ['Runner-Tree-After-SHA256', { ...passing, change: without('Tree-After-SHA256') }],
  ['Runner-Answer-SHA256', { ...passing, change: without('Answer-SHA256') }],
  ['Runner-Prompt-SHA256', { ...passing, change: without('Prompt-SHA256') }],
  ['Runner-Prompt-SHA256', { ...passing, change: replaced(/Prompt-SHA256: .*/u, 'Prompt-SHA256: unknown') }],
  ['Runner-Prompt-SHA256', { input: { judgement: accepted('retry') }, change: without('Prompt-SHA256') }],
  ['Runner-Guard-Command', { ...passing, change: without('Guard-Command') }],
  ['Runner-Guard-Command', { ...passing, change: replaced(/Guard-Command: .*/u, 'Guard-Command: npm test') }],
  ['Runner-Guard-Command', { ...passing, change: replaced(/Runner-Guard-Command: .*\n/u, '$&$&') }],
  [
    'Runner-Guard-Command',
    { ...passing, change: replaced('Runner-Work', 'Runner-Setting: guard.command=["x"]\nRunner-Work') },
  ],
  ['Runner-Rings', { ...passing, change: replaced('checkout=off', 'checkout=final') }],
  ['Runner-Rings', { ...passing, facts: { config: { sandbox: { kind: 'docker' } } } }],
  ['Runner-Work', { ...passing, change: replaced(/Runner-Work: .*/u, `Runner-Work: ${'f'.repeat(40)}`) }],
  ['Runner-Work', { ...passing, change: without('Work') }],
  ['Runner-Work', { ...passing, facts: { workTree: null } }],
  [
    'run_state.resolved',
    {
      ...passing,
      changeState: (state) => ({
        ...state,
        resolved: { permissions: 'full', sandbox: 'none', guard: false, guard_network: true },
      }),
    },
  ],
  ['Runner-Guard-Exit', { ...passing, change: without('Guard-Exit') }],
  ['Runner-Guard-Exit', { ...passing, change: replaced('Guard-Exit: 0', 'Guard-Exit: 1') }],
  ['Runner-Guard-Log-SHA256', { ...passing, change: without('Guard-Log-SHA256') }],
  ['Runner-Guard-Exit', { input: { judgement: accepted('retry') }, guardExit: 0 }],
  ['Runner-Review', { ...passing, facts: { config: { review: { agent: 'claude' } } } }],
  ['Runner-Counterfactual', { ...passing, facts: { config: { guard: { counterfactual: 'record' } } } }],
  [
    'Runner-Counterfactual',
    { ...passing, counterfactual: 'green', facts: { config: { guard: { counterfactual: 'require' } } } },
  ],
  ['Runner-Counterfactual', { ...failed('counterfactual'), counterfactual: 'red' }],
  ['Runner-Mode', { ...passing, change: replaced('Mode: execute', 'Mode: decompose') }],
  ['Runner-Changed-Files', { ...passing, change: replaced('Changed-Files: 1', 'Changed-Files: 2') }],
  ['Runner-Mark', { ...passing, extraMarks: ['changed-goal'] }],
  ['Runner-Mark', { input: done(), outside: ['.gitignore'], change: without('Mark') }],
  ['Runner-Tokens', { ...passing, change: replaced('Runner-Rings', 'Runner-Tokens: many\nRunner-Rings') }],
  ['run_state.totals', { ...passing, change: replaced('Runner-Rings', 'Runner-Tokens: 5\nRunner-Rings') }],
  [
    'run_state.totals',
    {
      input: done({ runState: stateWith({ totals: { tokens: null, cost_usd: null, seconds: 10 } }) }),
      changeState: (state) => ({ ...state, totals: { ...state.totals, seconds: 5 } }),
    },
  ],
  ['run_state.nodes', { input: { judgement: accepted('retry'), record: recordWith({ base: 'zzz' }) } }],
  [
    'run_state.guard_checkout',
    {
      input: { judgement: accepted('retry') },
      changeState: (state) => ({ ...state, guard_checkout: { mode: 'off', reason: '', sha256: '' } }),
    },
  ],
  [
    'run_state.guard_checkout',
    {
      ...passing,
      changeState: (state) => ({ ...state, guard_checkout: { mode: 'off', reason: '', sha256: '' } }),
    },
  ],
  ['run_state.ratchet.guard_sha256', { ...passing, ratchet: { guard_sha256: 'other', files: [] } }],
  ['prompt.md of the log', { ...passing, facts: { logs: new Map([['prompt.md', 'other']]) } }],
  ['.runner/GOAL.md', { ...passing, facts: { inside: [{ path: 'GOAL.md', file: null }] } }],
  [
    '.runner/state/config.toml',
    { ...passing, facts: { inside: [{ path: 'state/config.toml', file: { mode: '100644', oid: 'x' } }] } },
  ],
  [
    '.runner/nodes/b/last.json',
    { ...passing, facts: { inside: [{ path: 'nodes/b/last.json', file: { mode: '100644', oid: 'x' } }] } },
  ],
  [
    '.runner/nodes/a/last.json',
    { ...passing, facts: { inside: [{ path: 'nodes/a/last.json', file: { mode: '100644', oid: 'x' } }] } },
  ],
  [
    '.runner/state/tree.rejected.json',
    { ...passing, facts: { inside: [{ path: 'state/tree.rejected.json', file: null }] } },
  ],
  ['readable', { ...passing, facts: { config: null } }],
  ['run_state.ratchet.guard_sha256', { ...passing, changeState: (state) => ({ ...state, ratchet: null }) }],
  [
    'run_state.guard_checkout',
    {
      input: done({ runState: stateWith({ guard_checkout: { mode: 'off', reason: '', sha256: '' } }) }),
      changeState: (state) => ({ ...state, guard_checkout: null }),
    },
  ],
];

describe('what does not follow is named, with both values', () => {
  test.each(wrongs)('%s (%#)', (rule, given) => {
    const found = check(iterationStep(given));
    expect(found).toMatchObject({ rule });
    expect(found?.expected).not.toBe(found?.found);
  });

  test('files that cannot be read, one after the other', () => {
    const { transition, facts } = iterationStep(passing);
    for (const [what, fields] of [
      ['tree.json at the baseline', { base: { ...facts.base, tree: missing } }],
      ['tree.json before', { before: { ...facts.before, tree: missing } }],
      ['tree.json can', { after: { ...facts.after, tree: missing } }],
      ['run_state.json at the baseline', { base: { ...facts.base, runState: missing } }],
      ['run_state.json can', { after: { ...facts.after, runState: textSource('[]') } }],
    ] as const) {
      const found = checkIteration(transition, { ...facts, ...fields }, rules);
      expect(found?.expected, what).toContain(what);
    }
  });

  test('a baseline that is no commit below', () => {
    const { transition, facts } = iterationStep(passing);
    const off = checkIteration({ ...transition, baseline: null }, facts, rules);
    expect(off).toMatchObject({ rule: 'Runner-Baseline', found: base });
    const both = iterationStep({ ...passing, control: 'f'.repeat(40) });
    const control = checkIteration({ ...both.transition, baseline: null }, both.facts, rules);
    expect(control?.found).toBe(`${base}, ${'f'.repeat(40)}`);
    const none = iterationStep({ ...passing, change: without('Baseline') });
    expect(checkIteration({ ...none.transition, baseline: null }, none.facts, rules)?.found).toBe('none');
  });

  test('a tree that a session may not leave', () => {
    const step = iterationStep(passing);
    const forged = edited(smallTree({ passes: true }), 'b', (b) => ({ ...b, passes: true }));
    const whole = edited(forged, 'root', (root) => ({ ...root, passes: true }));
    const after = { ...step.facts.after, tree: textSource(renderTree(whole)) };
    expect(check({ ...step, facts: { ...step.facts, after } })).toMatchObject({ rule: 'tree.json' });
    const gone = edited(agentTree, 'b', () => null);
    const passed = textSource(
      renderTree(
        edited(
          edited(gone, 'a', (a) => ({ ...a, passes: true })),
          'root',
          (root) => ({ ...root, passes: true }),
        ),
      ),
    );
    expect(
      check({ ...step, facts: { ...step.facts, after: { ...step.facts.after, tree: passed } } }),
    ).toMatchObject({ rule: 'Runner-Outcome', expected: 'malformed' });
  });

  test('files of .runner/ that an iteration may change', () => {
    const file = { mode: '100644', oid: 'x' };
    const own = [
      { path: 'state/tree.json', file },
      { path: 'state/run_state.json', file },
      { path: 'state/assumptions.md', file },
      { path: 'iterations/x', file },
    ];
    const forgotten = { path: 'nodes/a/last.json', file: null };
    expect(check(iterationStep({ ...passing, facts: { inside: [...own, forgotten] } }))).toBeNull();
    const told = { path: 'nodes/a/last.json', file };
    const retried = { input: { judgement: accepted('retry') }, facts: { inside: [...own, told] } };
    expect(check(iterationStep(retried))).toBeNull();
    const due = { session: broken, judgement: treeInvalid };
    const inside = [{ path: 'state/tree.rejected.json', file }];
    expect(check(iterationStep({ input: due, facts: { inside } }))).toBeNull();
  });

  test('a repair that ended leaves no rejected tree, and one that is due has it', () => {
    const ended = iterationStep({
      input: { ...repairing(), judgement: { kind: 'repaired', tree: agentTree, answered: true } },
    });
    const left = { ...ended.facts.after, rejected: textSource('broken') };
    expect(check({ ...ended, facts: { ...ended.facts, after: left } })).toMatchObject({
      rule: '.runner/state/tree.rejected.json',
    });
    const due = iterationStep({ input: { session: broken, judgement: treeInvalid } });
    const other = { ...due.facts.after, rejected: textSource('another') };
    expect(check({ ...due, facts: { ...due.facts, after: other } })).toMatchObject({
      rule: 'run_state.repair',
    });
  });

  test('the log of a guard or an answer, where it is there', () => {
    const logs = new Map([
      ['guard.log', 'e'.repeat(64)],
      ['output.json', 'e'.repeat(64)],
    ]);
    expect(check(iterationStep({ ...passing, facts: { logs } }))).toBeNull();
    const unknown = iterationStep({
      input: { session: sessionWith({ end: { kind: 'undone' } }) },
      facts: { logs: new Map([['prompt.md', 'x']]) },
      change: replaced(/Prompt-SHA256: .*/u, 'Prompt-SHA256: unknown'),
    });
    expect(check(unknown)).toBeNull();
  });
});

test('no key of the run state can be another one', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...rows),
      fc.constantFrom(...provenKeys),
      fc.integer({ min: 1, max: 9 }),
      ([, given], key, by) => {
        // What a session summed up is its own.
        fc.pre(key !== 'last_summary' || given.input?.judgement?.kind !== 'accepted');
        // Whether a broken tree came with an answer is not in git: the two failures before may stay.
        fc.pre(key !== 'failures_in_a_row' || by !== 2);
        const step = stepOf({
          ...given,
          changeState: (state) => ({ ...state, [key]: otherValue(state[key], by) }),
        });
        expect(check(step)).not.toBeNull();
      },
    ),
  );
});

function otherValue(value: unknown, by: number): unknown {
  if (typeof value === 'number') return value + by;
  if (typeof value === 'string')
    return value === 'retry' ? 'done' : value === 'skipped' ? 'fail' : `${value}${by}`;
  return { odd: by, tokens: by, seconds: by, guard_sha256: 'x', files: [] };
}

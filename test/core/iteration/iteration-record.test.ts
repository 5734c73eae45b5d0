import { describe, expect, test } from 'vitest';
import {
  describeChange,
  iterationMeta,
  iterationRecord,
} from '../../../src/core/iteration/iteration-record.ts';
import type { ChangeInput, DecidedIteration } from '../../../src/core/iteration/iteration-record.ts';
import { parseMeta } from '../../../src/core/iteration/iteration-meta.ts';
import { decide } from '../../../src/core/iteration/outcome.ts';
import { toolFilesMax } from '../../../src/core/limits.ts';
import { renderTree } from '../../../src/core/tree/canonical-json.ts';
import {
  accepted,
  answerSource,
  edited,
  guardWith,
  journalBase,
  outcomeInput,
  reviewWith,
  sessionWith,
  sha256,
  smallTree,
} from '../../support/facts.ts';

const journal = { ...journalBase, iter: 7, node_id: 'a', node_path: 'root/a' };
const passed = guardWith({ kind: 'passed' }, { counterfactual: 'red' });
const verdict = reviewWith({ verdict: 'pass', findings: [] }, { waited_secs: 4 });

function decided(fields: Partial<Omit<DecidedIteration, 'ended'>> = {}): DecidedIteration {
  const session = sessionWith({ answer: answerSource('done'), waited_secs: 3, notes: ['n'] });
  const { guard = passed, review = verdict } = fields;
  const outcome = decide(outcomeInput({ session, judgement: accepted('done'), guard, review }));
  const ended = {
    journal,
    session,
    before: smallTree(),
    commit: 'control',
    workTree: 'work',
    recovered: false,
  };
  return { ended, outcome, guard, review, ...fields };
}

function described(work: DecidedIteration, fields: Partial<ChangeInput> = {}): string {
  return describeChange(work, change(fields)).message;
}

function change(fields: Partial<ChangeInput> = {}): ChangeInput {
  return { changedPaths: ['src/a.ts'], guardFiles: [], settings: [], sha256, ...fields };
}

describe('the message of the commit', () => {
  test('a pass, with everything that was found', () => {
    const work = decided();
    const facts = describeChange(work, change({ settings: ['tree.max_repairs=0'] }));
    expect(facts).toMatchObject({ mode: 'execute', changedFiles: 1, toolFiles: [] });
    expect([facts.before, facts.after]).toEqual(
      [work.ended.before, work.outcome.tree].map((tree) => sha256(renderTree(tree))),
    );
    expect(facts.message.split('\n')).toEqual(
      expect.arrayContaining([
        'chore(loop): run r iter 7 node a status=done guard=pass',
        'Runner-Control: control',
        `Runner-Answer-SHA256: ${sha256(JSON.stringify({ status: 'done', summary: 'done summary', children: null }))}`,
        'Runner-Guard-Exit: 0',
        'Runner-Guard-Log-SHA256: log-sha',
        'Runner-Counterfactual: red',
        'Runner-Review: claude 2.1.325 verdict=pass',
        'Runner-Setting: tree.max_repairs=0',
        'Runner-Changed-Files: 1',
      ]),
    );
  });

  test('no answer, no guard and no review leave their lines out', () => {
    const work = decided({ guard: null, review: null });
    const message = described({ ...work, ended: { ...work.ended, session: sessionWith() } });
    for (const name of ['Answer-SHA256', 'Guard-Exit', 'Guard-Log', 'Counterfactual', 'Review'])
      expect(message).not.toContain(`Runner-${name}`);
  });

  test('a guard that was not asked about the work without the change says nothing of it', () => {
    expect(described(decided({ guard: guardWith({ kind: 'passed' }) }))).not.toContain('Counterfactual');
  });

  test.each([
    ['crashed', reviewWith({ verdict: 'pass', findings: [] }, { end: { kind: 'undone' } })],
    ['said nothing', reviewWith(null)],
  ])('a reviewer that %s has come to no verdict', (_what, review) => {
    expect(described(decided({ review }))).toContain('Runner-Review: claude 2.1.325 verdict=none');
  });

  test('a tree of another shape and no changed file is a decomposition', () => {
    const work = decided();
    const tree = edited(work.outcome.tree, 'b', (old) => ({ ...old, title: 'another' }));
    const split = { ...work, outcome: { ...work.outcome, tree } };
    expect(describeChange(split, change({ changedPaths: [] })).mode).toBe('decompose');
    expect(describeChange(split, change()).mode).toBe('execute');
  });

  test('marks of the outcome and of the changed files', () => {
    const work = decided();
    const marked = { ...work, outcome: { ...work.outcome, marks: ['confirmed-empty-change'] } };
    const message = described(marked, { changedPaths: ['check.sh', '.envrc'], guardFiles: ['check.sh'] });
    expect(message.match(/(?<=^Runner-Mark: ).*/gm)).toEqual([
      'changed-guard-files',
      'changed-tool-files',
      'confirmed-empty-change',
    ]);
  });
});

describe('meta.json', () => {
  function metaOf(work: DecidedIteration, changedPaths: readonly string[] = ['src/a.ts']) {
    return iterationMeta(work, {
      facts: describeChange(work, change({ changedPaths })),
      commit: 'c'.repeat(40),
      endedAt: 'e',
    });
  }

  test('is read back as it was written', () => {
    const meta = metaOf(decided());
    expect(parseMeta(JSON.stringify(meta), { run_id: 'r', iter: 7 })).toEqual(meta);
    expect(meta).toMatchObject({
      title: 'a title',
      started_at: 's',
      ended_at: 'e',
      duration_ms: { agent: 1000, guard: 1000, review: 500, total: 2500 },
      waited_secs: 7,
      counterfactual: 'red',
      exit_codes: { agent: 0, guard: 0 },
      review: { agent: verdict.agent, verdict: 'pass' },
      commit: 'c'.repeat(40),
      notes: ['n'],
      recovered: false,
    });
  });

  test('without guard and review', () => {
    expect(metaOf(decided({ guard: null, review: null }))).toMatchObject({
      duration_ms: { agent: 1000, guard: 0, review: 0, total: 1000 },
      waited_secs: 3,
      counterfactual: null,
      exit_codes: { agent: 0, guard: null },
      review: null,
    });
  });

  test('names tool files up to a limit', () => {
    const paths = Array.from({ length: toolFilesMax + 1 }, (_, at) => `${at}/.envrc`);
    const meta = metaOf(decided(), paths);
    expect(meta.changed_files).toBe(paths.length);
    expect(meta.tool_files).toHaveLength(toolFilesMax);
  });
});

test('the record for those who look on', () => {
  const work = decided();
  const { message, status, guard } = work.outcome;
  expect(iterationRecord(work, 'commit')).toEqual({
    run_id: 'r',
    iter: 7,
    node_id: 'a',
    node_path: 'root/a',
    title: 'a title',
    status,
    guard,
    commit: 'commit',
    message,
    tokens: null,
    cost_usd: null,
    failure: null,
    duration_ms: { agent: 1000, guard: 1000, review: 500 },
    waited_secs: 7,
  });
  expect(iterationRecord({ ...work, review: null }, 'commit').waited_secs).toBe(3);
});

import { describe, expect, test } from 'vitest';
import { findNodeBases, isIteration, runIdOf, traceRun } from '../../../src/core/proof/trace.ts';
import type { Trace } from '../../../src/core/proof/trace.ts';
import type { LineCommit } from '../../../src/core/proof/transition.ts';
import { textSource } from '../../support/facts.ts';
import { missing } from '../../support/proof-model.ts';

/** Newest first; each commit names its kind. */
function lineOf(...messages: readonly string[]): readonly LineCommit[] {
  return messages.map((message, at) => ({
    id: `c${messages.length - at}`,
    tree: '',
    parents: at + 1 < messages.length ? [`c${messages.length - at - 1}`] : [],
    message,
  }));
}

const start = 'chore(loop): start run r\n\nRunner-Run: r\n';
const iteration = (iter: number, trailers = ''): string =>
  `chore(loop): run r iter ${iter} node a status=retry guard=skipped\n\nRunner-Run: r\n${trailers}`;

function trace(
  line: readonly LineCommit[],
  options: {
    readonly of?: Record<string, string>;
    readonly max?: number;
    readonly isShallow?: boolean;
  } = {},
): Trace {
  const runAt = (commit: string): string | null => options.of?.[commit] ?? (commit === 'c1' ? null : 'r');
  const { max = null, isShallow = false } = options;
  return traceRun({ runId: 'r', line, runAt, iterationsMax: max, isShallow });
}

const kinds = ({ transitions }: Trace): readonly string[] =>
  transitions.map(({ kind, commit }) => `${commit.id} ${kind}`);

describe('transitions', () => {
  test('what a session committed is skipped; people’s commits are told apart', () => {
    const line = lineOf(
      iteration(2, 'Runner-Baseline: c6\n'),
      'docs: plain\n',
      'chore(loop): edit a\n\nRunner-Person: edit\n',
      iteration(1, 'Runner-Baseline: c2\n'),
      iteration(1, 'Runner-Baseline: c2\n'),
      'work of a session\n',
      start,
      'base\n',
    );
    // The third commit from below poses as an iteration.
    expect(kinds(trace(line))).toEqual(['c2 start', 'c5 iteration', 'c6 person', 'c8 iteration']);
    const found = trace(line);
    expect(found).toMatchObject({ isWhole: true, isCut: false });
    expect(found.transitions[0]).toMatchObject({ isFirst: true, from: 'c1' });
    expect(found.transitions.filter(isIteration).map(({ own }) => own)).toEqual(['c2', 'c5']);
  });

  test('a baseline that is not below, or none; and a person on top of it', () => {
    const line = lineOf(iteration(1, 'Runner-Baseline: c9\n'), iteration(1), start, 'base\n');
    expect(
      trace(line)
        .transitions.filter(isIteration)
        .map(({ baseline }) => baseline),
    ).toEqual([null, null]);
    const control = lineOf(
      iteration(1, 'Runner-Baseline: c2\nRunner-Control: c3\n'),
      'person\n',
      start,
      'base\n',
    );
    expect(kinds(trace(control))).toEqual(['c2 start', 'c3 plain', 'c4 iteration']);
    expect(trace(control).transitions[2]).toMatchObject({ from: 'c3', baseline: 'c2' });
    const below = lineOf(
      iteration(1, 'Runner-Baseline: c3\nRunner-Control: c2\n'),
      'person\n',
      start,
      'base\n',
    );
    expect(trace(below).transitions[2]).toMatchObject({ baseline: null });
  });

  test('ends where the run begins, where it is cut, or where nothing of the run is left', () => {
    const whole = lineOf(
      iteration(2, 'Runner-Baseline: c3\n'),
      iteration(1, 'Runner-Baseline: c2\n'),
      start,
      'base\n',
    );
    expect(trace(whole, { max: 1 })).toMatchObject({ isWhole: false, isCut: true });
    expect(trace(lineOf('plain\n', 'plain\n'), { of: { c1: 'r' } })).toMatchObject({
      isWhole: false,
      isCut: false,
    });
    expect(trace(lineOf('plain\n', 'plain\n'))).toMatchObject({
      isWhole: false,
      transitions: [{ kind: 'plain' }],
    });
    // A start without a parent is no beginning where parents are hidden.
    const cut = trace(lineOf(iteration(1), start), { of: { c1: 'r' }, isShallow: true });
    expect(cut).toMatchObject({ isWhole: false, isCut: false, isShallow: true });
    expect(trace(whole, { isShallow: true })).toMatchObject({ isWhole: true, isShallow: false });
    expect(kinds(trace(lineOf(start), { of: { c1: 'r' } }))).toEqual(['c1 start']);
    const again = lineOf(iteration(1, 'Runner-Baseline: c3\n'), start, start, 'base\n');
    expect(trace(again).transitions.map((one) => one.kind === 'start' && one.isFirst)).toEqual([
      true,
      false,
      false,
    ]);
    expect(trace(again).transitions[2]).toMatchObject({ own: 'c3' });
    const later = lineOf(
      iteration(2, 'Runner-Baseline: c4\n'),
      start,
      iteration(1, 'Runner-Baseline: c2\n'),
      start,
      'base\n',
    );
    expect(trace(later).transitions[3]).toMatchObject({ own: 'c3' });
  });

  test('an empty change is one since the first iteration on the node', () => {
    const line = lineOf(
      iteration(2, 'Runner-Baseline: c3\n'),
      iteration(1, 'Runner-Baseline: c2\n'),
      start,
      'base\n',
    );
    const { transitions } = trace(line);
    expect([...findNodeBases(transitions, (commit) => commit === 'c3')]).toEqual([
      ['c3', 'c2'],
      ['c4', 'c2'],
    ]);
    expect([...findNodeBases(transitions, () => true)]).toEqual([]);
    expect([...findNodeBases(trace(lineOf(iteration(1), start, 'b')).transitions, () => false)]).toEqual([]);
  });

  test('the run of a state, whatever else it holds', () => {
    expect(runIdOf(textSource('{"run_id":"x","odd":1}'))).toBe('x');
    for (const text of ['{"run_id":1}', '[]', 'null', '1', '{']) expect(runIdOf(textSource(text))).toBeNull();
    expect(runIdOf(missing)).toBeNull();
  });
});

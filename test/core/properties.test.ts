/**
 * Whole runs of random agents, guards and reviewers, compared with the independent model and held to the promises of §1. A
 * failure prints fast-check's seed and path; RUNNER_FUZZ_SEED=<seed> plays it again, RUNNER_FUZZ_CASES=<n> sets the number
 * of cases.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalText, renderTree } from '../../src/core/tree/canonical-json.ts';
import { renderLastRecord } from '../../src/core/iteration/last-record.ts';
import { lastRecordBytesMax } from '../../src/core/limits.ts';
import type { Stop } from '../../src/core/iteration/outcome-row.ts';
import { renderRunState } from '../../src/core/iteration/run-state.ts';
import { parseRunState } from '../../src/core/iteration/run-state-schema.ts';
import { selectNext } from '../../src/core/tree/selector.ts';
import { byteLength } from '../../src/core/text/shorten.ts';
import { parseTree } from '../../src/core/tree/tree-schema.ts';
import { walkTree } from '../../src/core/tree/tree-walk.ts';
import type { Config, Selection, TreeNode } from '../../src/core/types.ts';
import { textSource } from '../support/facts.ts';
import type { ModelConfig, ModelResult, ModelState, Pick } from '../support/model.ts';
import { modelSelect, modelStart, modelStep } from '../support/model.ts';
import type { Move } from '../support/moves.ts';
import { arbMove, cardsOf, play } from '../support/moves.ts';
import type { Run } from '../support/whole-run.ts';
import {
  arbConfig,
  arbPlay,
  arbStart,
  iterate,
  playAll,
  scenes,
  startRun,
  takenIds,
  targetId,
} from '../support/whole-run.ts';

function modelConfig(config: Config): ModelConfig {
  return {
    onStuck: config.on_stuck,
    onTimeout: config.on_timeout,
    emptyChange: config.guard.empty_change,
    maxFailures: config.agent.max_failures,
    maxRepairs: config.tree.max_repairs,
    maxAttempts: config.max_attempts_default,
    allowRemoval: config.tree.allow_removal,
    taken: new Set(takenIds),
  };
}

function pickOf(selection: Selection): Pick {
  switch (selection.kind) {
    case 'complete':
      return { kind: 'complete' };
    case 'repair':
      return { kind: 'repair', id: selection.repair.node_id };
    case 'stuck':
      return { kind: 'stuck', id: selection.leaf.node.id };
    case 'leaf':
      return { kind: selection.purpose, id: selection.leaf.node.id };
  }
}

function stopOf(stop: Stop | null): ModelResult['stop'] {
  if (stop === null || stop.kind !== 'error') return stop === null ? null : stop.kind;
  const names: Readonly<Record<string, ModelResult['stop']>> = {
    ITERATION_TIMEOUT: 'timeout',
    AGENT_BLOCKED: 'blocked',
    AGENT_FAILING: 'failing',
    GUARD_NOT_STARTED: 'guard_not_started',
  };
  return names[stop.code] ?? null;
}

/** Only of open nodes: what is remembered of a passed one is the runner's own business. */
function rememberedBy(run: Run): unknown {
  const open = walkTree(run.tree).flatMap(({ node }) => (node.passes ? [] : [node.id]));
  const records = open.map((id) => ({ id, ...run.runState.nodes[id] }));
  return {
    repair: run.runState.repair && { node: run.runState.repair.node_id, count: run.runState.repair.count },
    asked: records.flatMap(({ id, confirm_asked }) => (confirm_asked === true ? [id] : [])),
    planned: records.flatMap(({ id, decompose_used }) => (decompose_used === true ? [id] : [])),
    invalidTrees: records.flatMap(({ id, invalid_trees = 0 }) =>
      invalid_trees > 0 ? [[id, invalid_trees]] : [],
    ),
    base: records.flatMap(({ id, base }) => (typeof base === 'string' ? [[id, base]] : [])),
  };
}

function rememberedInModel(state: ModelState, run: Run): unknown {
  const open = walkTree(run.tree).flatMap(({ node }) => (node.passes ? [] : [node.id]));
  const pairs = (map: ReadonlyMap<string, unknown>): unknown =>
    open.flatMap((id) => (map.has(id) ? [[id, map.get(id)]] : []));
  return {
    repair: state.repair,
    asked: open.filter((id) => state.asked.has(id)),
    planned: open.filter((id) => state.planned.has(id)),
    invalidTrees: pairs(state.invalidTrees),
    base: pairs(state.base),
  };
}

function sorted(cards: ReadonlyMap<string, unknown>): unknown {
  return [...cards].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

test('the code and the model agree after every iteration (§4, §5, §9)', () => {
  fc.assert(
    fc.property(arbPlay, (input) => {
      const config = modelConfig(input.config);
      let state = modelStart(cardsOf(input.tree));
      const { end } = playAll(input, ({ after, selection, played, outcome }) => {
        const pick = modelSelect(state, config);
        expect(pickOf(selection)).toEqual(pick);
        if (pick.kind === 'complete') return;
        const model = modelStep(state, pick, { config, event: played.event });
        expect({ status: outcome.status, guard: outcome.guard, stop: stopOf(outcome.stop) }).toEqual({
          status: model.status,
          guard: model.guard,
          stop: model.stop,
        });
        expect(sorted(cardsOf(after.tree))).toEqual(sorted(model.state.cards));
        expect(rememberedBy(after)).toEqual(rememberedInModel(model.state, after));
        if (model.stop === null) expect(after.runState.failures_in_a_row).toBe(model.state.failures);
        state = model.stop === null ? model.state : { ...model.state, failures: 0 };
      });
      expect(pickOf(end)).toEqual(modelSelect(state, config));
    }),
  );
});

function passedNodes(tree: TreeNode): ReadonlyMap<string, string> {
  const passed = walkTree(tree).filter(({ node }) => node.passes);
  return new Map(
    passed.map(({ node, parent }) => [
      node.id,
      canonicalText({ ...node, children: node.children.map(({ id }) => id), parent: parent?.id ?? null }),
    ]),
  );
}

test('no sequence of answers changes a passed node or passes a leaf without a green guard and review (§1.2, §1.3)', () => {
  fc.assert(
    fc.property(arbPlay, (input) => {
      playAll(input, ({ before, after, selection, played, outcome }) => {
        const was = passedNodes(before.tree);
        const is = passedNodes(after.tree);
        for (const [id, text] of was) expect(is.get(id)).toBe(text);
        const newLeaves = walkTree(after.tree).filter(
          ({ node }) => node.passes && node.children.length === 0 && !was.has(node.id),
        );
        if (outcome.guard !== 'pass') {
          expect(is.size).toBe(was.size);
        } else {
          expect(newLeaves.map(({ node }) => node.id)).toEqual([targetId(selection)]);
          expect(played.guard.end.kind).toBe('passed');
          expect(played.event).toMatchObject({ end: 'exited', answer: { status: 'done' } });
          expect(['none', 'pass']).toContain(played.event.review);
        }
      });
    }),
  );
});

test('every tree and run state that is written can be read again, with attempts within bounds (§1.5, §3)', () => {
  fc.assert(
    fc.property(arbPlay, (input) => {
      playAll(input, ({ before, after }) => {
        expect(parseTree(textSource(renderTree(after.tree)))).toEqual({ ok: true, tree: after.tree });
        const read = parseRunState(renderRunState(after.runState));
        expect(read.ok && canonicalText(read.state)).toBe(canonicalText(after.runState));
        expect(after.runState.next_iter).toBe(before.runState.next_iter + 1);
        const attempts = new Map(walkTree(before.tree).map(({ node }) => [node.id, node.attempts]));
        for (const { node } of walkTree(after.tree)) {
          expect(node.attempts).toBeLessThanOrEqual(node.max_attempts);
          expect(node.attempts).toBeGreaterThanOrEqual(attempts.get(node.id) ?? 0);
        }
      });
    }),
  );
});

test('last.json stays with open leaves and within its size (§2)', () => {
  fc.assert(
    fc.property(arbPlay, (input) => {
      playAll(input, ({ after }) => {
        const open = walkTree(after.tree).filter(({ node }) => !node.passes && node.children.length === 0);
        const ids = new Set(open.map(({ node }) => node.id));
        for (const [id, record] of after.last) {
          expect(ids.has(id)).toBe(true);
          expect(byteLength(JSON.stringify(record, null, 2))).toBeLessThanOrEqual(lastRecordBytesMax);
        }
      });
    }),
  );
});

/** Long texts told shortly: what JSON escapes, what UTF-8 makes long, what a terminal obeys. */
const arbLong = fc.record({
  pieces: fc.array(
    fc.constantFrom('"', '\\', '\n', '\t', 'a', 'é', '好', '🙂', '\u0007', '\u001B[31m', 'word '),
    { minLength: 1, maxLength: 6 },
  ),
  // Several times what is kept; more would only cost time.
  times: fc.nat({ max: 2500 }),
});

test('a last record of any texts is at most 32 KiB as JSON (§2)', () => {
  const arbTexts = fc.record({
    summary: fc.option(arbLong),
    error: fc.option(arbLong),
    guard_output: fc.option(arbLong),
  });
  const long = (text: { pieces: string[]; times: number } | null): string | null =>
    text === null ? null : text.pieces.join('').repeat(text.times);
  fc.assert(
    fc.property(arbTexts, ({ summary, error, guard_output }) => {
      const kept = renderLastRecord({
        iter: 1,
        summary: long(summary),
        error: long(error),
        guard_output: long(guard_output),
      });
      expect(byteLength(`${JSON.stringify(kept, null, 2)}\n`)).toBeLessThanOrEqual(lastRecordBytesMax);
      expect(renderLastRecord(kept)).toEqual(kept);
    }),
  );
});

/**
 * Most iterations until a run ends by itself. A node is worked on at most `attempts` times with an attempt and five times without
 * (passed, decomposed, planned, asked, first invalid tree); each invalid tree costs its repairs; between two iterations
 * that count for something fewer than `max_failures` may fail.
 */
function iterationsMax(config: Config, nodes: number, attempts: number): number {
  const repairs = nodes * (attempts + 1) * config.tree.max_repairs;
  const counting = nodes * (attempts + 5) + repairs;
  return (counting + 1) * config.agent.max_failures;
}

test('every run ends within its bound, whatever the agent does (§1.6)', () => {
  const newNodesMax = 12;
  const arbEndless = fc.record({
    tree: arbStart(5),
    config: arbConfig,
    // A crash or an interrupt uses up only an iteration: `max_iterations` bounds those.
    moves: fc.array(arbMove(['out_of_time', 'failed']), { minLength: 1, maxLength: 8 }),
  });
  fc.assert(
    fc.property(arbEndless, ({ tree, config, moves }) => {
      const sceneOf = scenes(newNodesMax);
      const seen = new Set<string>();
      let run = startRun(tree);
      let iterations = 0;
      for (;;) {
        for (const { node } of walkTree(run.tree)) seen.add(node.id);
        const selection = selectNext({ tree: run.tree, runState: run.runState, onStuck: config.on_stuck });
        if (selection.kind === 'complete' || selection.kind === 'stuck') break;
        iterations += 1;
        expect(iterations).toBeLessThanOrEqual(iterationsMax(config, seen.size, 6));
        const move = moves[iterations % moves.length] as Move;
        const played = play(move, sceneOf(run, targetId(selection)));
        const done = iterate(run, config, { selection, played });
        run = done.run;
        if (done.outcome.stop !== null) break;
      }
    }),
  );
});

test('the same facts give the same outcome, byte for byte (§1.1)', () => {
  fc.assert(
    fc.property(arbPlay, (input) => {
      const texts: string[] = [];
      playAll(input, ({ outcome }) => texts.push(JSON.stringify(outcome)));
      let at = 0;
      playAll(input, ({ outcome }) => expect(JSON.stringify(outcome)).toBe(texts[at++]));
      expect(at).toBe(texts.length);
    }),
  );
});

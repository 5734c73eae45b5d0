import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { selectModel } from '../../../src/core/agents/model-choice.ts';
import type { ModelQuestion } from '../../../src/core/agents/model-choice.ts';
import type { Config } from '../../../src/core/types.ts';
import { configWith } from '../../support/facts.ts';
import { node } from '../../support/trees.ts';

const base = { model: 'base', effort: 'low' };
const plan = { model: 'planner', effort: 'high' };
const escalate = { model: 'strong', effort: 'max', after_attempts: 2 };
const nothing = { model: null, effort: null };

const tree = node('root', { children: [node('fresh'), node('tried', { attempts: 2, max_attempts: 5 })] });

function choose(agent: Partial<Config['agent']>, asked: Partial<ModelQuestion>) {
  const config = configWith({ agent: { ...base, ...agent } });
  const chosen = selectModel({
    config,
    tree,
    runState: { judged_sessions: 3 },
    purpose: 'execute',
    nodeId: 'fresh',
    ...asked,
  });
  const { model, effort } = chosen.config.agent;
  return { model, effort, from: chosen.from };
}

const usual = { ...base, from: 'agent' };
const planned = { ...plan, from: 'agent.plan' };
const escalated = { model: 'strong', effort: 'max', from: 'agent.escalate' };
const leafRoot = node('root');

describe('which model works (§9)', () => {
  const all = { plan, escalate };
  const fresh = { tree: leafRoot, nodeId: 'root', runState: { judged_sessions: 0 } };
  test.each<readonly [string, Partial<Config['agent']>, Partial<ModelQuestion>, unknown]>([
    ['a leaf', all, {}, usual],
    ['the first session of the root', all, fresh, planned],
    ['a further session of the root', all, { ...fresh, runState: { judged_sessions: 1 } }, usual],
    ['the first session of another leaf', all, { runState: { judged_sessions: 0 } }, usual],
    ['a planning session', all, { purpose: 'plan', nodeId: 'tried' }, planned],
    ['a repair', all, { purpose: 'repair', nodeId: 'tried' }, planned],
    ['a repair whose leaf is gone', all, { purpose: 'repair', nodeId: 'gone' }, planned],
    ['a leaf that failed often', all, { nodeId: 'tried' }, escalated],
    [
      'a leaf that did not fail often enough',
      { plan, escalate: { ...escalate, after_attempts: 3 } },
      { nodeId: 'tried' },
      usual,
    ],
    [
      'a planning session without a model of its own',
      { escalate },
      { purpose: 'plan', nodeId: 'tried' },
      escalated,
    ],
    ['a repair without a model of its own', { escalate }, { purpose: 'repair', nodeId: 'tried' }, usual],
    [
      'only another effort',
      { plan: { model: null, effort: 'high' } },
      { purpose: 'plan' },
      { model: 'base', effort: 'high', from: 'agent.plan' },
    ],
    [
      'only another model',
      { escalate: { ...escalate, effort: null } },
      { nodeId: 'tried' },
      { model: 'strong', effort: 'low', from: 'agent.escalate' },
    ],
  ])('%s', (_, agent, asked, wanted) => {
    const tables = { plan: nothing, escalate: { ...nothing, after_attempts: 2 } };
    expect(choose({ ...tables, ...agent }, asked)).toEqual(wanted);
  });
});

const arbChoice = fc.record({
  model: fc.option(fc.constantFrom('a', 'b')),
  effort: fc.option(fc.constantFrom('low', 'high')),
});

const arbQuestion = fc
  .record({
    agent: arbChoice,
    plan: arbChoice,
    escalate: fc.record({ choice: arbChoice, after_attempts: fc.integer({ min: 1, max: 4 }) }),
    attempts: fc.nat(4),
    isRoot: fc.boolean(),
    judged_sessions: fc.nat(2),
    purpose: fc.constantFrom('execute', 'plan', 'repair'),
  })
  .map(({ agent, plan: planning, escalate: { choice, after_attempts }, attempts, isRoot, ...rest }) => {
    const leaf = node(isRoot ? 'root' : 'leaf', { attempts, max_attempts: 5 });
    const config = configWith({
      agent: { ...agent, plan: planning, escalate: { ...choice, after_attempts } },
    });
    const question: ModelQuestion = {
      config,
      tree: isRoot ? leaf : node('root', { children: [leaf] }),
      runState: { judged_sessions: rest.judged_sessions },
      purpose: rest.purpose,
      nodeId: leaf.id,
    };
    return { question, attempts };
  });

describe('for every session', () => {
  test('only model and effort differ, each from the table that is named or from [agent]', () => {
    fc.assert(
      fc.property(arbQuestion, ({ question }) => {
        const { config, from } = selectModel(question);
        const { agent } = question.config;
        const table = { agent, 'agent.plan': agent.plan, 'agent.escalate': agent.escalate }[from];
        const { model, effort } = config.agent;
        expect({ model, effort }).toEqual({
          model: table.model ?? agent.model,
          effort: table.effort ?? agent.effort,
        });
        expect({ ...config, agent: { ...config.agent, ...pick(agent) } }).toEqual(question.config);
        if (from !== 'agent') expect(table.model ?? table.effort).not.toBeNull();
      }),
    );
  });

  test('choosing again changes nothing', () => {
    fc.assert(
      fc.property(arbQuestion, ({ question }) => {
        const once = selectModel(question);
        expect(selectModel({ ...question, config: once.config })).toEqual(once);
      }),
    );
  });

  test('a repair is never escalated, nor a leaf before it failed so often', () => {
    fc.assert(
      fc.property(arbQuestion, ({ question, attempts }) => {
        const { from } = selectModel(question);
        const isDue = attempts >= question.config.agent.escalate.after_attempts;
        if (question.purpose === 'repair' || !isDue) expect(from).not.toBe('agent.escalate');
        if (question.purpose === 'execute' && question.runState.judged_sessions > 0)
          expect(from).not.toBe('agent.plan');
      }),
    );
  });
});

function pick({ model, effort }: Config['agent']): Pick<Config['agent'], 'model' | 'effort'> {
  return { model, effort };
}

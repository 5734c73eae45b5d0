import { expect, test } from 'vitest';
import {
  agentTreeOf,
  baseOf,
  renderJournal,
  withAgentTree,
} from '../../../src/core/iteration/journal-text.ts';
import type { AnyJournal } from '../../../src/core/agents/session.ts';
import { journalBase as base, sessionWith } from '../../support/facts.ts';

test("the agent's tree can be taken out and put back", () => {
  const ended: AnyJournal = {
    ...base,
    phase: 'ended',
    session: sessionWith({ agent_tree: { kind: 'text', text: 't' } }),
  };
  expect(agentTreeOf(ended)).toEqual({ kind: 'text', text: 't' });
  const without = withAgentTree(ended, { kind: 'missing' });
  expect(agentTreeOf(without)).toEqual({ kind: 'missing' });
  expect(withAgentTree(without, { kind: 'text', text: 't' })).toEqual(ended);
  const early: AnyJournal = { ...base, phase: 'agent' };
  expect(agentTreeOf(early)).toBeNull();
  expect(withAgentTree(early, { kind: 'missing' })).toEqual(early);
  expect(JSON.parse(renderJournal({ stash: null, entry: early }))).toEqual({ stash: null, entry: early });
});

test('what only one phase has is not carried into the next', () => {
  const persisting = {
    ...base,
    phase: 'persisting',
    session: sessionWith({}),
    work_tree: 'w',
    guard: null,
    review: null,
    cut_offs: 1,
    control: 'b',
  } as const satisfies AnyJournal;
  expect(baseOf(persisting)).toStrictEqual({ ...base });
});

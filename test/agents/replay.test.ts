/** Every recording of a real CLI through the runner's own reading: what it must come to is listed, and nothing is left out. */
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { agentId, realAgents } from './catalogue.ts';
import {
  expectedCases,
  expectedOutcome,
  renderExpected,
  renderOutcome,
  withoutOutput,
} from './recording-cases.ts';
import { loadRecording, recordedNames, recordingsFolder } from './recording-file.ts';
import { replay } from './replay-session.ts';
import type { Outcome } from './replay-session.ts';

const agents = realAgents.map((agent) => ({ id: agentId(agent), name: agent.name }));

test('every CLI is recorded, and every expectation has a recording', () => {
  expect(readdirSync(recordingsFolder).toSorted()).toEqual(agents.map(({ id }) => id).toSorted());
  const recorded = new Set(agents.flatMap(({ id }) => recordedNames(id)));
  expect([...recorded].toSorted()).toEqual([...expectedCases, ...withoutOutput].toSorted());
});

describe.each(agents)('$id', ({ id, name }) => {
  test('its recordings come to what they must', async () => {
    const cases = recordedNames(id).filter((recorded) => !withoutOutput.includes(recorded));
    const expected = new Map(cases.map((recorded) => [recorded, expectedOutcome(name, recorded)]));
    const found = await Promise.all(
      cases.map(async (recorded): Promise<[string, Outcome]> => {
        const outcome = await replay(loadRecording(id, recorded));
        const wanted = expected.get(recorded) ?? null;
        return [recorded, wanted === null ? outcome : renderOutcome(outcome, wanted)];
      }),
    );
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(
        [...expected].map(([recorded, wanted]) => [
          recorded,
          wanted === null ? 'nothing is expected of it' : renderExpected(name, wanted),
        ]),
      ),
    );
  });
});

/** The recordings as data: whole, small, and without traces of the machine they were made on. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { casesOf } from './cases.ts';
import type { RealAgent } from './catalogue.ts';
import { agentId, realAgents } from './catalogue.ts';
import {
  fileBytesMax,
  parseRecording,
  recordedNames,
  recordingPath,
  renderRecording,
} from './recording-file.ts';

const allBytesMax = 3_000_000;

/** Without a login it may ask where it could log in. */
const ownHosts: Readonly<Partial<Record<RealAgent['name'], readonly string[]>>> = {
  copilot: ['api.github.com'],
};

const agents = realAgents.map((agent) => ({ id: agentId(agent), agent }));

describe.each(agents)('$id', ({ id, agent }) => {
  const cases = casesOf(agent.name).map(({ name }) => name);

  test('has every case and no other', () => {
    expect(recordedNames(id).toSorted()).toEqual(cases.toSorted());
  });

  test.each(cases)('%s is whole, small and says nothing of a machine', (name) => {
    const text = readFileSync(recordingPath(id, name), 'utf8');
    const recorded = parseRecording(text);
    expect(renderRecording(recorded)).toBe(text);
    expect(recorded).toMatchObject({ cli: agent.name, version: agent.version, case: name });
    const allowed = name === 'not-logged-in' ? ownHosts[agent.name] : undefined;
    expect(recorded.lookups.filter((host) => allowed?.includes(host) !== true)).toEqual([]);
    expect(Buffer.byteLength(text)).toBeLessThan(fileBytesMax);
    const said = [text, recorded.stdout, recorded.stderr, recorded.answer].join('\n');
    expect(said).not.toMatch(/agents-record|(?<![\w-])\/(?:work|root|home)\//);
    expect(said).not.toMatch(/127\.0\.0\.1:(?!4000\b)\d+/);
  });
});

test('all together stay small', () => {
  const texts = agents.flatMap(({ id }) =>
    recordedNames(id).map((name) => readFileSync(recordingPath(id, name))),
  );
  const bytes = texts.reduce((sum, { length }) => sum + length, 0);
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThan(allBytesMax);
});

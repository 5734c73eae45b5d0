/** The recordings as data: whole, small, and without traces of the machine they were made on. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { casesOf } from './cases.ts';
import type { RealAgent } from './catalogue.ts';
import { agentId, realAgents } from './catalogue.ts';

const folder = path.join(import.meta.dirname, 'recordings');
const fileBytesMax = 60_000;
const allBytesMax = 3_000_000;

/** Without a login it may ask where it could log in. */
const ownHosts: Readonly<Partial<Record<RealAgent['name'], readonly string[]>>> = {
  copilot: ['api.github.com'],
};

interface End {
  readonly lookups: readonly string[];
}

const agents = realAgents.map((agent) => ({ id: agentId(agent), agent }));

function filesOf(id: string, name: string): readonly string[] {
  const place = path.join(folder, id, name);
  return existsSync(place) ? readdirSync(place).map((file) => path.join(place, file)) : [];
}

describe.each(agents)('$id', ({ id, agent }) => {
  const cases = casesOf(agent.name).map(({ name }) => name);

  test('has every case and no other', () => {
    expect(readdirSync(path.join(folder, id)).toSorted()).toEqual(cases.toSorted());
  });

  test.each(cases)('%s says how it ended', (name) => {
    const end = JSON.parse(readFileSync(path.join(folder, id, name, 'end.json'), 'utf8')) as End;
    expect(end).toMatchObject({ cli: agent.name, version: agent.version, case: name });
    const allowed = name === 'not-logged-in' ? ownHosts[agent.name] : undefined;
    expect(end.lookups.filter((host) => allowed?.includes(host) !== true)).toEqual([]);
  });

  test.each(cases)('%s is small and says nothing of a machine', (name) => {
    for (const file of filesOf(id, name)) {
      expect(statSync(file).size, file).toBeLessThan(fileBytesMax);
      const text = readFileSync(file, 'utf8');
      expect(text, file).not.toMatch(/agents-record|(?<![\w-])\/(?:work|root|home)\//);
      expect(text, file).not.toMatch(/127\.0\.0\.1:(?!4000\b)\d+/);
    }
  });
});

test('all together stay small', () => {
  const files = agents.flatMap(({ id, agent }) =>
    casesOf(agent.name).flatMap(({ name }) => filesOf(id, name)),
  );
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThan(allBytesMax);
});

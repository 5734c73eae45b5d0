/**
 * Honest work is not disturbed: whole runs of usual projects are green with the judge's checkout off, before the last pass and for every
 * pass. `npm test` takes the strictest of the three; `RUNNER_HOSTILE_ALL=1` takes all, and the compilers.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bareProject } from '../support/project.ts';
import { playAgent, shellAgent } from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';
import { honestKinds } from './honest-kinds.ts';
import type { HonestKind } from './honest-kinds.ts';

const all = process.env['RUNNER_HOSTILE_ALL'] !== undefined;
const checkouts = all ? ['off', 'final', 'every'] : ['every'];

function isMissing({ needs }: HonestKind): boolean {
  return needs !== undefined && spawnSync(needs, ['version'], { stdio: 'ignore' }).error !== undefined;
}

async function playRun(kind: HonestKind, checkout: string): Promise<void> {
  const p = await bareProject(kind.options);
  await kind.prepare?.(p);
  const env = kind.env?.(p) ?? {};
  const made = await p.runWith(env, 'init');
  expect(made.code, made.err).toBe(0);
  p.put('.runner/GOAL.md', '---\nid: test\n---\n\n# Goal\n\nMake it work.\n');
  p.put(
    '.runner/state/config.toml',
    `iteration_timeout_secs = 100
${kind.config ?? ''}
[sandbox]
kind = "none"
[agent]
${shellAgent}

[guard]
command = ${JSON.stringify(kind.guard)}
checkout = "${checkout}"

[automation]
setup = ${JSON.stringify(kind.setup ?? [])}
`,
  );
  const tree = node('root', { children: [node('a'), node('b', { order: 1 })] });
  p.put('.runner/state/tree.json', `${JSON.stringify(tree, null, 2)}\n`);
  await p.commitAll('prepare the run');
  const started = await p.runWith(env, 'start', '--no-baseline');
  expect(started.code, started.err).toBe(0);
  const settings = readFileSync(join(p.top, '.git/config'), 'utf8');
  playAgent(p, `${kind.agent}; answer done`);
  const { code, out, err } = await p.runWith(env, 'loop');
  expect(code, `${out}\n${err}`).toBe(0);
  expect(out).not.toContain('guard=fail');
  const loops = (await p.subjects()).filter((line) => line.includes(' iter '));
  expect(loops.map((line) => line.split(' ').slice(4, 7).join(' '))).toEqual(['2 node b', '1 node a']);
  expect(readFileSync(join(p.top, '.git/config'), 'utf8')).toBe(settings);
  expect(await p.status()).toBe('');
  // Once for the person's own commit.
  if (kind.name === 'hooks on') expect(readFileSync(join(p.home, 'hooks'), 'utf8')).toBe('ran\nran\nran\n');
}

/** Of each trouble one: conversions, commits of the agent, changes by the guard, PATH and setup, submodules. */
const sample = [
  'an agent that commits',
  'a formatter as guard',
  'a folder of the work tree on PATH',
  'autocrlf with attributes that a session adds to',
  'submodules',
];

describe.each(honestKinds.filter(({ name }) => all || sample.includes(name)))('$name', (kind) => {
  // A program that is not on this machine cannot be tried here; its name is in the table of kinds.
  test.skipIf(isMissing(kind)).each(checkouts)('checkout %s', { timeout: 240_000 }, async (checkout) => {
    await playRun(kind, checkout);
  });
});

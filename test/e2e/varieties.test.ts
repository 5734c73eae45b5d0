/**
 * The built runner in every kind of repository of `test/support/varieties.ts`: iterations, kills with SIGKILL and recovery, then a sound
 * repository with the right bytes. `npm test` takes four kinds and one kill; `RUNNER_VARIETIES_ALL=1` takes all kinds and six kills.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { committedBytes, expectSoundRepository, project, tempFolder } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { playAgent, shellAgent } from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';
import { varieties } from '../support/varieties.ts';
import type { Bytes, Variety } from '../support/varieties.ts';

const all = process.env['RUNNER_VARIETIES_ALL'] !== undefined;
/** How far an iteration has come when the runner is killed. */
const kills = all ? [0.1, 0.3, 0.5, 0.7, 0.8, 0.9] : [0.8];
/** A killed iteration and the step after it take at most two leaves; two are before them, one is left for the end. */
const leaves = Array.from({ length: 2 * kills.length + 3 }, (_, at) => `leaf-${at}`);
const tree = node('root', { children: leaves.map((id, order) => node(id, { order })) });

const usualWork = `mkdir -p src big
echo "$RUNNER_NODE_ID" > "src/$RUNNER_NODE_ID.txt"
echo "last is $RUNNER_NODE_ID" > last.txt`;

async function isPossible({ initFlag }: Variety): Promise<boolean> {
  if (initFlag === undefined) return true;
  const made = await execa('git', ['init', '--quiet', initFlag, tempFolder('possible')], { reject: false });
  return made.exitCode === 0;
}

function expectedBytes({ options = {}, commits = () => ({}) }: Variety): Bytes {
  const ofLeaves = leaves.map((leaf) => ({ [`src/${leaf}.txt`]: `${leaf}\n`, ...commits(leaf) }));
  const files: Bytes = Object.assign({ 'last.txt': `last is ${leaves.at(-1)}\n` }, ...ofLeaves);
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => [`${options.prefix ?? ''}${name}`, text]),
  );
}

/** The number of failpoints in an iteration that has nothing to do for the first time. */
async function countPoints(p: Project): Promise<number> {
  const points = join(p.home, 'points');
  for (const given of [{}, { RUNNER_FAILPOINT_LOG: points }]) {
    const ran = await p.runWith(given, 'step');
    expect(ran, ran.err).toMatchObject({ code: 0 });
  }
  return readFileSync(points, 'utf8').split('\n').length - 1;
}

async function killAndRecover(p: Project, at: number): Promise<void> {
  const killed = await p.runWith({ RUNNER_FAILPOINT: String(at) }, 'step');
  expect(killed, `killed at ${at}: ${killed.err}`).toMatchObject({ signal: 'SIGKILL' });
  const after = await p.run('step');
  expect(after, `after a kill at ${at}: ${after.err}`).toMatchObject({ code: 0 });
}

async function expectOneCommitPerPass(p: Project): Promise<void> {
  const subjects = (await p.subjects()).filter((subject) => subject.includes(' iter '));
  const iterations = subjects.map((subject) => subject.split(' ')[4]);
  expect(new Set(iterations).size, subjects.join('\n')).toBe(iterations.length);
  expect(subjects.filter((subject) => subject.endsWith('status=done guard=pass'))).toHaveLength(
    leaves.length,
  );
}

for (const variety of varieties.filter(({ isUsual }) => all || isUsual === true)) {
  test(`${variety.name}: iterations, kills, recovery, a sound repository`, async ({ skip }) => {
    if (!(await isPossible(variety))) skip(`this git knows no \`git init ${variety.initFlag}\``);
    const p = await project({ agent: shellAgent, tree, ...variety.options });
    await variety.prepare?.(p);
    playAgent(p, `${usualWork}\n${variety.agent ?? ''}\nanswer done`);

    const points = await countPoints(p);
    for (const part of kills) await killAndRecover(p, Math.ceil(points * part));
    const ended = await p.run('loop');
    expect(ended, ended.err).toMatchObject({ code: 0 });

    await expectOneCommitPerPass(p);
    expect(await committedBytes(p)).toMatchObject(expectedBytes(variety));
    await expectSoundRepository(p);
    await variety.finish?.(p);
  });
}

/** §14.4: the guard in a clone of its own, through the built binary: when it runs, what it catches, what it leaves behind. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answer, project, write } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { node } from '../support/trees.ts';

/** Green where `built` is, which the project ignores. */
const needsBuilt = [
  'sh',
  '-c',
  'echo in "$(basename "$PWD")"; test -e built || { echo "error: no built"; exit 1; }',
];
const ignoring = { '.gitignore': 'built\ndeps/\n' };
const twoLeaves = node('root', { children: [node('a', { order: 0 }), node('b', { order: 1 })] });

const works = (n: number) => ({ actions: [write(`work-${n}.txt`, `${n}\n`)], answer: answer('done') });
const cheats = (n: number) => ({
  actions: [write(`work-${n}.txt`, `${n}\n`), write('built', 'x')],
  answer: answer('done'),
});

/** Clones that are still there. */
function clonesOf(p: Project): readonly string[] {
  const root = join(p.home, '.local/state/runner/judge');
  if (!existsSync(root)) return [];
  return readdirSync(root).flatMap((repo) =>
    readdirSync(join(root, repo)).flatMap((run) => readdirSync(join(root, repo, run))),
  );
}

async function expectNoTrace(p: Project): Promise<void> {
  expect(clonesOf(p)).toEqual([]);
  expect(await p.git('for-each-ref', 'refs/runner/hold')).toBe('');
  expect(await p.status()).toBe('');
}

describe('every', () => {
  test('a file that git ignores makes the guard green in place only: fail, one attempt, told why', async () => {
    const p = await project({ files: ignoring, guard: needsBuilt, checkout: 'every', script: [cheats(1)] });
    const ran = await p.run('step');
    expect(ran.err).toContain('note: checking in a fresh clone');
    expect(ran.out).toContain('status=done guard=fail');
    expect(p.tree()).toMatchObject({ passes: false, attempts: 1 });
    const last = JSON.parse(p.read('.runner/nodes/root/last.json')) as { guard_output: string };
    expect(last.guard_output).toContain(
      'green in place, red in a fresh checkout: the guard ended with exit code 1',
    );
    expect(last.guard_output).toContain('a fresh checkout lacks them: "built"');
    expect(last.guard_output).toContain('error: no built');
    expect(p.log(1, 'guard.log')).toBe('in repo\n');
    expect(p.log(1, 'guard.clone.log')).toBe('in repo\nerror: no built\n');
    expect(p.meta(1)).toMatchObject({ rings: { settings: true, checkout: 'every' }, counterfactual: null });
    await expectNoTrace(p);
  });

  test('green in both places passes, at every leaf', async () => {
    const p = await project({ tree: twoLeaves, checkout: 'every', script: [works(1), works(2)] });
    expect(await p.run('loop')).toMatchObject({ code: 0 });
    for (const iter of [1, 2])
      expect(existsSync(join(p.dir, `.runner/iterations/test/${iter}/guard.clone.log`))).toBe(true);
    await expectNoTrace(p);
  });
});

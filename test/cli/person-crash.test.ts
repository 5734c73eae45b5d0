/** A kill at any instant of a person's commit (§1.5): the run goes on, by itself or by the one command that is printed. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Project } from '../support/project.ts';
import { answer, project, write } from '../support/project.ts';
import { readRefusal } from '../support/refusals.ts';
import { template } from '../support/template.ts';
import { node } from '../support/trees.ts';

const stuck = template(() =>
  project({
    tree: node('root', { attempts: 3 }),
    script: [{ actions: [write('a.txt', 'a\n')], answer: answer('done') }],
  }),
);

/** Every instant with RUNNER_CRASH_ALL, else some of them, always the last ones. */
function chooseHits(count: number): readonly number[] {
  const step = process.env['RUNNER_CRASH_ALL'] === undefined ? Math.ceil(count / 3) : 1;
  return Array.from({ length: count }, (_, at) => at + 1).filter((hit) => (count - hit) % step === 0);
}

/** The next command, after at most one that was printed. */
async function goOn(p: Project, when: string): Promise<void> {
  const first = await p.run('select');
  expect(first.code, when).toBeLessThanOrEqual(3);
  let ran = await p.run('step');
  if (ran.code === 1) {
    const { code, details } = readRefusal(ran);
    expect(code, `${when}: ${ran.err}`).toBe('GIT_DIRTY');
    expect(details).toEqual(['.M ".runner/state/tree.json"']);
    await p.commitAll();
    ran = await p.run('step');
  }
  if (ran.code === 3) {
    const again = await p.run('retry', 'root');
    expect(again.code, `${when}: ${again.err}`).toBe(0);
    ran = await p.run('step');
  }
  expect(ran.out, `${when}: ${ran.err}`).toBe('step: run=test iter=1 node=root status=done guard=pass');
  expect(p.tree()).toMatchObject({ attempts: 3, max_attempts: 6, passes: true });
  expect(await p.status(), when).toBe('');
}

test('retry, killed anywhere', async () => {
  const whole = await stuck();
  const log = join(whole.base, 'failpoints');
  expect((await whole.runWith({ RUNNER_FAILPOINT_LOG: log }, 'retry', 'root')).code).toBe(0);
  const names = readFileSync(log, 'utf8').trimEnd().split('\n');
  rmSync(log);
  expect(names).toEqual(
    expect.arrayContaining(['rename:after:tree.json', 'index:locked', 'index:installed']),
  );
  await goOn(whole, 'no crash');
  const moved = ['git:after:update-ref', 'rename:after:refs/heads/runner/test'];
  const wanted = new Set(['index:locked', 'index:installed', ...moved]);
  expect(names.filter((name) => moved.includes(name))).not.toEqual([]);
  const hits = new Set([
    ...chooseHits(names.length),
    ...names.flatMap((name, at) => (wanted.has(name) ? [at + 1] : [])),
  ]);
  for (const hit of hits) {
    const p = await stuck();
    const killed = await p.runWith({ RUNNER_FAILPOINT: String(hit) }, 'retry', 'root');
    const when = `killed at ${hit} of ${names.length}: ${names[hit - 1] ?? ''}`;
    expect(killed.signal, when).toBe('SIGKILL');
    await goOn(p, when);
  }
});

/**
 * A whole `runner loop` while git's ordinary maintenance of the same repository runs again and again: the loop ends in one go and the
 * repository is sound. `npm test` takes one tool; `RUNNER_VARIETIES_ALL=1` takes all of them, with more iterations.
 */
import { expect, test } from 'vitest';
import { committedBytes, expectSoundRepository, project } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { playAgent, shellAgent } from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';

const all = process.env['RUNNER_VARIETIES_ALL'] !== undefined;
const leaves = Array.from({ length: all ? 40 : 12 }, (_, at) => `leaf-${at}`);
const tree = node('root', { children: leaves.map((id, order) => node(id, { order })) });
const roundsMax = 5000;
const deadlineMs = 300_000;

type Calls = readonly (readonly string[])[];
const tools: Readonly<Record<string, Calls>> = {
  'git gc': [['gc', '--quiet']],
  'git pack-refs --all': [['pack-refs', '--all']],
  'git repack -ad && git prune-packed': [['repack', '-adq'], ['prune-packed']],
  'git maintenance run': [['maintenance', 'run', '--quiet']],
};

/** The number of calls that git carried out until the signal came; one that met a lock is no failure of anybody. */
async function maintain(p: Project, calls: Calls, until: AbortSignal): Promise<number> {
  const endMs = performance.now() + deadlineMs;
  let succeeded = 0;
  for (let round = 0; round < roundsMax && !until.aborted && performance.now() < endMs; round += 1) {
    for (const call of calls) {
      const isDone = await p.git(...call).then(
        () => true,
        () => false,
      );
      if (isDone) succeeded += 1;
    }
  }
  return succeeded;
}

for (const [name, calls] of Object.entries(tools).slice(0, all ? undefined : 1)) {
  test(
    `${name} again and again beside ${leaves.length} iterations`,
    { timeout: 2 * deadlineMs },
    async () => {
      const p = await project({ agent: shellAgent, tree });
      playAgent(
        p,
        'mkdir -p src; echo "$RUNNER_NODE_ID" > "src/$RUNNER_NODE_ID.txt"; echo "$RUNNER_NODE_ID" > last.txt; answer done',
      );
      const end = new AbortController();
      const maintained = maintain(p, calls, end.signal);
      const ended = await p.start(['loop']);
      end.abort();
      const count = await maintained;
      expect(ended.exitCode, ended.stderr).toBe(0);
      expect(count, 'calls beside the loop').toBeGreaterThan(1);
      expect(p.runState().next_iter).toBe(leaves.length + 1);
      const files = leaves.map((leaf) => [`src/${leaf}.txt`, `${leaf}\n`]);
      expect(await committedBytes(p)).toMatchObject(Object.fromEntries(files));
      await expectSoundRepository(p);
    },
  );
}

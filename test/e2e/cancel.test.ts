/**
 * Cancel in every phase (§13.5): `canceled` in time, the work tree clean, no process left, and the run goes on to the same files as one
 * that nobody disturbed. Four phases here; `npm run test:cancel` adds all others and thirty moments drawn at random.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { journalLines } from '../../src/core/iteration/journal-text.ts';
import {
  cancelOrMiss,
  cancelRun,
  expectNoProcesses,
  filesOf,
  heldSlots,
  progressOf,
  recordOf,
  resumeRun,
  startRun,
  waitForEnd,
} from '../support/background.ts';
import { drawFrom } from '../support/draws.ts';
import { claudeDone, claudeLimited, playFake } from '../support/fake-agent.ts';
import type { Project } from '../support/project.ts';
import { unstartedProject } from '../support/project.ts';
import { waitUntil } from '../support/scratch.ts';
import { playAgent, playGuard, shellAgent } from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';

const isAll = process.env['RUNNER_CANCEL_ALL'] !== undefined;
const seed = Number(process.env['RUNNER_CANCEL_SEED'] ?? 20_261_118);

/** Holds on to its phase as long as the test wants; a child in a session of its own must go, too. */
const hold = (phase: string): string =>
  `if test -e "$HOME/hold-${phase}"; then : > "$HOME/at-${phase}"; (setsid sleep 600 &); sleep 600; fi; sleep 0.2`;

const tree = node('root', {
  children: [node('a', { max_attempts: 9 }), node('b', { order: 1, max_attempts: 9 })],
});

async function prepared(): Promise<Project> {
  const p = await unstartedProject({
    agent: shellAgent,
    tree,
    config: `[automation]
setup = ["sh \\"$HOME/setup.sh\\""]
max_parallel = 1
[guard]
command = ["sh", "-c", "exec sh \\"$HOME/guard.sh\\""]`,
    files: { '.gitignore': '*.ignored\n' },
  });
  writeFileSync(join(p.home, 'setup.sh'), `${hold('setup')}; echo ready > ready.ignored\n`);
  playAgent(
    p,
    `test -e ready.ignored; echo "half of $RUNNER_NODE_ID" > "$RUNNER_NODE_ID.txt"; ${hold('agent')}
    echo "work of $RUNNER_NODE_ID" > "$RUNNER_NODE_ID.txt"; answer done`,
  );
  // Before the run begins there is nothing to judge.
  playGuard(p, `if test -e a.txt; then ${hold('guard')}; else ${hold('baseline')}; fi`);
  return p;
}

async function undisturbed(p: Project): Promise<string> {
  await startRun(p, 'whole');
  await waitForEnd(p, 'whole', 'complete');
  return filesOf(p, 'whole');
}

async function expectResumable(p: Project, id: string, files: string): Promise<void> {
  const { worktree, leaves } = recordOf(p, id);
  expect(await p.git('-C', worktree ?? '', 'status', '--porcelain')).toMatch(
    /^(?:(?: M|\?\?) \.runner\/.*\n?)*$/,
  );
  await expectNoProcesses(p);
  expect(heldSlots(p)).toEqual([]);
  // Where the signal came with the last commit there is nothing left to do.
  const resumed = await (leaves.passed === 2 ? recordOf(p, id) : resumeRun(p, id));
  expect(resumed, progressOf(p, id)).toMatchObject({ leaves: { passed: 2, all: 2 } });
  expect(await filesOf(p, id)).toBe(files);
}

const phases = isAll ? ['setup', 'baseline', 'agent', 'guard'] : ['setup', 'agent'];

test(`cancel while programs run: ${phases.join(', ')}`, async () => {
  const p = await prepared();
  const files = await undisturbed(p);
  for (const phase of phases) {
    writeFileSync(join(p.home, `hold-${phase}`), '');
    await startRun(p, `at-${phase}`);
    await waitUntil(`phase ${phase}`, () => existsAt(p, phase));
    await cancelRun(p, `at-${phase}`);
    rmSync(join(p.home, `hold-${phase}`));
    await expectResumable(p, `at-${phase}`, files);
  }
});

function existsAt(p: Project, phase: string): boolean {
  try {
    rmSync(join(p.home, `at-${phase}`));
    return true;
  } catch {
    return false;
  }
}

test('cancel in the queue, and while the run waits for an agent', async () => {
  const p = await unstartedProject({ agent: 'name = "claude"', config: '[automation]\nmax_parallel = 1\n' });
  const done = claudeDone('echo done > done.txt');
  const env = playFake(p, 'claude', { agent: [claudeLimited(600), done, done] });
  await startRun(p, 'first', { env });
  await waitUntil('the run to wait', () => recordOf(p, 'first').status === 'waiting');
  expect(recordOf(p, 'first').reason).toContain('limit');
  await startRun(p, 'second', { env });
  await waitUntil('the second to queue', () => recordOf(p, 'second').reason?.startsWith('waits for 1'));
  await cancelRun(p, 'second');
  await cancelRun(p, 'first');
  await expectNoProcesses(p);
  for (const id of ['second', 'first'])
    expect(await resumeRun(p, id, env)).toMatchObject({ status: 'complete' });
  expect(await filesOf(p, 'second')).toBe(await filesOf(p, 'first'));
});

/** What the run does: its status, and while it is `running` or `starting` the newest entry of its journal. */
function phaseOf(p: Project, id: string): string {
  const { status, worktree } = recordOf(p, id);
  try {
    const gitDir = readFileSync(join(worktree ?? '', '.git'), 'utf8')
      .slice('gitdir: '.length)
      .trim();
    const [newest] = journalLines(readFileSync(join(gitDir, 'runner', 'journal.jsonl'), 'utf8'));
    if (newest === undefined) return status;
    const { kind, phase } = (JSON.parse(newest.text) as { entry: { kind: string; phase?: string } }).entry;
    return `${status} ${phase ?? kind}`;
  } catch {
    return status;
  }
}

describe.runIf(isAll)('thirty moments', () => {
  test(`seed ${seed}`, { timeout: 3_600_000 }, async () => {
    const p = await prepared();
    const beginMs = performance.now();
    const files = await undisturbed(p);
    const wholeMs = performance.now() - beginMs;
    const draw = drawFrom(seed);
    const seen = new Map<string, number>();
    for (let k = 1; [...seen.values()].reduce((sum, count) => sum + count, 0) < 30; k += 1) {
      const id = `r${k}`;
      await startRun(p, id);
      await sleep(draw() * wholeMs);
      // Done before the moment came.
      if (recordOf(p, id).owner === null) continue;
      const phase = phaseOf(p, id);
      if ((await cancelOrMiss(p, id)).status === 'complete') continue;
      seen.set(phase, (seen.get(phase) ?? 0) + 1);
      await expectResumable(p, id, files);
    }
    console.log(`canceled while: ${JSON.stringify(Object.fromEntries(seen))}`);
  });
});

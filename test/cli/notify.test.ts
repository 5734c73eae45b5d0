/** `notify.command`: what it gets on stdin, for every way in which `step` and `loop` end, by the shipped schema. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claudeDone, claudeFails, playFake } from '../support/fake-agent.ts';
import { expectOutput } from '../support/output-schema.ts';
import type { Project } from '../support/project.ts';
import { project } from '../support/project.ts';
import { node } from '../support/trees.ts';

/** Runs the command and gives back what was told. */
async function told(p: Project, env: Record<string, string>, ...args: readonly string[]): Promise<unknown> {
  const file = join(p.home, 'told.json');
  rmSync(file, { force: true });
  await p.runWith({ RUNNER_NOTIFY_COMMAND: '["sh","-c","cat > \\"$HOME/told.json\\""]', ...env }, ...args);
  const payload: unknown = JSON.parse(readFileSync(file, 'utf8'));
  expectOutput('notify', payload);
  return payload;
}

test('every outcome', async () => {
  const p = await project({ agent: 'name = "claude"', tree: node('root', { attempts: 2 }) });
  const works = claudeDone('echo a > a.txt', { input: 1, output: 1, cost: 0.5 });
  const play = (...agent: readonly string[]) => playFake(p, 'claude', { agent });
  const blocked = play(claudeFails(401, 'Invalid API key'));
  expect(await told(p, blocked, 'step')).toMatchObject({ kind: 'not_recorded', stop: { kind: 'error' } });
  expect(await told(p, play(claudeFails(401, 'Invalid API key')), 'loop')).toMatchObject({
    kind: 'stopped',
    steps: 0,
    stop: { code: 'AGENT_BLOCKED' },
  });
  expect(await told(p, play(works), 'step')).toMatchObject({
    kind: 'recorded',
    record: { iter: 1, guard: 'pass', waited_secs: 0 },
    stop: null,
  });
  expect(await told(p, {}, 'step')).toEqual({ kind: 'complete', run_id: 'test' });
  expect(await told(p, {}, 'loop')).toMatchObject({ kind: 'complete', steps: 0, started_at_iter: 2 });
  p.put('.runner/state/tree.json', JSON.stringify(node('root', { attempts: 3 })));
  await p.commitAll();
  expect(await told(p, {}, 'loop')).toMatchObject({
    kind: 'stuck',
    leaf: { path: 'root', node: { id: 'root' } },
  });
  p.put('.runner/state/tree.json', JSON.stringify(node('root')));
  await p.commitAll();
  expect(await told(p, {}, 'step', '--max-iterations', '1')).toMatchObject({ kind: 'limit', next_iter: 2 });
  expect(await told(p, { RUNNER_LIMITS_MAX_COST_USD: '0.5' }, 'loop')).toMatchObject({
    kind: 'run_limit',
    limit: 'max_cost_usd',
    used: 0.5,
  });
});

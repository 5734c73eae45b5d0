/** What people see of a batch while it runs: the block on a terminal, lines in a pipe, and the pages of `--ui`. */
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { TrialKey, TrialRecord } from '../../src/eval/cases/types.ts';
import { progressAfter, renderProgress } from '../../src/cli/output/eval-live.ts';
import type { EvalProgress } from '../../src/cli/output/eval-live.ts';
import type { TrialEvent } from '../../src/eval/harness/trial-world.ts';
import { evalProject, shellAgent, shellDone } from '../support/eval-project.ts';
import type { TestCase } from '../support/eval-project.ts';
import { shellWait } from '../support/shell-agent.ts';
import { expectOutput } from '../support/output-schema.ts';
import { waitUntil } from '../support/scratch.ts';
import { hasTmux, openScreen, runnerCommand, tmuxHint } from '../support/tmux.ts';

/** Works until the test lets it go. */
const waiting: TestCase = { agent: shellAgent(`echo x > a.txt; ${shellWait}; ${shellDone}`) };

function isServed(address: string): Promise<boolean> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    onTestFinished(() => {
      socket.destroy();
    });
  });
}

async function treeTitle(address: string): Promise<string> {
  const answer = await fetch(new URL('api/tree', address)).catch(() => null);
  return answer?.ok === true ? await answer.text() : '';
}

test('--ui in a pipe: the pages follow the newest workspace and end with the run', async () => {
  const p = await evalProject({ one: waiting });
  const running = p.startRun('one', '--ui', '--no-input', '--json');
  let out = '';
  running.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  const address = await waitUntil(
    'the address',
    () => /^\{"command":"eval run","event":"ui","address":"(.*)"\}$/mu.exec(out)?.[1],
  );
  await waitUntil('the tree of the workspace', async () => (await treeTitle(address)).includes('"root"'));
  writeFileSync(join(p.home, 'go'), '');
  const { exitCode, stderr } = await running;
  expect(exitCode, stderr).toBe(0);
  expect(out).toContain('"outcome":"success"');
  for (const line of out.trim().split('\n')) expectOutput('eval-run', JSON.parse(line));
  expect(stderr.split('\n')).toEqual([
    'one default #1: started',
    expect.stringMatching(/^\[1\/1\] one default #1: success · \d\d:\d\d, 1 iteration, 1\/1 checks$/u),
  ]);
  expect(await isServed(address)).toBe(false);
});

test.skipIf(!hasTmux)(
  `on a terminal: a block that is drawn in place, and pages that stay until Ctrl-C${tmuxHint}`,
  async () => {
    const p = await evalProject({ one: waiting });
    const screen = await openScreen(p, { columns: 100, rows: 30 });
    await screen.type(`${runnerCommand} eval run one --batch b --ui`);
    const shown = await screen.until(
      'the block',
      (text) => text.includes('eval b: 0/1 done') && /one default #1: loop 00:0\d/u.test(text),
    );
    const address = /eval: ui=(\S+)/u.exec(shown)?.[1] ?? '';
    writeFileSync(join(p.home, 'go'), '');
    const ended = await screen.until('the end', (text) => text.includes('the pages stay until Ctrl-C'));
    expect(ended).toContain('[1/1] one default #1: success');
    expect(ended).toContain('eval: batch=b trials=1 success=1');
    expect(ended).not.toContain('0/1 done');
    expect(await isServed(address)).toBe(true);
    await screen.press('C-c');
    await screen.ended(0);
    expect(await isServed(address)).toBe(false);
    expect(await screen.isCursorShown()).toBe(true);
  },
);

const keyOf = (case_id: string, repeat = 1): TrialKey => ({
  case_id,
  variant: { kind: 'agent', agent: 'codex', model: null },
  repeat,
});

function after(...events: readonly TrialEvent[]): EvalProgress {
  const begun: EvalProgress = { batch_id: 'b', total: 9, ended: [], running: new Map() };
  return events.reduce((progress, event, index) => progressAfter(progress, event, index * 1000), begun);
}

test('the block: counts, what each trial does and since when; never wider or higher than the terminal', () => {
  const key = keyOf('one');
  const record = { meta: { outcome: 'fail' } } as TrialRecord;
  const step = { iter: 3, node_id: 'root\u001b[2J', status: 'retry', guard: 'skipped' };
  const progress = after(
    { type: 'trial_started', key: keyOf('old') },
    { type: 'trial_started', key },
    { type: 'phase', key, phase: 'loop' },
    { type: 'iteration', key, step },
    { type: 'trial_ended', key: keyOf('old'), record },
    { type: 'trial_started', key: keyOf('two', 2) },
  );
  expect(renderProgress(progress, { columns: 100, rows: 24, atMs: 61_000 })).toEqual([
    'eval b: 1/9 done · fail 1',
    expect.stringMatching(/^ {2}one codex #1: iter 3: root.* status=retry guard=skipped 01:00$/u),
    '  two codex #2: … 00:56',
  ]);
  const many = after(
    ...Array.from({ length: 9 }, (_, at) => ({ type: 'trial_started', key: keyOf('x', at) }) as const),
  );
  const small = renderProgress(many, { columns: 12, rows: 6, atMs: 9000 });
  expect(small).toHaveLength(4);
  expect(small.at(-1)).toBe('  and 7 more'.slice(0, 10) + '…');
  expect(small.every((line) => line.length < 12)).toBe(true);
  expect(JSON.stringify(renderProgress(progress, { columns: 100, rows: 24, atMs: 9000 }))).not.toContain(
    'u001b',
  );
});

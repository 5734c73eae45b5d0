/** The live view on a real terminal (tmux): what people see while a loop runs, after a resize, after Ctrl-C, and when it is over. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { renderEventLine } from '../../src/core/agents/agent-events.ts';
import { displayWidth } from '../../src/core/text/display-width.ts';
import type { Project } from '../support/project.ts';
import { project } from '../support/project.ts';
import { waitUntil } from '../support/scratch.ts';
import { playAgent, shellAgent } from '../support/shell-agent.ts';
import { template } from '../support/template.ts';
import type { Screen } from '../support/tmux.ts';
import { hasTmux, openScreen, runnerCommand, tmuxHint } from '../support/tmux.ts';
import { node } from '../support/trees.ts';

const started = template(() =>
  project({
    agent: shellAgent,
    tree: node('root', { children: [node('a', { title: 'Wide 漢字 title' }), node('b', { order: 1 })] }),
  }),
);

const long = 'x'.repeat(300);
/** Says something, waits until it may go on, works. */
const patient = `
printf 'reading \\033[2Jthe goal\\n漢字漢字 wide\\n'
echo 'long ${long}'
until [ -f "$HOME/go" ]; do test -d "$HOME"; sleep 0.05; done
echo "$RUNNER_NODE_ID" > "$RUNNER_NODE_ID.txt"
answer done "made it"`;

async function running(size: { columns: number; rows: number; env?: Record<string, string> }, args = '') {
  const p = await started();
  playAgent(p, patient);
  const screen = await openScreen(p, size);
  await screen.type(`${runnerCommand} loop ${args}`);
  return { p, screen };
}

/** A loop without a terminal, at work. */
async function working() {
  const p = await started();
  playAgent(p, patient);
  const loop = p.start(['loop']);
  onTestFinished(() => {
    loop.kill('SIGKILL');
  });
  const events = join(p.dir, '.runner/iterations/test/1/events.jsonl');
  await waitUntil('the session', () => existsSync(events) && readFileSync(events, 'utf8').includes('wide'));
  return { p, loop };
}

function go(p: Project): void {
  writeFileSync(join(p.home, 'go'), '');
}

/** Lines of the block on a screen. */
function blockOf(text: string): readonly string[] {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.startsWith('run test · iter '));
  const to = lines.findIndex((line) => /^\[[#-]+\] \d/u.test(line));
  return from === -1 || to === -1 ? [] : lines.slice(from, to + 1);
}

const isDrawn = (text: string): boolean => blockOf(text).some((line) => line.startsWith('  | long x'));

async function expectTidy(screen: Screen, code: number): Promise<string> {
  const text = await screen.ended(code);
  expect(blockOf(text)).toEqual([]);
  expect(text).not.toContain('  | ');
  expect(await screen.isCursorShown(), text).toBe(true);
  expect(await screen.title()).not.toContain('runner');
  return text;
}

describe.skipIf(!hasTmux)(`on a terminal${tmuxHint}`, () => {
  test.each([
    { columns: 80, rows: 24 },
    { columns: 200, rows: 50 },
  ])('a loop at $columns×$rows', async (size) => {
    const { p, screen } = await running(size);
    const drawn = blockOf(await screen.until('the block', isDrawn));
    const bar = '[--------------------] 0 of 2 passed';
    expect(drawn).toEqual([
      'run test · iter 1 of 50 · command',
      'root/a · Wide 漢字 title · attempts 0/3',
      expect.stringMatching(/^agent · 00:\d\d of 30:00$/u),
      '  | reading the goal',
      '  | 漢字漢字 wide',
      expect.stringMatching(/^ {2}\| long x+…$/u),
      bar,
    ]);
    expect(displayWidth(drawn[5] ?? '')).toBe(Math.min(size.columns - 1, '  | '.length + 161));
    expect(await screen.isCursorShown()).toBe(false);
    expect(await screen.title()).toBe('runner test 0/2');
    go(p);
    const text = await expectTidy(screen, 0);
    // The line is longer than a narrow terminal.
    expect(text.replaceAll('\n', '')).toMatch(
      /iter 1: root\/a Wide 漢字 title, with command, budget 30:00, rings: sandbox=none ?settings=on checkout=off {2}status=done guard=pass · /u,
    );
    expect(text.match(/\biter[ =]1\b/gu), 'each iteration once').toHaveLength(1);
    expect(text).not.toContain('loop: step');
    expect(text).toMatch(/^ {2}iterations {2}2\n {2}passed {6}2$/mu);
    expect(text).toContain('loop: status=complete run=test steps=2 started_at_iter=1\nexit=0\n');
    const raw = screen.raw().replaceAll(/\u001b\][^\u0007]*\u0007/gu, '');
    expect(raw.split('\u0007'), 'one bell').toHaveLength(2);
    expect(raw).not.toContain('\u001b[2J');
    expect(screen.raw()).toContain('\u001b]0;runner test 1/2\u0007');
  });

  test('a resize draws it anew, once, and what stood above stays', async () => {
    const { p, screen } = await running({ columns: 100, rows: 30 });
    await screen.until('the block', isDrawn);
    for (const [columns, rows] of [
      [50, 30],
      [45, 12],
      [120, 40],
      [80, 8],
      [150, 24],
    ] as const) {
      await screen.resize(columns, rows);
      const text = await screen.until(`the block at ${columns}×${rows}`, (shown) => {
        const line = blockOf(shown).find((part) => part.startsWith('  | long x')) ?? '';
        return displayWidth(line) === columns - 1 && blockOf(shown).length <= rows - 2;
      });
      expect(text.match(/run test · iter /gu), text).toHaveLength(1);
      expect(text.match(/passed/gu), text).toHaveLength(1);
    }
    await screen.resize(30, 20);
    const small = await screen.until('one line', (shown) => /^iter 1 root\/a \(command\) · a/mu.test(shown));
    expect(small).not.toContain('run test ·');
    await screen.resize(100, 30);
    await screen.until('the block again', isDrawn);
    go(p);
    await expectTidy(screen, 0);
    expect(await screen.capture('-S', '-')).toContain('iter 1: root/a Wide 漢字 title, with command');
  });

  test('Ctrl-C once: a clean stop, and the terminal as it was', async () => {
    const { p, screen } = await running({ columns: 80, rows: 24 });
    await screen.until('the block', isDrawn);
    await screen.press('C-c');
    const text = await expectTidy(screen, 130);
    expect(text).toContain('SIGINT: stopping cleanly; a second signal stops at once');
    expect(text).toContain('loop: status=interrupted run=test steps=1 started_at_iter=1');
    expect(screen.raw().replaceAll(/\u001b\][^\u0007]*\u0007/gu, ''), 'no bell').not.toContain('\u0007');
    expect(p.runState().next_iter).toBe(2);
  });

  test('Ctrl-C twice: ended at once, and the terminal as it was', async () => {
    const p = await started();
    playAgent(
      p,
      `trap '' INT TERM; echo 'long xx'; until [ -f "$HOME/go" ]; do test -d "$HOME"; sleep 0.05; done`,
    );
    const screen = await openScreen(p, { columns: 80, rows: 24 });
    await screen.type(`${runnerCommand} loop`);
    await screen.until('the block', isDrawn);
    await screen.press('C-c');
    await screen.until('the first is told', (text) => text.includes('a second signal stops at once'));
    await screen.press('C-c');
    await expectTidy(screen, 130);
    go(p);
  });

  test('SIGTERM, and an error of ours', async () => {
    const { p, screen } = await running({ columns: 80, rows: 24 });
    await screen.until('the block', isDrawn);
    const { pid } = JSON.parse(readFileSync(join(p.top, '.git/runner/lock'), 'utf8')) as { pid: number };
    process.kill(pid, 'SIGTERM');
    await expectTidy(screen, 143);
    playAgent(
      p,
      `echo 'long xx'; touch "$HOME/there"; until [ -f "$HOME/go" ]; do sleep 0.05; done; rm -rf .git`,
    );
    await screen.press('C-l');
    await screen.type(`clear; ${runnerCommand} loop`);
    await waitUntil('the agent', () => existsSync(join(p.home, 'there')));
    await screen.until('the block', isDrawn);
    go(p);
    await expectTidy(screen, 1);
  });

  test('Ctrl-Z gives the terminal back, and the view comes again', async () => {
    const { p, screen } = await running({ columns: 80, rows: 24 });
    await screen.until('the block', isDrawn);
    await screen.press('C-z');
    const text = await screen.until('the shell', (shown) => /Stopped/u.test(shown));
    expect(blockOf(text)).toEqual([]);
    expect(await screen.isCursorShown()).toBe(true);
    await screen.type('fg');
    await screen.until('the block again', isDrawn);
    go(p);
    await screen.until('the end', (shown) => shown.includes('loop: status=complete'));
  });

  test('a flood of activity is drawn at most ten times a second', async () => {
    const p = await started();
    playAgent(p, 'seq 1 20000; echo "$RUNNER_NODE_ID" > "$RUNNER_NODE_ID.txt"; answer done "made it"');
    const screen = await openScreen(p, { columns: 80, rows: 24 });
    const startMs = performance.now();
    await screen.type(`${runnerCommand} loop`);
    await expectTidy(screen, 0);
    const frames = screen.raw().split('\u001b[?7l').length - 1;
    expect(frames).toBeGreaterThan(1);
    expect(frames).toBeLessThanOrEqual((performance.now() - startMs) / 100 + 1);
  });

  test('colours, and NO_COLOR', async () => {
    const colour = /\u001b\[[\d;]*m/u;
    for (const env of [{}, { NO_COLOR: '1' }]) {
      const { p, screen } = await running({ columns: 80, rows: 24, env });
      await screen.until('the block', isDrawn);
      go(p);
      await expectTidy(screen, 0);
      expect(colour.test(screen.raw()), JSON.stringify(env)).toBe(!('NO_COLOR' in env));
    }
  });

  test.each([
    { columns: 80, rows: 24 },
    { columns: 200, rows: 50 },
  ])('log --follow at $columns×$rows', async (size) => {
    const { p, loop } = await working();
    const screen = await openScreen(p, size);
    await screen.type(`${runnerCommand} log --follow`);
    const isFollowed = (text: string): boolean => text.includes(' wide\n') && blockOf(text).length > 0;
    const text = await screen.until('the view', isFollowed);
    expect(text.replaceAll('\n', '')).toMatch(
      /iter 1: root\/a Wide 漢字 title, with command, budget 30:00, rings: sandbox=none ?settings=on checkout=off {2}\d\d:\d\d:\d\d reading the goal/u,
    );
    expect(blockOf(text)).toEqual([
      'run test · iter 1 of 50 · command',
      'root/a · Wide 漢字 title · attempts 0/3',
      expect.stringMatching(/^agent · 00:\d\d of 30:00$/u),
      '[--------------------] 0 of 2 passed',
    ]);
    expect(await screen.isCursorShown()).toBe(false);
    const usage = { input_tokens: 1200, cached_input_tokens: null, output_tokens: 34, cost_usd: 0.5 };
    appendFileSync(
      join(p.dir, '.runner/iterations/test/1/events.jsonl'),
      renderEventLine(
        { type: 'usage', scope: 'session', usage },
        { seq: 99, at: 'now', session: 1, role: 'agent' },
      ),
    );
    await screen.until('tokens', (shown) => shown.includes('0 of 2 passed · 1,234 tokens, $0.5000'));
    await screen.resize(50, 20);
    await screen.until(
      'the view at 50×20',
      (shown) => blockOf(shown).at(-1)?.startsWith('[----------] 0') === true,
    );
    go(p);
    expect(await expectTidy(screen, 0)).toContain('\niter 2: root/b');
    expect((await loop).exitCode).toBe(0);
  });

  test('log --follow: Ctrl-C ends it tidily and not the loop; a pipe and TERM=dumb get lines alone', async () => {
    const { p, loop } = await working();
    const screen = await openScreen(p, { columns: 80, rows: 24 });
    await screen.type(`${runnerCommand} log --follow`);
    await screen.until('the view', (text) => blockOf(text).length > 0);
    await screen.press('C-c');
    await expectTidy(screen, 130);
    const plain = [];
    for (const command of [
      `${runnerCommand} log --follow | cat`,
      `TERM=dumb ${runnerCommand} log --follow`,
    ]) {
      const other = await openScreen(p, { columns: 80, rows: 24 });
      await other.type(command);
      await other.until('lines', (text) => text.includes(' wide\n'));
      plain.push(other);
    }
    go(p);
    for (const other of plain) {
      await other.ended(0);
      const [, printed = ''] = other.raw().split('echo exit=$?');
      expect(printed).not.toMatch(/[\u001b\u0007]/u);
    }
    expect((await loop).exitCode).toBe(0);
  });

  test('RUNNER_NO_BELL and RUNNER_NO_TITLE', async () => {
    const env = { RUNNER_NO_BELL: '1', RUNNER_NO_TITLE: '1' };
    const { p, screen } = await running({ columns: 80, rows: 24, env });
    await screen.until('the block', isDrawn);
    go(p);
    await expectTidy(screen, 0);
    expect(screen.raw()).not.toContain('\u0007');
  });

  test.each([
    ['TERM=dumb', `TERM=dumb ${runnerCommand} loop`],
    ['a pipe', `${runnerCommand} loop 2>&1 | cat`],
    ['--quiet', `${runnerCommand} loop --quiet`],
    ['--events', `NO_COLOR=1 ${runnerCommand} loop --events`],
  ])('%s: no escape code at all', async (_name, command) => {
    const p = await started();
    playAgent(p, patient);
    go(p);
    const screen = await openScreen(p, { columns: 80, rows: 24 });
    await screen.type(command);
    await screen.ended(0);
    const [, printed = ''] = screen.raw().split('echo exit=$?');
    expect(printed).not.toMatch(/[\u001b\u0007]/u);
  });

  test('FORCE_COLOR in a pipe: colours, and no other escape code', async () => {
    const p = await started();
    playAgent(p, patient);
    go(p);
    const ran = await p.runWith({ FORCE_COLOR: '1' }, 'loop');
    expect(ran.code).toBe(0);
    expect(ran.err).toContain('\u001b[32miter 1: status=done guard=pass\u001b[0m · ');
    expect(ran.err.replaceAll(/\u001b\[\d+m/gu, '')).not.toMatch(/[\u001b\r\u0007]/u);
    expect(ran.out).not.toContain('\u001b');
  });
});

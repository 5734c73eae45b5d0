/** The live view (§10) beside a loop: the one line of `start`, and plain lines where nothing may be drawn. The view itself: terminal.test.ts. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import type { Project } from '../support/project.ts';
import { answer, entryFile, project, unstartedProject, write } from '../support/project.ts';
import { template } from '../support/template.ts';

/** `script` gives a command a pseudo terminal; where it is not installed these tests are shown as skipped. */
const hasScript = (process.env['PATH'] ?? '')
  .split(delimiter)
  .some((folder) => existsSync(join(folder, 'script')));

const started = template(() =>
  project({
    script: [
      {
        actions: [{ print: 'thinking \u001b[2Jhard\n' }, { sleep_ms: 1200 }, write('a.txt', 'a\n')],
        answer: answer('done'),
      },
    ],
  }),
);

async function onTerminal(p: Project, flags: string, term = 'xterm'): Promise<string> {
  return commandOnTerminal(p, `loop ${flags}`, term);
}

async function commandOnTerminal(p: Project, args: string, term = 'xterm'): Promise<string> {
  const command = `stty cols 100; '${process.execPath}' '${entryFile}' ${args}`;
  const { stdout, exitCode } = await execa('script', ['-qec', command, '/dev/null'], {
    cwd: p.dir,
    env: { ...p.env, TERM: term, SHELL: '/bin/sh' },
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
  });
  expect(exitCode, stdout).toBe(0);
  return stdout;
}

test.skipIf(!hasScript)('the guard before a run is followed live, and its line is cleared', async () => {
  const p = await unstartedProject({
    guard: ['sh', '-c', 'echo "checking \u001b[2Jhard"; sleep 1.2; exit 1'],
  });
  const text = await commandOnTerminal(p, 'start');
  const drawn = text.split('\u001b[?7l\r').filter((part) => part.startsWith('baseline · guard · '));
  expect(drawn.some((part) => /^baseline · guard · 00:0\d · 29:5\d left · checking hard/.test(part))).toBe(
    true,
  );
  expect(text).not.toContain('\u001b[2J');
  const lines = text.split('\n').map((line) => line.replace(/^[^]*\u001b\[(?:J|\?25h)/, '').trimEnd());
  expect(lines).toContain('baseline: red · the guard ended with exit code 1');
  expect(lines.at(-1)).toBe('started run=test branch=runner/test');
});

test.skipIf(!hasScript)('--quiet, and a dumb terminal, get no live line', async () => {
  const quiet = await onTerminal(await started(), '--quiet');
  expect(quiet).not.toContain('\u001b');
  expect(quiet.trim().split(/\r?\n/)).toEqual([
    'loop: step run=test iter=1 node=root status=done guard=pass',
    'loop: status=complete run=test steps=1 started_at_iter=1',
  ]);
  expect(await onTerminal(await started(), '', 'dumb')).not.toContain('\u001b');
});

test('a pipe gets plain lines', async () => {
  const p = await started();
  const ran = await p.runWith({ TERM: 'xterm' }, 'loop');
  expect(ran.code).toBe(0);
  expect(ran.out + ran.err).not.toMatch(/[\u001b\r]/);
  expect(ran.err).not.toContain(' left');
});

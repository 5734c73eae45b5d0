/** Canaries of the environment and of a login file are printed everywhere a program can print, in every form, and found nowhere (§14). */
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { redactedWord } from '../../src/core/text/redact.ts';
import { canaries, canariesIn, canaryForms, filesWithCanaries, printCanaries } from '../support/canaries.ts';
import { evalProject, shellAgent as shellCase } from '../support/eval-project.ts';
import { bareProject, project } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { playAgent, playGuard, shellAgent, shellGuard } from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';

const env = { SERVICE_API_TOKEN: canaries.variable };

function logIn({ home }: Pick<Project, 'home'>): void {
  mkdirSync(join(home, '.codex'), { recursive: true });
  writeFileSync(
    join(home, '.codex/auth.json'),
    JSON.stringify({ tokens: { access_token: canaries.login }, last_refresh: '2026-11-18T00:00:00Z' }),
  );
}

/** An answer whose summary has both, and one of them again, with a character in it that nobody sees. */
const leakyAnswer = JSON.stringify({
  status: 'done',
  summary: [...Object.values(canaries), `${canaries.login.slice(0, 5)}\u0001${canaries.login.slice(5)}`].join(
    ' and ',
  ),
  children: null,
});

function filesWith(folder: string, text: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .filter((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8').includes(text)).length;
}

test('the look itself finds every form', () => {
  for (const [form, write] of Object.entries(canaryForms)) {
    for (const [name, value] of Object.entries(canaries))
      expect([form, canariesIn(write(value))]).toEqual([form, [name]]);
  }
});

test('logs, events, records, commits, what is shown, and the export', { timeout: 120_000 }, async () => {
  const p = await project({
    agent: shellAgent,
    guard: shellGuard,
    tree: node('root', { children: [node('a', { max_attempts: 9 })] }),
  });
  logIn(p);
  writeFileSync(join(p.home, 'answer.json'), leakyAnswer);
  const shown: string[] = [];
  const step = async (...args: readonly string[]): Promise<void> => {
    const ran = await p.runWith(env, ...args);
    shown.push(ran.out, ran.err);
  };
  const print = `${printCanaries()}\n(${printCanaries()}) >&2\n`;
  playGuard(p, `${print}exit 1`);
  playAgent(p, `${print}cp "$HOME/answer.json" "$RUNNER_OUTPUT"; echo 1 >> work.txt`);
  await step('step');
  playAgent(p, `${print}exit 7`);
  await step('step', '--json');
  playAgent(p, `${print}echo ${JSON.stringify(leakyAnswer)} > "$RUNNER_OUTPUT"; echo 2 >> work.txt`);
  await step('step', '--verbose');
  playGuard(p, `${print}exit 0`);
  playAgent(p, `${print}cp "$HOME/answer.json" "$RUNNER_OUTPUT"; echo 3 >> work.txt`);
  await step('loop');
  await step('status');
  await step('log', '4');
  await step('export', '--html', 'run.html');

  expect(p.tree().children[0]?.passes).toBe(true);
  for (const name of ['executor.log', 'guard.log', 'output.json', 'events.jsonl'])
    expect([name, p.log(1, name).includes(redactedWord)]).toEqual([name, true]);
  expect(JSON.parse(p.log(1, 'output.json'))).toMatchObject({
    summary: [redactedWord, redactedWord, redactedWord].join(' and '),
  });
  expect(shown.filter((text) => canariesIn(text).length > 0)).toEqual([]);
  expect(filesWithCanaries(p.top, (path) => path.includes('/.git/objects/'))).toEqual([]);
  expect(readFileSync(join(p.dir, 'run.html'), 'utf8')).toContain(redactedWord);
  // Every object there is, rescue and commit messages included: this agent put nothing into its work.
  const objects = await p.git('cat-file', '--batch-all-objects', '--batch', '--unordered');
  expect(canariesIn(objects)).toEqual([]);
  expect(objects).toContain('status=done guard=pass');
});

test('results and reports of an eval', { timeout: 120_000 }, async () => {
  const { home } = await bareProject();
  const script = join(home, 'print.sh');
  writeFileSync(script, `${printCanaries()}\n`);
  writeFileSync(join(home, 'answer.json'), leakyAnswer);
  const p = await evalProject({
    leak: {
      agent: shellCase(`sh ${script}; cp ${home}/answer.json "$RUNNER_OUTPUT"; echo 1 > a.txt`),
      guard: ['sh', script],
      checks: [{ type: 'command_succeeds', cmd: ['sh', '-c', `sh ${script}; exit 1`] }],
    },
  });
  logIn(p);
  const reporters = 'html=report.html,json=report.json,junit=report.xml';
  const ran = await p.runWith(env, 'eval', 'run');
  const report = await p.runWith(env, 'eval', 'report', '--reporter', reporters);
  const shown = [ran.out, ran.err, report.out, report.err];
  expect(shown.filter((text) => canariesIn(text).length > 0)).toEqual([]);
  expect(filesWithCanaries(p.dir, (path) => path.includes('/.git/'))).toEqual([]);
  const { checks, dir } = p.trial('leak');
  expect(checks).toMatchObject([{ passed: false }]);
  expect(filesWith(dir, redactedWord)).toBeGreaterThan(2);
});

/** `step --dry-run`: the refusals, plan and prompt of `step`, and nothing started or written. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasOpenJournal } from '../support/open-journal.ts';
import { expectOutput } from '../support/output-schema.ts';
import type { Project } from '../support/project.ts';
import { answer, child, project, write } from '../support/project.ts';
import { fingerprint, readRefusal } from '../support/refusals.ts';
import { hasText, waitUntil } from '../support/scratch.ts';
import { template } from '../support/template.ts';
import { node } from '../support/trees.ts';

const marked = ['sh', '-c', 'touch ../guard-ran'];
const agent = `name = "command"\ncommand = ["sh", "-c", "touch ../agent-ran; exit 1"]\nenv = ["MY_TOKEN"]`;
const marking = template(() => project({ agent, guard: marked }));

/** Everything in the repository, git's own folder and the runner's private one included. */
function everything(p: Project): readonly string[] {
  const names = readdirSync(p.top, { recursive: true, encoding: 'utf8' });
  return [...names.toSorted(), JSON.stringify(fingerprint(p.top))];
}

async function trailer(p: Project): Promise<string> {
  const body = await p.git('show', '-s', '--format=%b', 'HEAD');
  return /^Runner-Prompt-SHA256: (\w+)$/m.exec(body)?.[1] ?? '';
}

function parse(out: string): Record<string, unknown> {
  return JSON.parse(out) as Record<string, unknown>;
}

test('says what it would do, starts neither agent nor guard, and leaves every file as it was', async () => {
  const p = await marking();
  const before = everything(p);
  const secret = { MY_TOKEN: 'hush-hush' };
  const ran = await p.runWith(secret, 'step', '--dry-run');
  expect(ran, ran.err).toMatchObject({
    code: 0,
    out: expect.stringMatching(
      /^step: dry-run run=test iter=1 node=root purpose=execute prompt_bytes=\d+ prompt_sha256=[0-9a-f]{64} budget_secs=1800$/,
    ),
  });
  expect(ran.err.split('\n')).toEqual([
    'would work on root (execute), with 30:00 for agent and guard',
    expect.stringMatching(/^agent: \S*\/sh -c "touch \.\.\/agent-ran; exit 1"$/),
    'guard: sh -c "touch ../guard-ran"',
    'nothing was started or written',
  ]);
  const json = await p.runWith(secret, 'step', '--dry-run', '--json', '--quiet');
  expect(json).toMatchObject({ code: 0, err: '' });
  const value = parse(json.out);
  expectOutput('step-dry-run', value);
  expect(value).toMatchObject({
    status: 'planned',
    node_path: 'root',
    guard_command: marked,
    agent: { name: 'command', cwd: p.dir, stdin: 'prompt' },
    reviewer: null,
  });
  const { env_set, env_passed } = value['agent'] as Record<string, readonly string[]>;
  expect(env_set).toEqual(
    expect.arrayContaining(['RUNNER_COOKIE', 'RUNNER_ITER', 'RUNNER_OUTPUT', 'RUNNER_ROLE', 'RUNNER_RUN_ID']),
  );
  expect(env_passed).toEqual(['HOME', 'LANG', 'MY_TOKEN', 'PATH', 'TMPDIR']);
  expect(`${ran.out}${ran.err}${json.out}`).not.toContain('hush-hush');
  expect(everything(p)).toEqual(before);
  expect(existsSync(join(p.base, 'agent-ran'))).toBe(false);
  expect(existsSync(join(p.base, 'guard-ran'))).toBe(false);
});

test('the prompt has the hash of the commit that follows: work, retry, confirmation, repair, planning, sub-folder', async () => {
  const invalid = { actions: [{ tree: { text: '{' } }], answer: answer('retry') };
  const p = await project({
    prefix: 'sub/',
    tree: node('root', { children: [node('a'), node('b', { order: 1, attempts: 3 })] }),
    config: 'on_stuck = "decompose"',
    goal: '# Goal\n\nText with `ticks` and ümlauts.\n',
    script: [
      { answer: answer('retry', 'not yet') },
      { answer: answer('done', 'nothing to do') },
      { answer: answer('retry', 'no, wait') },
      invalid,
      { actions: [write('a.txt', 'a\n')], answer: answer('done') },
      { actions: [write('a.txt', 'b\n')], answer: answer('done') },
      { answer: answer('decomposed', 'two', [child('one'), child('two')]) },
    ],
  });
  const purposes: unknown[] = [];
  for (let iter = 1; iter <= 6; iter += 1) {
    const planned = parse((await p.run('step', '--dry-run', '--json', '--quiet')).out);
    expectOutput('step-dry-run', planned);
    const step = await p.run('step');
    expect(step.code, step.err).toBe(0);
    expect(planned, `iteration ${iter}`).toMatchObject({ iter, prompt_sha256: await trailer(p) });
    const prompt = p.log(iter, 'prompt.md');
    expect(createHash('sha256').update(prompt).digest('hex')).toBe(planned['prompt_sha256']);
    expect(Buffer.byteLength(prompt)).toBe(planned['prompt_bytes']);
    purposes.push(planned['purpose']);
  }
  expect(p.log(3, 'prompt.md')).toContain('confirm that by answering `done` again');
  expect(purposes).toEqual(['execute', 'execute', 'execute', 'execute', 'repair', 'execute']);
  const planning = parse((await p.run('step', '--dry-run', '--json', '--quiet')).out);
  expect(planning).toMatchObject({ node_id: 'b', purpose: 'plan' });
  expect((await p.run('step')).code).toBe(0);
  expect(planning['prompt_sha256']).toBe(await trailer(p));
});

describe('ends as step does', () => {
  test('complete, stuck, limit', async () => {
    const p = await marking();
    const limit = await p.runWith({ RUNNER_MAX_ITERATIONS: '1' }, 'step', '--dry-run');
    expect(limit.code, 'not yet').toBe(0);
    p.put('.runner/state/run_state.json', JSON.stringify({ ...p.runState(), next_iter: 2 }));
    await p.commitAll();
    const reached = await p.run('step', '--dry-run', '--max-iterations', '1');
    expect(reached).toMatchObject({ code: 1, out: '' });
    expect(readRefusal(reached).code).toBe('ITERATION_LIMIT');
    p.put('.runner/state/tree.json', JSON.stringify(node('root', { attempts: 3 })));
    await p.commitAll();
    const stuck = await p.run('step', '--dry-run', '--json');
    expect(stuck.code).toBe(3);
    expectOutput('step-dry-run', parse(stuck.out));
    p.put('.runner/state/tree.json', JSON.stringify(node('root', { passes: true })));
    await p.commitAll();
    const complete = await p.run('step', '--dry-run', '--json');
    expect(complete.code).toBe(2);
    expectOutput('step-dry-run', parse(complete.out));
    expect(await p.run('step', '--dry-run')).toMatchObject({
      code: 2,
      out: 'step: status=complete run=test',
    });
  });

  test.each<[string, (p: Project) => Promise<void> | void, readonly string[], Record<string, string>]>([
    ['GIT_DIRTY', (p) => p.put('new.txt', 'x\n'), [], {}],
    ['GIT_PROTECTED_BRANCH', async (p) => void (await p.git('switch', '-q', 'main')), [], {}],
    ['GIT_DETACHED', async (p) => void (await p.git('switch', '-q', '--detach')), [], {}],
    ['AGENT_MISSING', () => {}, [], { RUNNER_AGENT_COMMAND: '["no-such-program"]' }],
    ['GUARD_MISSING', () => {}, [], { RUNNER_GUARD_COMMAND: '["no-such-program"]' }],
    ['CONFIG_INVALID', () => {}, ['--prompt-budget', '1000'], {}],
    ['CONFIG_INVALID', () => {}, ['--agent', 'nobody'], {}],
    ['NESTED', () => {}, [], { RUNNER_RUN_ID: 'test' }],
  ])('%s', async (code, prepare, flags, env) => {
    const p = await marking();
    await prepare(p);
    const before = everything(p);
    const dry = await p.runWith(env, 'step', '--dry-run', ...flags);
    expect(everything(p)).toEqual(before);
    const real = await p.runWith(env, 'step', ...flags);
    expect(dry).toMatchObject({ code: 1, out: '' });
    expect(readRefusal(dry)).toMatchObject({ code });
    expect(dry.err).toBe(real.err);
  });

  test('LOCKED while another runner works, and a recovery that is due', async () => {
    const p = await project({
      script: [{ actions: [write('begun.txt', 'b\n'), { sleep_ms: 60_000 }], answer: answer('done') }],
    });
    const running = p.start(['step']);
    await waitUntil('the session works', () => hasText(join(p.dir, 'begun.txt')));
    const locked = await p.run('step', '--dry-run');
    expect(locked.code).toBe(1);
    expect(readRefusal(locked).code).toBe('LOCKED');
    running.kill('SIGKILL');
    await running;
    const dry = await p.run('step', '--dry-run');
    expect(dry).toMatchObject({
      code: 0,
      out: 'step: dry-run status=recovery run=test what=iteration iter=1',
    });
    const value = parse((await p.run('step', '--dry-run', '--json')).out);
    expectOutput('step-dry-run', value);
    expect(hasOpenJournal(p.top)).toBe(true);
    const next = await p.runWith({ RUNNER_AGENT_NAME: 'command', RUNNER_AGENT_COMMAND: '["true"]' }, 'step');
    expect(next.err).toContain('recovered iteration 1');
  });
});

test('a reviewer is shown too, and one that is missing refuses', async () => {
  const p = await marking();
  const bin = join(p.base, 'tools');
  mkdirSync(bin);
  writeFileSync(join(bin, 'claude'), '#!/bin/sh\nexit 1\n');
  execFileSync('chmod', ['+x', join(bin, 'claude')]);
  const env = { RUNNER_REVIEW_AGENT: 'claude' };
  expect(readRefusal(await p.runWith(env, 'step', '--dry-run')).code).toBe('AGENT_MISSING');
  const found = { ...env, PATH: `${bin}:${p.env['PATH'] ?? ''}` };
  const value = parse((await p.runWith(found, 'step', '--dry-run', '--json')).out);
  expectOutput('step-dry-run', value);
  expect(value['reviewer']).toMatchObject({ name: 'claude', argv: expect.arrayContaining(['-p']) });
  expect((await p.runWith(found, 'step', '--dry-run')).err).toContain('\nreview: ');
});

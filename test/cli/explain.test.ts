/** `explain`: what comes next and why, with the exact prompt and command; nodes and error codes. Looks only. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { errorCodes } from '../../src/core/errors.ts';
import { errorTable } from '../../src/cli/exit-codes.ts';
import { run } from '../../src/cli/run.ts';
import { expectOutput } from '../support/output-schema.ts';
import type { Project, Ran } from '../support/project.ts';
import {
  answer,
  entryFile,
  openProject,
  project,
  tempFolder,
  unstartedProject,
  write,
} from '../support/project.ts';
import { fingerprint, pathOf, readRefusal } from '../support/refusals.ts';
import { hasText, waitUntil } from '../support/scratch.ts';
import { template } from '../support/template.ts';
import { node } from '../support/trees.ts';

const tree = node('root', {
  children: [
    node('first', { passes: true, attempts: 1 }),
    node('Api', {
      order: 1,
      children: [node('auth', { attempts: 3 }), node('users', { order: 1, attempts: 1 })],
    }),
    node('web', { order: 2 }),
  ],
});
const started = template(() =>
  project({
    tree,
    config: 'on_stuck = "defer"',
    agent: `name = "command"\ncommand = ["sh", "-c", "touch ../agent-ran"]\nenv = ["MY_TOKEN"]`,
    guard: ['sh', '-c', 'touch ../guard-ran'],
  }),
);

function everything(p: Project): readonly string[] {
  const names = readdirSync(p.top, { recursive: true, encoding: 'utf8' });
  return [...names.toSorted(), JSON.stringify(fingerprint(p.top))];
}

/** Runs it with `--json`, sees nothing change, and holds it against the schema. */
async function explained(
  p: Project,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Record<string, unknown>> {
  const before = everything(p);
  const ran = await p.runWith(env, 'explain', ...args, '--json');
  expect(ran, ran.err).toMatchObject({ code: 0, err: '' });
  expect(everything(p)).toEqual(before);
  const value = JSON.parse(ran.out) as Record<string, unknown>;
  expectOutput('explain', value);
  return value;
}

function sectionOf(ran: Ran, title: string): readonly string[] {
  const [, text = ''] = ran.out.split(`\n\n${title}\n`);
  return (text.split('\n\n')[0] ?? '').split('\n').map((line) => line.trim());
}

describe('what comes next', () => {
  test('the way to the leaf, why not the others, what would change it, prompt, command, guard', async () => {
    const p = await started();
    const before = everything(p);
    const ran = await p.runWith({ MY_TOKEN: 'hush-hush' }, 'explain');
    expect(ran, ran.err).toMatchObject({ code: 0, err: '' });
    expect(ran.out.split('\n')[0]).toBe('explain: status=open id=users path=root/Api/users attempts=1/3');
    expect(sectionOf(ran, 'why')).toEqual([
      'root            open; its children in order: 1 passed, then Api',
      'root/Api        open; its children in order: 1 stuck and deferred, then users',
      'root/Api/users  the first open leaf that is not stuck (1/3 attempts used)',
    ]);
    expect(sectionOf(ran, 'why not the others')).toEqual([
      'root/Api/auth  stuck: 3/3 attempts used; deferred, because on_stuck = "defer"',
      'root/web       open: 0/3 attempts used; comes after root/Api/users',
    ]);
    expect(sectionOf(ran, 'what would change it')).toEqual(
      expect.arrayContaining([
        'users passes: root/web is next',
        'runner retry auth: auth comes before and is next',
      ]),
    );
    expect(sectionOf(ran, 'agent')).toEqual([
      'name     command',
      "model    the agent's own default",
      "effort   the agent's own default",
      expect.stringMatching(/^command {2}\S*\/sh -c "touch \.\.\/agent-ran"$/),
      `folder   ${p.dir}`,
      'stdin    the prompt',
      expect.stringContaining('RUNNER_COOKIE RUNNER_ITER'),
      'passes   HOME LANG MY_TOKEN PATH TMPDIR',
    ]);
    expect(sectionOf(ran, 'guard')).toEqual(['command  sh -c "touch ../guard-ran"']);
    expect(sectionOf(ran, 'runner step now')).toEqual(['would begin']);
    expect(ran.out).not.toContain('hush-hush');
    expect(everything(p)).toEqual(before);
    expect(existsSync(join(p.base, 'agent-ran'))).toBe(false);
    const value = await explained(p);
    expect(value).toMatchObject({
      kind: 'next',
      status: 'open',
      id: 'users',
      now: { status: 'ready', error: null },
    });
  });

  test('--prompt prints the bytes the next session reads, and the argv is the one it is started with', async () => {
    const p = await project({
      agent:
        'name = "command"\ncommand = ["sh", "-c", "cat > ../stdin; printf %s \\"$0\\" > ../zero", "a b"]',
    });
    const shown = await execa(process.execPath, [entryFile, 'explain', '--prompt'], {
      cwd: p.dir,
      env: p.env,
      extendEnv: false,
      stripFinalNewline: false,
    });
    const value = await explained(p, ['--prompt']);
    const prompt = value['prompt'] as Record<string, unknown>;
    expect(prompt).toMatchObject({ text: shown.stdout, bytes: Buffer.byteLength(shown.stdout) });
    expect(prompt['sha256']).toBe(createHash('sha256').update(shown.stdout).digest('hex'));
    const sections = prompt['sections'] as readonly { readonly bytes: number }[];
    expect(sections.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(prompt['bytes']);
    expect((value['agent'] as { argv: readonly string[] }).argv.at(-1)).toBe('a b');
    expect((await p.run('step')).code).toBe(0);
    expect(p.read('../stdin')).toBe(shown.stdout);
    expect(p.read('../zero')).toBe('a b');
    expect(p.log(1, 'prompt.md')).toBe(shown.stdout);
  });

  test('repair, stuck, planned, complete; a budget that cuts and one that is too small', async () => {
    const p = await started();
    p.put(
      '.runner/state/run_state.json',
      JSON.stringify({ ...p.runState(), repair: { node_id: 'web', count: 0, sha256: 'x' } }),
    );
    p.put('.runner/state/tree.rejected.json', '{');
    const repair = await explained(p);
    expect(repair).toMatchObject({ status: 'repair', id: 'web', why: [{ path: 'root/web' }] });
    expect(JSON.stringify(repair['prompt'])).toContain('Rejected tree');
    await p.git('checkout', '-q', '--', '.');
    rmSync(join(p.dir, '.runner/state/tree.rejected.json'));
    expect(await explained(p, [], { RUNNER_ON_STUCK: 'stop' })).toMatchObject({
      status: 'stuck',
      id: 'auth',
      prompt: null,
      agent: null,
      now: { status: 'stuck' },
    });
    expect(await explained(p, [], { RUNNER_ON_STUCK: 'decompose' })).toMatchObject({
      mode: 'decompose',
      id: 'auth',
    });
    p.put('.runner/state/answers.md', `# Answers\n\n${'Follow this. '.repeat(200)}\n`);
    const small = await explained(p, ['--prompt-budget', '1000']);
    expect(small).toMatchObject({ prompt: null, prompt_problem: { code: 'CONFIG_INVALID' } });
    const least = /need (\d+) bytes/.exec(JSON.stringify(small['prompt_problem']))?.[1] ?? '';
    const cut = await p.run('explain', '--prompt-budget', least);
    expect(sectionOf(cut, 'prompt')).toEqual(
      expect.arrayContaining([
        expect.stringMatching(new RegExp(`^bytes +\\d+ of ${least}$`)),
        expect.stringMatching(/^Tree summary +left out \(of \d+\)$/),
      ]),
    );
    p.put('.runner/state/tree.json', JSON.stringify(node('root', { passes: true })));
    expect(await explained(p)).toMatchObject({ status: 'complete', others: [], prompt: null });
    const none = await p.run('explain', '--prompt');
    expect(none).toMatchObject({ code: 64, out: '' });
    expect(readRefusal(none).message).toContain('the run is complete');
  });

  test('limits, a missing agent and a missing guard are what step would end with', async () => {
    const p = await started();
    const now = async (env: Record<string, string>): Promise<unknown> => (await explained(p, [], env))['now'];
    const refused = (code: string): unknown => ({
      status: 'refused',
      error: { code, message: expect.any(String), hint: expect.stringMatching(/./) },
    });
    expect(await now({ RUNNER_AGENT_COMMAND: '["no-such-program"]' })).toEqual(refused('AGENT_MISSING'));
    expect(await now({ RUNNER_GUARD_COMMAND: '["no-such-program"]' })).toEqual(refused('GUARD_MISSING'));
    p.put('.runner/state/run_state.json', JSON.stringify({ ...p.runState(), next_iter: 9 }));
    expect(await now({ RUNNER_MAX_ITERATIONS: '5' }), 'first what is in the way').toEqual(
      refused('GIT_DIRTY'),
    );
    await p.commitAll();
    expect(await now({ RUNNER_MAX_ITERATIONS: '5' })).toEqual(refused('ITERATION_LIMIT'));
  });
});

describe('at any time', () => {
  test('before start, on main, in a sub-folder project, without git, on a dirty tree, in a fresh clone, inside a session', async () => {
    const early = await unstartedProject({ prefix: 'sub/' });
    expect(await explained(early)).toMatchObject({
      status: 'open',
      id: 'root',
      now: { status: 'refused', error: { code: 'GIT_PROTECTED_BRANCH' } },
    });
    const p = await started();
    p.put('dirty.txt', 'x\n');
    rmSync(join(p.dir, '.runner/iterations'), { recursive: true, force: true });
    rmSync(join(p.dir, '.runner/context'), { recursive: true, force: true });
    expect(await explained(p, [], { RUNNER_RUN_ID: 'test', RUNNER_WORK_TREE: p.top })).toMatchObject({
      id: 'users',
      now: { error: { code: 'GIT_DIRTY' } },
    });
    const base = tempFolder('explain');
    mkdirSync(join(base, 'home'));
    mkdirSync(join(base, 'repo'));
    const bare = openProject({ base, prefix: '' });
    expect((await bare.run('init', '--quiet')).code).toBe(0);
    const alone = await bare.runWith({ PATH: pathOf(bare, []) }, 'explain', '--json');
    expect(alone.code, alone.err).toBe(0);
    const value = JSON.parse(alone.out) as Record<string, unknown>;
    expectOutput('explain', value);
    expect(value).toMatchObject({ agent: null, now: { error: { code: 'GIT_MISSING' } } });
  });

  test('while a loop runs, and after it was killed', async () => {
    const p = await project({
      script: [{ actions: [write('begun.txt', 'b\n'), { sleep_ms: 60_000 }], answer: answer('done') }],
    });
    const running = p.start(['loop']);
    await waitUntil('the session works', () => hasText(join(p.dir, 'begun.txt')));
    const now = await p.run('explain');
    expect(now).toMatchObject({ code: 0, err: '' });
    expect(sectionOf(now, 'runner step now')[0]).toMatch(
      /^would be refused: another runner works here.*\[LOCKED\]/,
    );
    running.kill('SIGKILL');
    await running;
    const after = await p.run('explain');
    expect(sectionOf(after, 'runner step now')).toEqual([
      'would first finish iteration 1, which was cut off',
    ]);
    const step = await p.runWith({ RUNNER_AGENT_NAME: 'command', RUNNER_AGENT_COMMAND: '["true"]' }, 'step');
    expect(step.err).toContain('recovered iteration 1');
  });
});

describe('a node', () => {
  test('by its id, whatever the case: state, reason, last record', async () => {
    const p = await started();
    p.put(
      '.runner/nodes/users/last.json',
      JSON.stringify({ iter: 4, summary: 'tried \u001b[31mred', error: null, guard_output: 'exit 1\nmore' }),
    );
    const ran = await p.run('explain', 'USERS');
    expect(ran.out.split('\n')[0]).toBe(
      'explain: id=users path=root/Api/users state=open next=yes attempts=1/3',
    );
    expect(sectionOf(ran, 'last session')).toEqual([
      'iteration  4',
      expect.stringMatching(/^summary {4}tried .*red$/),
      'guard      exit 1 […]',
    ]);
    expect(ran.out).not.toContain('\u001b');
    expect(await explained(p, ['users'])).toMatchObject({
      next: true,
      last: { iter: 4, guard_output: 'exit 1\nmore' },
    });
    expect(await explained(p, ['web'])).toMatchObject({
      kind: 'node',
      next: false,
      why: 'open: 0/3 attempts used; comes after root/Api/users',
      prompt: { sections: expect.any(Array) },
    });
    expect(await explained(p, ['auth'])).toMatchObject({
      state: 'stuck',
      changes: [{ when: 'runner retry auth' }],
    });
    for (const id of ['first', 'api'])
      expect(await explained(p, [id])).toMatchObject({ prompt: null, agent: null });
    const prompt = await p.run('explain', 'web', '--prompt');
    expect(prompt.out).toContain('path: root/web');
    expect(readRefusal(await p.run('explain', 'first', '--prompt')).message).toContain(
      "'first' gets no session",
    );
  });

  test('a node called as an error: in small letters the node, in capitals the code', async () => {
    const p = await project({ tree: node('root', { children: [node('locked')] }) });
    expect(await explained(p, ['locked'])).toMatchObject({ kind: 'node', id: 'locked' });
    expect(await explained(p, ['LOCKED'])).toMatchObject({ kind: 'error', code: 'LOCKED' });
  });
});

describe('an error code', () => {
  test('each has its text, without any project', async () => {
    const p = await openEmpty();
    for (const code of errorCodes) {
      let out = '';
      const streams = {
        out: (text: string) => (out += text),
        err: () => undefined,
        columns: () => null,
        rows: () => null,
        onResize: () => () => {},
        outColumns: () => null,
        send: async () => true,
      };
      expect(await run(['explain', code, '--json'], { env: {}, streams, entryFile: '' })).toBe(0);
      const value = JSON.parse(out) as Record<string, unknown>;
      expectOutput('explain', value);
      const { exit, meaning } = errorTable[code];
      expect(value).toMatchObject({ kind: 'error', code, exit, meaning });
      for (const key of ['causes', 'help'])
        expect((value[key] as readonly string[]).length, code).toBeGreaterThan(0);
    }
    expect(await explained(p, ['DISK'])).toMatchObject({ kind: 'error', code: 'DISK' });
    const plain = await p.run('explain', 'git_dirty');
    expect(plain).toMatchObject({ code: 0, err: '' });
    expect(plain.out.split('\n')[0]).toBe('explain: code=GIT_DIRTY exit=1');
    expect(sectionOf(plain, 'what to do')).toContain('git stash -u');
    expect(readRefusal(await p.run('explain', 'DISK', '--prompt')).message).toContain(
      'DISK is an error code',
    );
  });

  test.each([
    ['GIT_DITRY', 'did you mean GIT_DIRTY?', 'runner explain GIT_DIRTY'],
    ['git_lockd', 'did you mean GIT_LOCKED?', 'runner explain GIT_LOCKED'],
  ])('%s', async (word, near, hint) => {
    for (const p of [await openEmpty(), await started()]) {
      const ran = await p.run('explain', word);
      expect(ran).toMatchObject({ code: 64, out: '' });
      const said = readRefusal(ran);
      expect(said).toMatchObject({ code: 'USAGE', hint });
      expect(said.message).toContain(near);
    }
  });

  test('a word that is near to nothing, and one that is near to a node', async () => {
    const p = await started();
    expect(readRefusal(await p.run('explain', 'user'))).toMatchObject({
      message: "there is no node or error code 'user' (did you mean users?)",
      hint: 'runner explain users',
    });
    expect(readRefusal(await p.run('explain', 'xyzzy'))).toMatchObject({
      message: "there is no node or error code 'xyzzy'",
      hint: 'runner explain, or for the codes: runner help exit-codes',
    });
    expect(readRefusal(await (await openEmpty()).run('explain', 'xyzzy')).code).toBe('LAYOUT_MISSING');
  });
});

async function openEmpty(): Promise<Project> {
  const base = tempFolder('empty');
  mkdirSync(join(base, 'home'));
  mkdirSync(join(base, 'repo'));
  return openProject({ base, prefix: '' });
}

test('a passed node shows how it came to pass, also in a clone without logs', async () => {
  const p = await project({
    guard: ['sh', '-c', 'test -e good.txt'],
    script: [
      { actions: [write('bad.txt', 'b\n')], answer: answer('done') },
      { answer: answer('retry') },
      { actions: [write('good.txt', 'g\n')], answer: answer('done') },
    ],
  });
  for (let step = 0; step < 3; step += 1) expect((await p.run('step')).code).toBe(0);
  rmSync(join(p.dir, '.runner/iterations'), { recursive: true });
  const ran = await p.run('explain', 'root');
  expect(sectionOf(ran, 'history')).toEqual([
    'iteration 1  done, guard fail',
    'iteration 2  retry',
    'iteration 3  done, guard pass',
  ]);
  expect(ran.out).not.toContain('nothing recorded');
  expect((await explained(p, ['root']))['history']).toEqual([
    { iter: 1, status: 'done', guard: 'fail' },
    { iter: 2, status: 'retry', guard: 'skipped' },
    { iter: 3, status: 'done', guard: 'pass' },
  ]);
});

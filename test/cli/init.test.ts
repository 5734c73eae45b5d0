/** `init` (§2, §10): every byte it writes, what `--force` keeps, which check it finds, what it refuses. */
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bareProject, openProject, repositoryRoot, tempFolder } from '../support/project.ts';
import { fingerprint, readRefusal, refused } from '../support/refusals.ts';
import { template } from '../support/template.ts';

const bare = template(() => bareProject());

/** A folder without git. */
function plainFolder(files: Readonly<Record<string, string>> = {}) {
  const base = tempFolder('plain');
  mkdirSync(join(base, 'home'));
  mkdirSync(join(base, 'repo'));
  const p = openProject({ base, prefix: '' });
  for (const [path, text] of Object.entries(files)) p.put(path, text);
  return p;
}

const root = {
  id: 'root',
  order: 0,
  title: 'Root',
  goal: 'Top-level goal (see .runner/GOAL.md)',
  acceptance: [],
  passes: false,
  attempts: 0,
  max_attempts: 3,
  children: [],
};
const runState = {
  run_id: null,
  next_iter: 1,
  last_status: null,
  last_summary: null,
  last_guard: null,
  failures_in_a_row: 0,
  judged_sessions: 0,
  totals: { tokens: null, cost_usd: null, seconds: 0 },
  guard_baseline: null,
  guard_checkout: null,
  base_branch: null,
  base_commit: null,
  goal_sha256: null,
  resolved: null,
  repair: null,
  ratchet: null,
  nodes: {},
};

function shipped(name: string): string {
  return readFileSync(join(repositoryRoot, 'schemas', name, 'v1.schema.json'), 'utf8');
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();
}

describe('a new .runner/', () => {
  test('every file, byte by byte; needs no git', async () => {
    const p = plainFolder({ justfile: 'ci:\n    true\n' });
    const ran = await p.run('init');
    expect(ran).toMatchObject({ code: 0, out: 'initialized .runner/' });
    expect(ran.err.split('\n')).toEqual([
      'guard: just ci (the justfile has a recipe "ci")',
      expect.stringContaining('.runner/GOAL.md'),
      expect.stringContaining('runner config set agent.name'),
      expect.stringContaining('runner start && runner loop'),
    ]);
    const exact = {
      '.gitattributes': '* -text -filter -ident -working-tree-encoding\n',
      'context/.gitignore': '*\n',
      'iterations/.gitignore': '*\n',
      'state/agent_output.schema.json': shipped('agent_output'),
      'state/answers.md': '# Answers\n\n',
      'state/assumptions.md': '# Assumptions\n\n',
      'state/feedback.md': '# Feedback\n\n',
      'state/improvements.md': '# Improvements\n\n',
      'state/questions.md': '# Open Questions\n\n',
      'state/run_state.json': `${JSON.stringify(runState, null, 2)}\n`,
      'state/schema.json': shipped('task_tree'),
      'state/script.schema.json': shipped('script'),
      'state/tree.json': `${JSON.stringify(root, null, 2)}\n`,
    };
    const made = listFiles(join(p.dir, '.runner'));
    expect(made).toEqual(
      [
        ...Object.keys(exact),
        '.gitignore',
        'GOAL.md',
        'state/config.schema.json',
        'state/config.toml',
      ].toSorted(),
    );
    for (const [path, text] of Object.entries(exact)) expect(p.read(`.runner/${path}`), path).toBe(text);
    expect(p.read('.runner/GOAL.md')).toMatch(/^# Goal\n\n\S.*\n$/);
    expect(p.read('.runner/.gitignore').split('\n')).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^\/?context\/$/),
        expect.stringMatching(/^\/?iterations\/$/),
      ]),
    );
    const [schemaLine = '', ...config] = p.read('.runner/state/config.toml').split('\n');
    expect(schemaLine).toBe('#:schema ./config.schema.json');
    expect(JSON.parse(p.read('.runner/state/config.schema.json'))).toEqual(JSON.parse(shipped('config')));
    expect(config.filter((line) => /^[^#\s]/.test(line) && !line.startsWith('['))).toEqual([]);
    expect(config).toContain('# command = ["just", "ci"]');
    expect(readdirSync(join(p.dir, '.runner'))).toEqual(expect.arrayContaining(['context', 'iterations']));
    expect(await p.run('validate')).toMatchObject({ code: 0 });
    expect(await p.run('select')).toMatchObject({ code: 0 });
  });

  test('in a repository with files nothing else changes, and git gets nothing', async () => {
    const p = await bare();
    const before = fingerprint(p.top);
    expect(await p.run('init', '--json', '--quiet')).toMatchObject({ code: 0, err: '' });
    const after = fingerprint(p.top);
    expect(Object.keys(after).filter((path) => path !== '.runner' && !path.startsWith('.runner/'))).toEqual(
      Object.keys(before),
    );
    expect(after).toMatchObject(before);
  });
});

describe('the check it finds', () => {
  const nothing = { 'README.md': '#\n' };
  test.each<[string, Record<string, string>, string, boolean]>([
    [
      'justfile with ci',
      { justfile: 'default:\n  x\n\nci: build\n  y\n', 'package.json': '{"scripts":{"test":"x"}}' },
      '["just", "ci"]',
      false,
    ],
    [
      'justfile without ci, package.json with a test',
      { justfile: 'build:\n  x\n', 'package.json': '{"scripts":{"test":"node --test"}}' },
      '["npm", "test"]',
      false,
    ],
    [
      'the placeholder of npm init is no test',
      {
        'package.json': '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}',
        'Cargo.toml': '',
      },
      '["cargo", "test"]',
      false,
    ],
    ['go.mod', { 'go.mod': 'module x\n' }, '["go", "test", "./..."]', false],
    ['Makefile with test', { Makefile: 'all:\n\tx\ntest: all\n\ty\n' }, '["make", "test"]', false],
    ['a broken package.json is no reason to fail', { 'package.json': '{' }, '["just", "ci"]', true],
    ['nothing', nothing, '["just", "ci"]', true],
  ])('%s', async (_name, files, command, warns) => {
    const p = plainFolder(files);
    const ran = await p.run('init', '--json');
    expect(ran.code).toBe(0);
    expect(p.read('.runner/state/config.toml')).toMatch(
      new RegExp(`^(?:# )?command = ${command.replaceAll(/[[\]./]/g, '\\$&')}$`, 'm'),
    );
    const said = JSON.parse(ran.out) as Record<string, unknown>;
    expect(said).toMatchObject({ command: 'init', guard_command: JSON.parse(command) });
    expect(said['files']).toContain('.runner/state/tree.json');
    expect(said['warning'] !== null).toBe(warns);
    expect(ran.err.startsWith('warning: no check found: ')).toBe(warns);
  });
});

describe('what is already there', () => {
  test("[trap: --force lost the goal] is refused; --force rewrites what is the runner's and keeps what people wrote", async () => {
    const p = await bare();
    await p.run('init', '--quiet');
    const found = await refused(p, ['init']);
    expect(found).toMatchObject({
      code: 'LAYOUT_EXISTS',
      message: '.runner/ already exists',
      hint: 'runner init --force rewrites tree, run state and schemas; GOAL.md, config and memory stay',
    });
    const kept = {
      'GOAL.md': '---\nid: mine\n---\nMy goal.\n',
      'state/config.toml': 'max_attempts_default = 7\n',
      'state/assumptions.md': '- a\n',
      'state/questions.md': '- q\n',
      'state/feedback.md': '- f\n',
      'state/improvements.md': '- i\n',
      'nodes/root/context.md': 'context\n',
      'iterations/old/1/meta.json': '{}\n',
      'own.txt': 'own\n',
    };
    for (const [path, text] of Object.entries(kept)) p.put(`.runner/${path}`, text);
    for (const path of ['state/tree.json', 'state/run_state.json', 'state/schema.json', '.gitattributes'])
      p.put(`.runner/${path}`, 'broken');
    p.put('.runner/state/tree.rejected.json', 'x');
    const ran = await p.run('init', '--force');
    expect(ran, ran.err).toMatchObject({ code: 0, out: 'initialized .runner/' });
    for (const [path, text] of Object.entries(kept)) expect(p.read(`.runner/${path}`), path).toBe(text);
    expect(p.tree()).toEqual({ ...root, max_attempts: 7 });
    expect(p.runState()).toEqual(runState);
    expect(p.read('.runner/state/schema.json')).toBe(shipped('task_tree'));
    expect(existsSync(join(p.dir, '.runner/state/tree.rejected.json'))).toBe(false);
    expect(await p.run('validate')).toMatchObject({ code: 0 });
  });

  test('--force with a config that cannot be read says so and changes nothing', async () => {
    const p = await bare();
    await p.run('init', '--quiet');
    p.put('.runner/state/config.toml', 'max_attempts_default = "x"\n');
    expect(await refused(p, ['init', '--force'])).toMatchObject({ code: 'CONFIG_INVALID' });
  });

  test('half made by a crash: completed without --force, nothing a person wrote is lost', async () => {
    const p = await bare();
    await p.run('init', '--quiet');
    p.put('.runner/GOAL.md', 'My goal.\n');
    for (const path of ['run_state.json', 'schema.json', 'questions.md'])
      rmSync(join(p.dir, '.runner/state', path));
    const tree = { ...root, title: 'changed' };
    p.put('.runner/state/tree.json', `${JSON.stringify(tree, null, 2)}\n`);
    expect(await p.run('init')).toMatchObject({ code: 0 });
    expect(p.read('.runner/GOAL.md')).toBe('My goal.\n');
    expect(p.tree()).toEqual(tree);
    expect(await p.run('validate')).toMatchObject({ code: 0 });
  });

  test('a file, a link or a folder in the wrong place is named, never followed or replaced', async () => {
    const p = plainFolder({ '.runner': 'I am a file\n' });
    for (const args of [['init'], ['init', '--force']]) {
      const found = readRefusal(await p.run(...args));
      expect(found).toMatchObject({
        code: 'LAYOUT_INVALID',
        message: '.runner exists but is not a folder',
        hint: 'mv .runner .runner.old && runner init',
      });
    }
    expect(p.read('.runner')).toBe('I am a file\n');
    rmSync(join(p.dir, '.runner'));
    mkdirSync(join(p.base, 'elsewhere'));
    symlinkSync(join(p.base, 'elsewhere'), join(p.dir, '.runner'));
    expect((await p.run('init')).code).toBe(1);
    rmSync(join(p.dir, '.runner'));
    mkdirSync(join(p.dir, '.runner'));
    symlinkSync(join(p.base, 'elsewhere'), join(p.dir, '.runner/state'));
    expect((await p.run('init')).code).toBe(1);
    const link = readRefusal(await p.run('init', '--force'));
    expect(`${link.message} ${link.details.join(' ')}`).toContain(join(p.dir, '.runner/state'));
    expect(readdirSync(join(p.base, 'elsewhere'))).toEqual([]);
  });

  test('a folder that cannot be written is one clear error', async () => {
    const p = plainFolder();
    writeFileSync(join(p.base, 'file'), '');
    const found = readRefusal(await p.run('init', '-C', '/proc/self'));
    expect(found.code).toBe('DISK');
    expect(found.message).toContain('/proc/');
  });
});

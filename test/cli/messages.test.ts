/** What errors say: the place in the file as `path:line:column`, always a hint, and the word that was nearly typed. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { project, repositoryRoot } from '../support/project.ts';
import { readRefusal, refused } from '../support/refusals.ts';
import { template } from '../support/template.ts';
import { node } from '../support/trees.ts';

const started = template(() =>
  project({ tree: node('root', { children: [node('api'), node('web', { order: 1 })] }) }),
);

describe('the place in the file', () => {
  test.each<[string, string, string, string]>([
    ['config.toml, syntax', '.runner/state/config.toml', '[agent]\nname = \n', ':2:8: '],
    ['config.toml, a value', '.runner/state/config.toml', '[agent]\n  name = 1\n', ':2:3: agent.name: '],
    ['config.toml, a key', '.runner/state/config.toml', 'max_iteration = 1\n', ':1:1: max_iteration: '],
    ['config.toml, a table', '.runner/state/config.toml', '\n[agnt]\nname = "pi"\n', ':2:1: agnt: '],
    ['config.toml, a table in a key', '.runner/state/config.toml', '\nagnt.name = "pi"\n', ':2:1: agnt: '],
    ['tree.json', '.runner/state/tree.json', '{\n  "id": "root",\n  id\n}\n', ':3:3: '],
    ['run_state.json', '.runner/state/run_state.json', '{\n"next_iter": 01}\n', ':2:14: '],
    ['GOAL.md, YAML', '.runner/GOAL.md', '---\nid: test\nid: test\n---\n', ':3:1: '],
    ['GOAL.md, id', '.runner/GOAL.md', '---\nid: a..b\n---\n', ':2:5: '],
  ])('%s', async (_name, file, text, place) => {
    const p = await started();
    p.put(file, text);
    const { message, details, hint } = await refused(p, ['validate']);
    expect([message, ...details].join('\n')).toContain(`${file}${place}`);
    expect(hint).not.toBe('');
  });

  test('the staged tree', async () => {
    const p = await started();
    const good = p.read('.runner/state/tree.json');
    p.put('.runner/state/tree.json', '{\n x');
    await p.git('add', '-A');
    p.put('.runner/state/tree.json', good);
    const { details } = await refused(p, ['validate']);
    expect(details).toEqual([expect.stringMatching(/^\.runner\/state\/tree\.json:2:2: /)]);
  });

  test('the script of the scripted agent', async () => {
    const p = await started();
    const script = join(p.dir, '.runner-script.json');
    p.put('.runner-script.json', '{\n  "version": 1,\n  steps\n}\n');
    const ran = await p.run('play-script', script, '1');
    expect(ran.err).toContain(`${script}:3:3: `);
  });

  test.each([
    ['JSON', '{\n  "title": \n', ':3:1: '],
    ['YAML', 'goal: x\ngoal: y\n', ':2:1: '],
  ])('the texts of a node, %s', async (_kind, text, place) => {
    const p = await started();
    p.put('texts', text);
    const ran = await p.run('edit', 'api', '--from-file', 'texts');
    expect(readRefusal(ran).message).toContain(`texts${place}`);
  });

  test('a variable or a flag is blamed, not the file', async () => {
    const p = await started();
    const wrong = readRefusal(await p.runWith({ RUNNER_MAX_ITERATIONS: 'abc' }, 'status'));
    expect(wrong).toMatchObject({
      message: 'the configuration has 1 problem (RUNNER_MAX_ITERATIONS)',
      hint: 'give RUNNER_MAX_ITERATIONS another value; what is allowed: runner help config',
    });
    const flag = readRefusal(await p.runWith({ RUNNER_ON_STUCK: 'x' }, 'explain', '--agent', 'codx'));
    expect(flag.message).toMatch(
      /^the configuration has 2 problems \((--agent, RUNNER_ON_STUCK|RUNNER_ON_STUCK, --agent)\)$/,
    );
    p.put('.runner/state/config.toml', 'max_iteration = 1\n');
    const both = readRefusal(await p.runWith({ RUNNER_ON_STUCK: 'x' }, 'status'));
    expect(both.message).toContain('config.toml)');
    expect(both.hint).toContain('correct .runner/state/config.toml');
  });

  test('the journal', async () => {
    const p = await started();
    p.put('../repo/.git/runner/journal.jsonl', '{\n[}\n');
    expect((await p.run('step')).err).toContain('is not valid (line 2, column 2: ');
  });
});

describe('did you mean', () => {
  test.each<[string, readonly string[], Record<string, string>, string]>([
    ['a command', ['stepp'], {}, 'Did you mean step?'],
    ['a flag', ['loop', '--max-iteration', '3'], {}, 'Did you mean --max-iterations?'],
    ['an agent in a flag', ['step', '--agent', 'claud'], {}, 'did you mean "claude"?'],
    ['an agent in a variable', ['select'], { RUNNER_AGENT_NAME: 'opencod' }, 'did you mean "opencode"?'],
    ['a choice', ['select'], { RUNNER_ON_STUCK: 'decompos' }, 'did you mean "decompose"?'],
    ['a node', ['explain', 'apl'], {}, 'did you mean api?'],
    ['an error code', ['explain', 'AGENT_MISING'], {}, 'did you mean AGENT_MISSING?'],
    ['a topic', ['help', 'enviroment'], {}, 'did you mean environment?'],
  ])('%s', async (_name, args, env, words) => {
    const p = await started();
    const ran = await p.runWith(env, ...args);
    expect([1, 64]).toContain(ran.code);
    const { message, details, hint } = readRefusal(ran);
    expect([message, ...details].join('\n')).toContain(words);
    expect(hint).not.toBe('');
  });

  test('a setting and a value in the file', async () => {
    const p = await started();
    p.put('.runner/state/config.toml', '[agent]\nname = "gemni"\nmodle = "x"\n');
    const { details } = await refused(p, ['validate']);
    expect(details.join('\n')).toContain('did you mean "gemini"?');
    expect(details.join('\n')).toContain('did you mean agent.model?');
    p.put('.runner/state/config.toml', '[agnt]\nname = "pi"\n');
    expect((await refused(p, ['validate'])).details.join('\n')).toContain('unknown key; did you mean agent?');
  });
});

describe('what helps', () => {
  test.each<[readonly string[], string]>([
    [['retry', 'zzzzz'], 'runner tree'],
    [['config', 'set', 'max_iterations', 'x'], 'runner help config'],
    [['config', 'set', 'max_iterations', '0'], 'allowed values: runner help config'],
    [['eval', 'list', '--cases', 'none'], '--cases <dir> with a folder that exists'],
    [['eval', 'merge', 'none'], 'runner eval merge <dir> with a folder that exists'],
  ])('%j', async (args, hint) => {
    const p = await started();
    expect(readRefusal(await p.run(...args)).hint).toContain(hint);
  });

  test('on a branch without the layout the way leads to the run, and nothing is written there', async () => {
    const p = await started();
    await p.git('switch', '--quiet', '--orphan', 'bare');
    await p.git('commit', '--quiet', '--allow-empty', '-m', 'bare');
    p.put('.runner/iterations/test/1/meta.json', '{}');
    for (const args of [
      ['status'],
      ['tree'],
      ['explain'],
      ['retry', 'api'],
      ['config', 'set', 'on_stuck', 'stop'],
    ]) {
      const said = readRefusal(await p.run(...args));
      expect(said).toMatchObject({ code: 'LAYOUT_MISSING' });
      expect(said.hint, args.join(' ')).toBe('git switch runner/test, or: runner init');
    }
    await p.git('switch', '--quiet', 'runner/test');
    expect((await p.run('select')).code).toBe(0);
  });
});

/** The type asks for a hint at every throw; an empty one would only be caught when it happens. */
test('no error is thrown with an empty hint', () => {
  const folder = join(repositoryRoot, 'src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const hints = files.flatMap(
    (file) => readFileSync(join(folder, file), 'utf8').match(/\b(?:hint|fix|installHint): .*/g) ?? [],
  );
  expect(hints.length).toBeGreaterThan(70);
  expect(hints.filter((line) => /^\w+: (?:''|""|``)/.test(line))).toEqual([]);
});

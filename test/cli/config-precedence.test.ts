/** Where a setting comes from (§9): flag over RUNNER_* variable over file over default, and how each is named when it is wrong. */
import { expect, test } from 'vitest';
import { answer, project, write } from '../support/project.ts';
import { refused } from '../support/refusals.ts';
import { template } from '../support/template.ts';
import { node } from '../support/trees.ts';

const scripted = '[agent]\nname = "scripted"\nscript = ".runner-script.json"\n[guard]\ncommand = ["true"]\n';
const started = template(() =>
  project({ script: [{ actions: [write('a.txt', 'a\n')], answer: answer('done') }] }),
);

test('[trap: max_iterations was 2 by default] max_iterations: default 50, then file, variable, flag', async () => {
  const p = await started();
  p.put('.runner/state/run_state.json', `${JSON.stringify({ ...p.runState(), next_iter: 1000 }, null, 2)}\n`);
  await p.commitAll();
  const limit = async (env: Record<string, string>, ...flags: readonly string[]): Promise<string> => {
    const { message } = await refused(p, ['step', ...flags], env);
    return /\(999 of (\d+)\)/.exec(message)?.[1] ?? message;
  };
  expect(await limit({})).toBe('50');
  p.put('.runner/state/config.toml', `max_iterations = 60\n${scripted}`);
  await p.commitAll();
  expect(await limit({})).toBe('60');
  expect(await limit({ RUNNER_MAX_ITERATIONS: '70' })).toBe('70');
  expect(await limit({ RUNNER_MAX_ITERATIONS: '70' }, '--max-iterations', '80')).toBe('80');
  expect(await limit({ RUNNER_MAX_ITERATIONS: '' }), 'empty is not set').toBe('60');
  expect(await limit({ RUNNER_MAX_ITERATIONS: 'bad' }, '--max-iterations', '80'), 'overruled').toBe('80');
});

test('agent and model: codex by default, then file, variable, flag', async () => {
  const p = await started();
  const agent = async (env: Record<string, string>, ...flags: readonly string[]): Promise<string> => {
    const found = await refused(p, ['step', ...flags], {
      PATH: p.env['PATH'] ?? '',
      RUNNER_AGENT_BIN: './none',
      ...env,
    });
    return /of the agent '(\w+)'/.exec(found.message)?.[1] ?? found.message;
  };
  p.put('.runner/state/config.toml', '[guard]\ncommand = ["true"]\n');
  await p.commitAll();
  expect(await agent({})).toBe('codex');
  p.put('.runner/state/config.toml', '[agent]\nname = "claude"\n[guard]\ncommand = ["true"]\n');
  await p.commitAll();
  expect(await agent({})).toBe('claude');
  expect(await agent({ RUNNER_AGENT_NAME: 'codex' })).toBe('codex');
  expect(await agent({ RUNNER_AGENT_NAME: 'codex' }, '--agent', 'claude')).toBe('claude');
});

test('every kind of value by variable: text, list, boolean, number; and a model by flag', async () => {
  const p = await started();
  const script = JSON.parse(p.read('.runner-script.json')) as object;
  p.put('other-script.json', JSON.stringify(script));
  p.put('.runner/state/config.toml', '[agent]\nname = "scripted"\nscript = "missing.json"\n');
  await p.commitAll();
  const env = {
    RUNNER_AGENT_SCRIPT: 'other-script.json',
    RUNNER_GUARD_COMMAND: '["sh", "-c", "echo from the variable"]',
    RUNNER_GIT_SIGN: 'false',
    RUNNER_TREE_MAX_REPAIRS: '0',
  };
  const ran = await p.runWith(env, 'step', '--model', 'small');
  expect(ran, ran.err).toMatchObject({ code: 0, out: expect.stringMatching(/status=done guard=pass$/) });
  expect(p.log(1, 'guard.log')).toContain('from the variable');
  expect(p.meta(1)['agent']).toMatchObject({ name: 'scripted', model: 'small' });
  expect(p.read('.runner/state/config.toml'), 'the file stays').not.toContain('variable');
});

test('validate and select see variables too', async () => {
  const p = await started();
  p.put('.runner/state/tree.json', JSON.stringify(node('root', { attempts: 3 })));
  expect((await p.run('select')).code).toBe(3);
  expect((await p.runWith({ RUNNER_ON_STUCK: 'decompose' }, 'select')).code).toBe(0);
  expect((await refused(p, ['validate'], { RUNNER_ON_STUCK: 'skip' })).details).toEqual([
    'on_stuck (RUNNER_ON_STUCK): must be one of "stop", "defer", "decompose", not "skip"',
  ]);
});

test('a wrong value names its variable or flag, all at once', async () => {
  const p = await started();
  const found = await refused(p, ['step', '--agent', 'nobody'], {
    RUNNER_MAX_ITERATIONS: '-5',
    RUNNER_GUARD_COMMAND: 'just ci',
    RUNNER_TREE_ALLOW_REMOVAL: 'yes',
    RUNNER_PROMPT_BUDGET_BYTES: '1e9',
    RUNNER_AGENT_ENV: '["A=B"]',
  });
  expect(found.code).toBe('CONFIG_INVALID');
  expect(found.details.toSorted()).toEqual([
    'agent.env[0] (RUNNER_AGENT_ENV): must be the name of an environment variable, not "A=B"',
    'agent.name (--agent): must be one of "codex", "claude", "opencode", "gemini", "qwen", "copilot", "pi", "droid", "command", "scripted", not "nobody"',
    'guard.command (RUNNER_GUARD_COMMAND): must be a JSON list, e.g. ["just","ci"]',
    'max_iterations (RUNNER_MAX_ITERATIONS): must be a whole number from 1 to 1000000, not -5',
    'prompt_budget_bytes (RUNNER_PROMPT_BUDGET_BYTES): must be a whole number',
    'tree.allow_removal (RUNNER_TREE_ALLOW_REMOVAL): must be true or false',
  ]);
});

test('variables of CI systems that only begin alike are ignored', async () => {
  const p = await started();
  const github = {
    RUNNER_OS: 'Linux',
    RUNNER_ARCH: 'X64',
    RUNNER_NAME: 'GitHub Actions 2',
    RUNNER_ENVIRONMENT: 'github-hosted',
    RUNNER_TEMP: '/nonexistent',
    RUNNER_TOOL_CACHE: '/nonexistent',
    RUNNER_WORKSPACE: '/nonexistent',
    RUNNER_DEBUG: '1',
    RUNNER_TRACKING_ID: 'github_x',
    RUNNER_PERFLOG: '/nonexistent',
    RUNNER_USER: 'runner',
    RUNNER_ITER: '5',
    RUNNER_OUTPUT: '/nonexistent/answer.json',
  };
  const ran = await p.runWith(github, 'loop');
  expect(ran, ran.err).toMatchObject({ code: 0 });
});

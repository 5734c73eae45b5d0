/** What a session is told (§6), through the built program: cuts are told everywhere, and the contract says what the settings in force say. */
import { expect, test } from 'vitest';
import { expectOutput } from '../support/output-schema.ts';
import { answer, project, write } from '../support/project.ts';
import { template } from '../support/template.ts';
import { node } from '../support/trees.ts';

const longGoal = `# Goal\n\n${Array.from({ length: 2000 }, (_, at) => `${at + 1}. one of many rules of the shop`).join('\n')}\n`;

test('a goal of 70 KB: the cut is told, and a retry still holds the failure of the guard', async () => {
  const p = await project({
    goal: longGoal,
    guard: ['sh', '-c', 'echo THE FIRST ERROR; test -e good.txt'],
    script: [
      { actions: [write('half.txt', 'half\n')], answer: answer('done', 'half of it') },
      { actions: [write('good.txt', 'good\n')], answer: answer('done') },
    ],
  });
  const first = await p.run('step');
  expect(first.err).toMatch(
    /note: the prompt was cut to prompt_budget_bytes = 40000: Project goal \(\d+ bytes left out\)/,
  );
  const cut = p.meta(1)['prompt_cut'] as readonly { section: string; bytes: number }[];
  expect(cut).toEqual([
    { section: 'Project goal', bytes: expect.any(Number) },
    { section: 'Tree summary', bytes: expect.any(Number) },
  ]);
  expect(p.log(1, 'prompt.md')).toContain(`[… ${cut[0]?.bytes} bytes left out …]`);
  expect((await p.run('step')).code).toBe(0);
  const retry = p.log(2, 'prompt.md');
  expect(Buffer.byteLength(retry)).toBeLessThanOrEqual(40_000);
  expect(retry).toMatch(
    /## Failure\n[^]*\n<(data-[0-9a-f]{16}) from="guard">\n[^]*THE FIRST ERROR\n<\/\1>\n/,
  );

  const warned = await p.run('validate');
  expect(warned).toMatchObject({ code: 0 });
  const [, fix = ''] =
    /^warning: GOAL\.md has \d+ bytes, .*; (runner config set .*)$/m.exec(warned.err) ?? [];
  expect(fix).toMatch(/^runner config set prompt_budget_bytes \d+$/);
  expect((await p.run('validate', '--quiet')).err).toBe('');
  const value = JSON.parse((await p.run('validate', '--json')).out) as object;
  expectOutput('validate', value);
  expect(value).toMatchObject({ warnings: [{ fix }] });
  expect((await p.run('doctor')).out).toMatch(/warn.*goal.*GOAL\.md has \d+ bytes/);
  expect((await p.run(...fix.split(' ').slice(1))).code).toBe(0);
  expect((await p.run('validate')).err).toBe('');
  expect((await p.run('doctor')).out).not.toContain('GOAL.md has');
});

const leaf = node('api.1', { goal: 'the part' });
const tree = node('root', { children: [node('api', { acceptance: ['it answers'], children: [leaf] })] });
const started = template(() => project({ tree, agent: 'name = "command"\ncommand = ["true"]' }));

test('each agent is told how it answers and what it cannot reach; ancestors and answers are there', async () => {
  const p = await started();
  p.put('.runner/state/answers.md', '# Answers\n\nUse port 8080.\n');
  const prompt = async (env: Record<string, string> = {}): Promise<string> =>
    (await p.runWith(env, 'explain', '--prompt')).out;
  const own = await prompt();
  expect(own).toContain('RUNNER_OUTPUT');
  expect(own).toContain('path: root/api\ntitle: api title\ngoal: api goal\n\nacceptance:\n- it answers\n');
  expect(own).toContain('## Answers\n\nA person');
  expect(own).toContain('\nUse port 8080.\n');
  expect(own).not.toContain('You have no network');
  const codex = await prompt({ RUNNER_AGENT_NAME: 'codex' });
  expect(codex).not.toContain('RUNNER_OUTPUT');
  expect(codex).toContain('as your final message');
  expect(codex).toContain('You have no network');
  expect(await prompt({ RUNNER_AGENT_NAME: 'claude' })).toContain('call the tool for structured output');
  const settings = {
    RUNNER_TREE_ALLOW_REMOVAL: 'true',
    RUNNER_REVIEW_AGENT: 'claude',
    RUNNER_ITERATION_TIMEOUT_SECS: '600',
    RUNNER_GUARD_POLICY: 'protect',
  };
  const told = await prompt(settings);
  for (const words of [
    'remove open nodes',
    'a reviewer',
    'You have 10 minutes',
    'Its own files are protected',
  ]) {
    expect(told).toContain(words);
    expect(own).not.toContain(words);
  }
});

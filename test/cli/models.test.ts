/** Other models and efforts (§9): which session gets which, where it is shown, and which agent refuses one. */
import { expect, test } from 'vitest';
import { codexDone, playFake, say, seenBy } from '../support/fake-agent.ts';
import { expectOutput } from '../support/output-schema.ts';
import { project } from '../support/project.ts';
import { recorded } from '../support/record.ts';
import { shellGuard, playGuard } from '../support/shell-agent.ts';
import { template } from '../support/template.ts';

const config = `
[agent.plan]
model = "planner"
effort = "high"

[agent.escalate]
model = "strong"
after_attempts = 1

[review]
agent = "codex"
model = "strict"
effort = "xhigh"
extra_args = ["--strictly"]
`;
const started = template(() =>
  project({ agent: 'name = "codex"\nmodel = "base"\neffort = "low"', guard: shellGuard, config }),
);

const children = ['a', 'b'].map((title) => ({ title, goal: title, acceptance: [] }));

function codexSays(answer: unknown): string {
  return `printf '%s' '${JSON.stringify(answer)}' > "$answer_file"\n${say({ type: 'turn.completed', usage: null })}`;
}

const verdict = codexSays({ verdict: 'pass', findings: [] });

/** What a session was asked for on its command line. */
function asked(args: readonly string[]): readonly string[] {
  return args.filter((arg, at) => args[at - 1] === '-m' || arg.startsWith('model_reasoning_effort'));
}

test('the root is planned, a leaf is worked on, one that failed is escalated, and each is shown', async () => {
  const p = await started();
  playGuard(p, 'true');
  const path = playFake(p, 'codex', {
    agent: [
      codexSays({ status: 'decomposed', summary: 'split', children }),
      codexSays({ status: 'retry', summary: 'not yet', children: null }),
      codexDone('echo a > a.txt'),
    ],
    review: [verdict],
  });
  const planned = await p.runWith(path, 'step', '--dry-run', '--json');
  const plan = JSON.parse(planned.out) as Record<string, unknown>;
  expectOutput('step-dry-run', plan);
  expect(plan).toMatchObject({
    model_from: 'agent.plan',
    agent: { model: 'planner', effort: 'high' },
    reviewer: { model: 'strict', effort: 'xhigh' },
  });
  const told = await p.runWith(path, 'step', '--dry-run');
  expect(told.err).toContain('\nmodel: planner, effort: high (by agent.plan)\n');
  expect(told.err).toContain('\nmodel: strict, effort: xhigh (by review)\n');
  const explained = await p.runWith(path, 'explain');
  expect(explained.out).toMatch(/^ {2}model +planner \(by agent\.plan\)$/m);
  expect(explained.out).toMatch(/^ {2}effort +high \(by agent\.plan\)$/m);

  const ran = await p.runWith(path, 'loop', '--max-iterations', '3');
  expect(ran.err).toContain('iter 1: root Root, with codex planner effort high, budget');
  expect(ran.err).toContain('iter 2: root/root.1 a, with codex base effort low, budget');
  expect(ran.err).toContain('iter 3: root/root.1 a, with codex strong effort low, budget');
  const wanted = [
    ['planner', 'high'],
    ['base', 'low'],
    ['strong', 'low'],
  ] as const;
  for (const [at, [model, effort]] of wanted.entries()) {
    const { meta, trailers } = await recorded(p, at + 1);
    expect(meta.agent).toMatchObject({ name: 'codex', model, effort });
    expect(trailers).toContain(`Agent: codex codex-cli 0.166.0 model=${model} effort=${effort}`);
    const { args } = seenBy(p, `codex.agent.${at + 1}`);
    expect(asked(args)).toEqual([model, `model_reasoning_effort="${effort}"`]);
    expect(args).not.toContain('--strictly');
  }
  const { meta, trailers } = await recorded(p, 3);
  expect(meta.review).toMatchObject({ agent: { model: 'strict', effort: 'xhigh' }, verdict: 'pass' });
  expect(trailers).toContain('Review: codex codex-cli 0.166.0 model=strict effort=xhigh verdict=pass');
  const review = seenBy(p, 'codex.review.1').args;
  expect(asked(review)).toEqual(['strict', 'model_reasoning_effort="xhigh"']);
  expect(review).toContain('--strictly');
});

test('an agent that cannot take an effort is an error that names the setting, before anything runs', async () => {
  const p = await started();
  const refused = 'agent.plan.effort: cannot be set: the agent "gemini" has no effort';
  for (const command of ['validate', 'step']) {
    const ran = await p.runWith({ RUNNER_AGENT_NAME: 'gemini' }, command);
    expect(ran, command).toMatchObject({ code: 1, err: expect.stringContaining(refused) });
  }
  const other = await p.runWith({ RUNNER_AGENT_EFFORT: 'huge' }, 'validate');
  expect(other.err).toContain(
    'agent.effort (RUNNER_AGENT_EFFORT): must be one of "none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra" for the agent "codex", not "huge"',
  );
});

test('a program of your own is told model and effort; a setting by flag or variable is recorded', async () => {
  const agent = `name = "command"\ncommand = ['sh', '-c', 'echo "$RUNNER_MODEL $RUNNER_EFFORT" > told.txt; printf "{\\"status\\":\\"done\\",\\"summary\\":\\"s\\",\\"children\\":null}" > "$RUNNER_OUTPUT"']\nmodel = "mine"`;
  const p = await project({ agent, guard: ['true'] });
  const ran = await p.runWith({ RUNNER_AGENT_PLAN_EFFORT: 'deep' }, 'step');
  expect(ran, ran.err).toMatchObject({ code: 0 });
  const { file, trailers } = await recorded(p, 1);
  expect(await file('told.txt')).toBe('mine deep');
  expect(trailers).toContain('Setting: agent.plan.effort="deep"');
});

test('config set makes the table, config get shows the value', async () => {
  const p = await started();
  const set = await p.run('config', 'set', 'agent.escalate.effort', 'high');
  expect(set, set.err).toMatchObject({ code: 0 });
  expect((await p.run('config', 'get', 'agent.escalate.effort')).out).toContain('high');
  expect(p.read('.runner/state/config.toml')).toContain('after_attempts = 1\neffort = "high"\n');
});

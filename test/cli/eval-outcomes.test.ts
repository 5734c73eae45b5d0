/** `runner eval run`: every outcome and every reason, from real runs of the built program. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { evalProject, outcomesIn, shellAgent, shellDone } from '../support/eval-project.ts';
import type { TestCase } from '../support/eval-project.ts';
import { claudeFails, playFake } from '../support/fake-agent.ts';
import { hasOpenJournal } from '../support/open-journal.ts';
import { answer } from '../support/project.ts';
import { isAlive, pidsIn } from '../support/shell-agent.ts';

const retries = [1, 2, 3, 4].map(() => ({ answer: answer('retry', 'not yet') }));

/** Stays, with a child of another session, until it is ended. */
const endless = 'setsid sleep 300 & echo $! > "$HOME/pids"; echo $$ >> "$HOME/pids"; sleep 300';

/** Ends the runner itself, so that nobody ends what it leaves behind. */
const kills =
  'setsid sleep 300 & echo $! > "$HOME/orphans"; echo $$ >> "$HOME/orphans"; kill -9 $PPID; sleep 300';

const cases: Readonly<Record<string, TestCase>> = {
  good: { checks: [{ type: 'file_exists', path: 'a.txt' }, { type: 'runner_completed' }] },
  bad: { checks: [{ type: 'file_exists', path: 'other.txt' }] },
  stuck: { steps: retries, config: 'max_attempts_default = 1' },
  limit: { steps: retries, config: 'max_iterations = 1' },
  'run-limit': {
    steps: [{ actions: [{ sleep_ms: 1100 }], answer: answer('retry') }, ...retries],
    config: 'limits = { max_run_secs = 1 }',
  },
  late: { agent: shellAgent(endless), about: 'timeout_secs = 10' },
  'no-start': { guard: ['sh', '-c', kills], baseline: true },
  'no-loop': { agent: shellAgent('exit 7'), config: 'max_iterations = 9' },
  // What an agent breaks is no error of the harness.
  'breaks-git': { agent: shellAgent(`rm -rf .git; ${shellDone}`) },
  'kills-runner': { agent: shellAgent('kill -9 $PPID; sleep 300') },
  crashes: { agent: shellAgent('exit 7'), config: 'max_iterations = 2' },
  typo: { agent: shellAgent('/nonexistent/agent'), config: 'max_iterations = 2' },
  outage: { agent: 'name = "claude"', about: 'timeout_secs = 14' },
  'no-agent': { agent: 'name = "codex"\nbin = "/no/such/codex"' },
  'no-setup': { top: '[[setup]]\ncmd = ["sh", "-c", "echo told; exit 4"]' },
  'no-work': { checks: [{ type: 'command_succeeds', cmd: ['./made-by-nobody'] }] },
  'no-tool': {
    checks: [
      { type: 'command_succeeds', cmd: ['no-such-program', 'x'] },
      { type: 'command_succeeds', cmd: ['true'] },
    ],
  },
  'no-need': { about: 'requires = ["sh", "no-such-program"]' },
  'no-git': { env: { PATH: '/nowhere' } },
};

test('every outcome and reason; traps of the ancestor: a missing toolchain loses the record, the limit of iterations is just an error, start and loop have no time limit, a failed start is ignored', async () => {
  const p = await evalProject(cases);
  const onPath = playFake(p, 'claude', { agent: [claudeFails(529, 'Overloaded')] });
  const ran = await p.runWith(onPath, 'eval', 'run', '--jobs', '3', '--no-hide');
  expect(ran.code, ran.err).toBe(0);
  const line = (id: string, rest: string): string => `case=${id} variant=default repeat=1 outcome=${rest}`;
  expect(outcomesIn(ran.out)).toEqual(
    [
      line('good', 'success'),
      line('bad', 'fail'),
      line('stuck', 'stuck'),
      line('limit', 'fail reason=iteration_limit'),
      line('run-limit', 'fail reason=run_limit'),
      line('late', 'fail reason=timeout'),
      line('no-start', 'error reason=start_failed'),
      line('no-loop', 'fail reason=agent_failed'),
      line('breaks-git', 'fail reason=agent_failed'),
      line('kills-runner', 'fail reason=agent_failed'),
      line('crashes', 'fail reason=agent_failed'),
      line('typo', 'error reason=agent_missing'),
      line('outage', 'error reason=agent_unavailable'),
      line('no-agent', 'error reason=loop_failed'),
      line('no-setup', 'error reason=setup_failed'),
      line('no-work', 'fail'),
      line('no-tool', 'error reason=toolchain_missing'),
      line('no-need', 'skipped reason=requires_missing'),
      line('no-git', 'error reason=workspace_failed'),
    ].toSorted(),
  );
  expect(ran.out.split('\n').at(-1)).toMatch(
    /^eval: batch=\S+ trials=19 success=1 fail=9 stuck=1 error=7 skipped=1 left=0$/,
  );
  // What could not be judged comes before the rate.
  expect(ran.out).toMatch(
    /\neval: error variant=default why=\S+ trials=1 results=\S+\n(?:eval: error .*\n)*eval: variant=default .* judged=11 rate=0\.091 low=0\.016 high=0\.377\n/,
  );
  // Every one of them has a whole record.
  for (const id of Object.keys(cases)) {
    const { meta, checks } = p.trial(id);
    expect(meta).toMatchObject({ case_id: id, checks_total: cases[id]?.checks?.length ?? 1 });
    expect(meta.errors.length > 0, `${id}: ${meta.errors.join()}`).toBe(
      !['good', 'bad', 'no-work', 'no-tool'].includes(id),
    );
    expect(checks.length).toBe(['no-need', 'no-git', 'no-setup'].includes(id) ? 0 : meta.checks_total);
  }
  expect(p.trial('good').meta).toMatchObject({
    iterations: 1,
    exit_code: 0,
    runner_run_id: 'good',
    attempts: 0,
  });
  expect(p.trial('stuck').meta).toMatchObject({ iterations: 1, exit_code: 3, attempts: 1 });
  expect(p.trial('stuck').checks).toMatchObject([{ label: 'runner_completed', passed: false }]);
  expect(p.trial('limit').meta.errors[0]).toContain('the run has used its iterations');
  expect(p.trial('crashes').meta.errors).toEqual([
    'no session had an answer; the last: the agent ended with exit code 7',
    expect.stringContaining('the run has used its iterations'),
  ]);
  expect(p.trial('typo').meta.errors[0]).toMatch(/^the agent ended with exit code 127: /u);
  expect(p.trial('outage').meta.errors[0]).toMatch(/^it waited \d+ s for the agent$/);
  expect(p.trial('no-need').meta).toMatchObject({
    workspace: null,
    errors: ["the program 'no-such-program' was not found"],
  });
  expect(p.trial('no-start').meta.errors[0]).toBe('runner start: it ended with signal SIGKILL');
  expect(p.trial('no-git').meta.errors[0]).toContain('git');
  expect(p.trial('no-setup').meta.errors).toEqual(['setup step 1 (setup.1.log) ended with 4']);
  expect(p.trial('no-setup').read('setup.1.log')).toContain('told');
  expect(p.trial('no-work').checks).toMatchObject([{ passed: false, command: { is_own: true } }]);
  expect(p.trial('no-tool').checks).toMatchObject([
    {
      passed: false,
      command: { exit_code: null, timed_out: false, start_error: expect.stringContaining('ENOENT') },
    },
    { passed: true, command: { exit_code: 0, start_error: null } },
  ]);
  // Every log that a report names is there; a trial that never ran names those of what came before.
  const { out } = await p.run('eval', 'report', 'latest');
  const named = [...out.matchAll(/results=(\S+) logs=(\S+)/g)].flatMap(([, dir = '', logs = '']) =>
    logs === '-' ? [] : logs.split(',').map((log) => join(dir, log)),
  );
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
  expect(named).toEqual(
    expect.arrayContaining([
      join(p.trial('no-setup').dir, 'setup.1.log'),
      join(p.trial('bad').dir, 'runner.loop.log'),
    ]),
  );
  // The runner was told to stop and kept the work; nothing of the session is left.
  expect(p.trial('late').meta).toMatchObject({ exit_code: 143, iterations: 1 });
  expect(pidsIn(join(p.home, 'pids')).filter(isAlive)).toEqual([]);
  expect(pidsIn(join(p.home, 'orphans')).filter(isAlive)).toEqual([]);
  expect(hasOpenJournal(join(p.dir, p.trial('late').meta.workspace ?? ''))).toBe(false);
  expect(await p.status(), 'the repository of the user').toBe('');
});

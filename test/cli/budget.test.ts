/** Iterations that end without a judged session (§5): out of time, silent, killed, not started, blocked. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hasOpenJournal } from '../support/open-journal.ts';
import { project } from '../support/project.ts';
import { recorded } from '../support/record.ts';
import {
  fakeProgram,
  isAlive,
  pidsIn,
  playAgent,
  playGuard,
  shellAgent,
  shellGuard,
} from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';

test('the iteration budget, in agent and in guard, with on_timeout stop and continue', async () => {
  const p = await project({
    agent: `${shellAgent}\nmax_failures = 2`,
    guard: shellGuard,
    config: 'iteration_timeout_secs = 2',
    tree: node('root', { attempts: 1 }),
  });
  playAgent(p, 'echo slow > slow.txt; sleep 300 & echo $! >> "$HOME/pids"; answer done; wait');
  const stopped = await p.run('loop');
  expect(stopped).toMatchObject({ code: 1 });
  expect(stopped.out.split('\n')).toEqual([
    'loop: step run=test iter=1 node=root status=retry guard=skipped',
    'loop: status=error run=test steps=1 started_at_iter=1',
  ]);
  expect(stopped.err).toMatch(
    /out of time in the agent after \d s \(iteration_timeout_secs = 2\) \[ITERATION_TIMEOUT\]/u,
  );
  expect(stopped.err).toMatch(/hint: .*iteration_timeout_secs.*on_timeout/u);
  const inAgent = await recorded(p, 1);
  expect(inAgent).toMatchObject({ status: 'retry', guard: 'skipped', attempts: 1 });
  expect(inAgent.last).toMatchObject({ iter: 1, summary: null, guard_output: null });
  expect(inAgent.last?.error).toMatch(/^out of time in the agent after \d s$/u);
  expect(inAgent.errorLog).toContain('runner_error.log: out of time in the agent');
  expect(await inAgent.file('slow.txt')).toBe('slow');
  expect(inAgent.runState).toMatchObject({ judged_sessions: 0, failures_in_a_row: 1 });

  const goesOn = await p.runWith(
    { RUNNER_ON_TIMEOUT: 'continue', RUNNER_ITERATION_TIMEOUT_SECS: '1' },
    'loop',
  );
  expect(goesOn).toMatchObject({ code: 1 });
  expect(goesOn.out.split('\n').at(-1)).toBe('loop: status=error run=test steps=2 started_at_iter=2');
  expect(goesOn.err).toMatch(/failed 2 times in a row .*out of time in the agent.*\[AGENT_FAILING\]/u);
  expect(p.log(3, 'prompt.md')).toContain('out of time in the agent');

  playAgent(p, 'echo quick > quick.txt; answer done');
  playGuard(p, 'echo checking; sleep 300 & echo $! >> "$HOME/pids"; wait');
  const late = await p.runWith({ RUNNER_ON_TIMEOUT: 'continue', RUNNER_ITERATION_TIMEOUT_SECS: '5' }, 'step');
  expect(late, late.err).toMatchObject({
    code: 0,
    out: 'step: run=test iter=4 node=root status=retry guard=skipped',
  });
  const inGuard = await recorded(p, 4);
  expect(inGuard).toMatchObject({ attempts: 1, tree: inAgent.tree });
  expect(inGuard.last?.error).toMatch(/^out of time in the guard after \d s$/u);
  expect(await inGuard.file('quick.txt')).toBe('quick');
  expect(p.log(4, 'guard.log')).toBe('checking\n');
  expect(pidsIn(join(p.home, 'pids')).filter(isAlive)).toEqual([]);
});

test('silent, killed, not started: retry/skipped with runner_error.log, told nothing, the loop goes on', async () => {
  const p = await project({ agent: `${shellAgent}\nidle_timeout_secs = 1\nmax_failures = 3` });
  playAgent(
    p,
    `case $RUNNER_ITER in
    1) echo talking; echo idle > idle.txt; sleep 300 ;;
    2) echo killed > killed.txt; answer done; kill -9 $$ ;;
    3) echo out-of-words > words.txt; rm "$HOME/agent.sh"; exit 9 ;;
    esac`,
  );
  const ran = await p.run('loop');
  expect(ran.err).toMatch(/failed 3 times in a row .*exit code 9.*\[AGENT_FAILING\]/u);
  const reasons = [
    'the agent was silent for 1 s (agent.idle_timeout_secs)',
    'the agent ended with signal SIGKILL',
    'the agent ended with exit code 9',
  ];
  for (const [index, reason] of reasons.entries()) {
    const record = await recorded(p, index + 1);
    expect(record).toMatchObject({ status: 'retry', guard: 'skipped', attempts: 0, last: null });
    expect(record.errorLog).toBe(`runner_error.log: ${reason}\n`);
  }
  expect(await (await recorded(p, 1)).file('idle.txt')).toBe('idle');
  expect(await (await recorded(p, 2)).file('killed.txt')).toBe('killed');
  expect((await recorded(p, 2)).meta.exit_codes.agent).toBeNull();

  writeFileSync(join(p.home, 'odd-agent'), '#!/no/such/interpreter\n', { mode: 0o755 });
  const odd = await p.runWith({ RUNNER_AGENT_COMMAND: JSON.stringify([join(p.home, 'odd-agent')]) }, 'step');
  expect(odd, odd.err).toMatchObject({
    code: 0,
    out: 'step: run=test iter=4 node=root status=retry guard=skipped',
  });
  expect((await recorded(p, 4)).errorLog).toContain('runner_error.log: the agent could not be started: ');
});

const codexLoggedOut = `[ "$1" = --version ] && { echo codex-cli 1; exit; }
[ -f "$HOME/touches" ] && echo half > half.txt
echo '{"type":"thread.started","thread_id":"x"}'
echo '{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized: Missing bearer"}}'
exit 1`;
const claudeLoggedOut = `[ "$1" = --version ] && { echo 2.1.0; exit; }
echo '{"type":"result","subtype":"success","is_error":true,"api_error_status":null,"result":"Not logged in · Please run /login"}'
exit 1`;

test('blocked: no iteration when nothing changed, recorded when something did; the loop stops at once with the fix', async () => {
  const p = await project({ agent: 'name = "codex"' });
  const path = fakeProgram(p, 'codex', codexLoggedOut);
  fakeProgram(p, 'claude', claudeLoggedOut);
  const before = await p.git('rev-parse', 'HEAD');
  const codex = await p.runWith(path, 'loop');
  expect(codex, codex.err).toMatchObject({
    code: 1,
    out: 'loop: status=error run=test steps=0 started_at_iter=1',
  });
  expect(codex.err).toMatch(
    /codex: unexpected status 401 Unauthorized.*\[AGENT_BLOCKED\]\nhint: .*codex login/u,
  );
  const claude = await p.runWith({ ...path, RUNNER_AGENT_NAME: 'claude' }, 'step');
  expect(claude, claude.err).toMatchObject({ code: 1, out: '' });
  expect(claude.err).toMatch(/claude: Not logged in.*\[AGENT_BLOCKED\]\nhint: .*log in/u);
  expect(await p.git('rev-parse', 'HEAD')).toBe(before);
  expect(p.runState()).toMatchObject({ next_iter: 1, last_status: null });
  expect(await p.status()).toBe('');
  expect(hasOpenJournal(p.top)).toBe(false);
  const logs = (): readonly string[] => readdirSync(join(p.dir, '.runner/iterations/test')).toSorted();
  expect(logs(), 'no iteration came of them').toEqual(['1.old-1', '1.old-2']);

  fakeProgram(p, 'codex', codexLoggedOut.replace('[ -f "$HOME/touches" ] &&', ''));
  const touched = await p.runWith(path, 'loop');
  expect(touched).toMatchObject({
    code: 1,
    out: 'loop: step run=test iter=1 node=root status=retry guard=skipped\nloop: status=error run=test steps=1 started_at_iter=1',
  });
  const record = await recorded(p, 1);
  expect(record).toMatchObject({ attempts: 0, last: null });
  expect(record.errorLog).toContain('runner_error.log: codex: unexpected status 401');
  expect(await record.file('half.txt')).toBe('half');
  expect(logs()).toEqual(['1', '1.old-1', '1.old-2']);
  fakeProgram(
    p,
    'codex',
    `[ "$1" = --version ] && { echo codex-cli 1; exit; }
    while [ "$1" != -o ]; do shift; done
    echo '{"status":"done","summary":"s","children":null}' > "$2"`,
  );
  expect(await p.runWith(path, 'loop', '--model', 'm1')).toMatchObject({ code: 0 });
  const passed = await recorded(p, 2);
  expect(passed.meta.agent).toEqual({ name: 'codex', version: 'codex-cli 1', model: 'm1', effort: null });
  expect(passed.trailers).toContain('Agent: codex codex-cli 1 model=m1');
});

test('programs that are not there are named before anything is written', async () => {
  const p = await project({ agent: 'name = "codex"\nbin = "no-such-agent"', guard: ['no-such-guard'] });
  const before = await p.git('rev-parse', 'HEAD');
  const agent = await p.run('step');
  expect(agent).toMatchObject({ code: 1, out: '' });
  expect(agent.err).toMatch(/'no-such-agent'.*\[AGENT_MISSING\]\nhint: npm install/u);
  const scripted = { RUNNER_AGENT_NAME: 'scripted', RUNNER_AGENT_BIN: 'sh' };
  const script = await p.runWith({ ...scripted, RUNNER_AGENT_SCRIPT: 's.json' }, 'step');
  expect(script).toMatchObject({ code: 1, out: '' });
  expect(script.err).toMatch(/the script 's\.json' .*\[AGENT_MISSING\]\nhint: set agent\.script/u);
  const guard = await p.runWith({ ...scripted, RUNNER_AGENT_SCRIPT: '.runner-script.json' }, 'step');
  expect(guard).toMatchObject({ code: 1, out: '' });
  expect(guard.err).toMatch(
    /'no-such-guard' of guard\.command.*\[GUARD_MISSING\]\nhint: set guard\.command/u,
  );
  expect(await p.git('rev-parse', 'HEAD')).toBe(before);
  expect(await p.status()).toBe('');
  expect(existsSync(join(p.dir, '.runner/iterations/test'))).toBe(false);
});

/**
 * Counterparts of the ancestor's tests of whole commands, with the behaviour of this contract: each title names the tests it stands
 * for. Details beyond them are in the other files of this folder.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answer, bareProject, child, project, write } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { recorded } from '../support/record.ts';
import { node } from '../support/trees.ts';

/** Node, status and guard of every recorded iteration that a command printed. */
function printed(out: string): readonly (string | undefined)[] {
  return out
    .split('\n')
    .filter((line) => line.includes(' iter='))
    .map((line) => / node=(.*)$/u.exec(line)?.[1]?.replaceAll(/(?:status|guard)=/gu, ''));
}

const hasLog = (p: Project, iter: number, name: string): boolean =>
  existsSync(join(p.dir, '.runner/iterations/test', String(iter), name));

test('[ancestor: init init_creates_expected_layout] [ancestor: init init_without_force_refuses_existing_runner_dir] [ancestor: init init_with_force_rewrites_placeholders] all files; refused the second time; --force makes the tree anew and keeps the goal', async () => {
  const p = await bareProject();
  expect(await p.run('init')).toMatchObject({ code: 0, out: 'initialized .runner/' });
  const state = [
    'agent_output.schema.json',
    'assumptions.md',
    'config.toml',
    'feedback.md',
    'improvements.md',
    'questions.md',
    'run_state.json',
    'schema.json',
    'tree.json',
  ];
  for (const path of [
    '.gitignore',
    'GOAL.md',
    'context',
    'iterations',
    ...state.map((name) => `state/${name}`),
  ])
    expect(existsSync(join(p.dir, '.runner', path)), path).toBe(true);

  const fresh = p.read('.runner/state/tree.json');
  expect(p.tree()).toMatchObject({ id: 'root', passes: false, attempts: 0, max_attempts: 3, children: [] });
  p.put('.runner/state/tree.json', '{}\n');
  p.put('.runner/GOAL.md', 'mine\n');
  const again = await p.run('init');
  expect(again).toMatchObject({ code: 1, out: '' });
  expect(again.err).toMatch(/\[LAYOUT_EXISTS\]\nhint: .*--force/u);
  expect(p.read('.runner/state/tree.json')).toBe('{}\n');
  expect((await p.run('init', '--force')).code).toBe(0);
  expect(p.read('.runner/state/tree.json')).toBe(fresh);
  expect(p.read('.runner/GOAL.md')).toBe('mine\n');
});

test('[ancestor: start start_creates_branch_sets_goal_id_and_commits] [ancestor: validate validate_ok_when_run_not_started] [ancestor: validate validate_ok_when_run_started_and_matches] [ancestor: validate validate_errors_on_goal_id_mismatch] [ancestor: validate validate_errors_on_branch_mismatch] [ancestor: validate validate_errors_on_missing_layout] a run from init to start, and what validate says on the way', async () => {
  const p = await bareProject();
  const missing = await p.run('validate');
  expect(missing).toMatchObject({ code: 1, out: '' });
  expect(missing.err).toMatch(/\[LAYOUT_MISSING\]\nhint: runner init/u);
  await p.run('init');
  expect((await p.run('validate')).out.split('\n').at(-1)).toBe('validate: run=not-started');
  const id = `run-${(await p.git('rev-parse', 'HEAD')).slice(0, 8)}`;
  p.put('.runner/GOAL.md', 'A goal.\n');
  expect(await p.run('start')).toMatchObject({ code: 0, out: `started run=${id} branch=runner/${id}` });
  expect(await p.git('symbolic-ref', '--short', 'HEAD')).toBe(`runner/${id}`);
  expect(p.read('.runner/GOAL.md')).toContain(`id: ${id}\n`);
  expect(p.runState()).toMatchObject({ run_id: id, next_iter: 1 });
  expect(await p.subjects()).toEqual([`chore(loop): start run ${id}`, 'first commit']);
  expect(await p.run('validate')).toMatchObject({
    code: 0,
    out: `validate: layout=ok\nvalidate: config=ok\nvalidate: tree=ok\nvalidate: run=ok id=${id} branch=runner/${id}`,
  });
  p.put('.runner/GOAL.md', p.read('.runner/GOAL.md').replace(id, 'other'));
  const goal = await p.run('validate');
  expect(goal).toMatchObject({ code: 1, out: '' });
  expect(goal.err).toContain('[RUN_ID_MISMATCH]');
  await p.git('checkout', '-q', '--', '.');
  await p.git('checkout', '-q', '-b', 'runner/other');
  const branch = await p.run('validate');
  expect(branch).toMatchObject({ code: 1, out: '' });
  expect(branch.err).toMatch(/\[GIT_WRONG_BRANCH\]\nhint: git switch/u);
});

test('[ancestor: step step_updates_run_state_and_tree_on_retry] [ancestor: guards guards_skip_when_not_done] [ancestor: step step_replays_failure_context_after_guard_fail] [ancestor: step runner_errors_do_not_propagate_to_agent_context] [ancestor: step step_retries_then_done_writes_history_and_guards] [ancestor: step step_marks_done_and_writes_guard_log] retry, a red guard, a guard that cannot start, then done', async () => {
  const p = await project({
    guard: ['sh', '-c', 'echo "the check ran"; test -f good'],
    script: [
      { answer: answer('retry', 'half of it') },
      { actions: [write('bad', '1\n')], answer: answer('done', 'tried') },
      { actions: [write('more', '1\n')], answer: answer('done', 'unseen') },
      { actions: [write('good', '1\n')], answer: answer('done', 'all of it') },
    ],
  });
  await p.run('step');
  expect(p.runState()).toMatchObject({
    next_iter: 2,
    last_status: 'retry',
    last_summary: 'half of it',
    last_guard: 'skipped',
  });
  expect(p.tree()).toMatchObject({ passes: false, attempts: 1 });
  expect(hasLog(p, 1, 'output.json') && hasLog(p, 1, 'executor.log') && hasLog(p, 1, 'meta.json')).toBe(true);
  expect(hasLog(p, 1, 'guard.log')).toBe(false);

  await p.run('step');
  expect(p.read('.runner/context/history.md')).toContain('half of it');
  expect(p.read('.runner/context/failure.md')).toContain('None.');
  expect(p.tree()).toMatchObject({ passes: false, attempts: 2 });
  const odd = join(p.home, 'odd-guard');
  writeFileSync(odd, '#!/no/such/interpreter\n', { mode: 0o755 });
  expect((await p.runWith({ RUNNER_GUARD_COMMAND: JSON.stringify([odd]) }, 'step')).code).toBe(1);
  expect(p.read('.runner/context/failure.md')).toContain('the check ran');
  expect(p.runState()).toMatchObject({ next_iter: 4, last_status: 'retry', last_summary: null });
  expect(p.tree()).toMatchObject({ attempts: 2 });
  expect(hasLog(p, 3, 'runner_error.log')).toBe(true);

  expect(printed((await p.run('step')).out)).toEqual(['root done pass']);
  expect(p.read('.runner/context/history.md')).toContain('tried');
  expect(p.read('.runner/context/history.md')).not.toMatch(/unseen|interpreter/u);
  expect(p.read('.runner/context/failure.md'), 'of the last red guard').toContain('the check ran');
  expect(p.tree()).toMatchObject({ passes: true, attempts: 2 });
  expect(p.log(4, 'guard.log')).toBe('the check ran\n');
  expect(p.runState()).toMatchObject({ next_iter: 5, last_summary: 'all of it', last_guard: 'pass' });
});

test('[ancestor: step step_accepts_decomposition] [ancestor: harness_lifecycle decomposition_changes_selection_path] [ancestor: step step_errors_when_decomposed_without_children] [ancestor: step step_detects_passed_node_immutability_violation] children are worked in order; broken rules are retries that say why', async () => {
  const p = await project({
    tree: node('root', { max_attempts: 9 }),
    script: [
      { answer: answer('decomposed') },
      { answer: answer('decomposed', 'two parts', [child('one'), child('two')]) },
      { actions: [write('1', '1\n')], answer: answer('done') },
      {
        actions: [write('2', '2\n'), { tree: { edits: [{ id: 'root.1', set: { title: 'x' } }] } }],
        answer: answer('done'),
      },
      { actions: [write('3', '3\n')], answer: answer('done') },
    ],
  });
  const ran = await p.run('loop');
  expect(ran.code, ran.err).toBe(0);
  expect(printed(ran.out)).toEqual([
    'root retry skipped',
    'root decomposed skipped',
    'root.1 done pass',
    'root.2 retry skipped',
    'root.2 done pass',
  ]);
  expect((await recorded(p, 1)).errorLog).toContain('agent_error.log: ');
  expect(hasLog(p, 2, 'guard.log')).toBe(false);
  expect((await recorded(p, 2)).tree.children.map(({ id }) => id)).toEqual(['root.1', 'root.2']);
  const violation = await recorded(p, 4);
  expect(violation.errorLog).toContain(
    "agent_error.log: The last answer broke the rules: root/root.1: passed node 'root.1' changed: title",
  );
  expect(violation.tree.children[0]?.title).toBe('one');
  expect(p.tree()).toMatchObject({ passes: true, attempts: 1 });
});

test('[ancestor: harness_lifecycle full_lifecycle_completes_tree_with_retries] [ancestor: looping loop_stops_on_complete_without_calling_step_again] [ancestor: cli_select select_complete_exits_with_complete_code] retry, done, done; derived passes; then nothing is left', async () => {
  const p = await project({
    tree: node('root', { children: [node('a'), node('b', { order: 1 })] }),
    script: [
      { answer: answer('retry') },
      { actions: [write('a', 'a\n')], answer: answer('done') },
      { actions: [write('b', 'b\n')], answer: answer('done') },
    ],
  });
  const ran = await p.run('loop');
  expect(ran.code, ran.err).toBe(0);
  expect(printed(ran.out)).toEqual(['a retry skipped', 'a done pass', 'b done pass']);
  expect(ran.out).toContain('loop: status=complete run=test steps=3 started_at_iter=1');
  expect(p.tree()).toMatchObject({
    passes: true,
    children: [{ passes: true, attempts: 1 }, { passes: true }],
  });
  expect(await p.run('step')).toMatchObject({ code: 2, out: 'step: status=complete run=test' });
  expect(await p.run('loop')).toMatchObject({
    code: 0,
    out: 'loop: status=complete run=test steps=0 started_at_iter=4',
  });
  expect(await p.run('select')).toMatchObject({ code: 2, out: 'select: status=complete' });
  expect(hasLog(p, 4, 'prompt.md')).toBe(false);
});

test('[ancestor: harness_lifecycle guard_fail_reselection_loop] [ancestor: harness_lifecycle resumption_from_saved_state] [ancestor: looping loop_stops_on_max_iterations_exceeded] the same leaf until it passes, over several processes and a limit', async () => {
  const p = await project({
    tree: node('root', { children: [node('a'), node('b', { order: 1 })] }),
    guard: ['sh', '-c', 'test $(ls | grep -c try) -ge 3'],
    config: 'max_iterations = 2',
    script: [1, 2, 3, 4].map((n) => ({
      actions: [write(`try-${n}`, '.\n')],
      answer: answer('done', `try ${n}`),
    })),
  });
  const first = await p.run('loop');
  expect(first).toMatchObject({ code: 1 });
  expect(first.out.split('\n').at(-1)).toBe(
    'loop: status=limit run=test next_iter=3 max_iterations=2 steps=2 started_at_iter=1',
  );
  expect(printed(first.out)).toEqual(['a done fail', 'a done fail']);
  expect(p.tree().children.map(({ attempts }) => attempts)).toEqual([2, 0]);
  const step = await p.run('step');
  expect(step).toMatchObject({ code: 1, out: '' });
  expect(step.err).toContain('[ITERATION_LIMIT]');
  rmSync(join(p.dir, '.runner/iterations'), { recursive: true });
  rmSync(join(p.dir, '.runner/context'), { recursive: true });
  const second = await p.run('loop', '--max-iterations', '9');
  expect(second.code, second.err).toBe(0);
  expect(printed(second.out)).toEqual(['a done pass', 'b done pass']);
  expect(second.out).toContain('steps=2 started_at_iter=3');
  expect(p.log(3, 'prompt.md'), 'history comes from tracked files').toContain('try 2');
  expect(p.log(4, 'prompt.md'), "another node's history").not.toContain('try 3');
  expect(p.runState().next_iter).toBe(5);
  expect(p.tree().children[0], 'a pass uses no attempt').toMatchObject({ passes: true, attempts: 2 });
});

test('[ancestor: step step_hard_stops_on_stuck_leaf] nothing runs, nothing is written', async () => {
  const p = await project({ tree: node('root', { attempts: 3 }), guard: ['false'] });
  const head = await p.git('rev-parse', 'HEAD');
  expect(await p.run('step')).toMatchObject({
    code: 3,
    out: 'step: status=stuck run=test id=root path=root attempts=3/3',
  });
  expect(existsSync(join(p.dir, '.runner/iterations/test'))).toBe(false);
  expect(await p.git('rev-parse', 'HEAD')).toBe(head);
  expect(await p.status()).toBe('');
});

/** From one run to the next (§11, §12): merged by hand, killed, left behind, half merged, without a goal. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answer, bareProject, project, unstartedProject, write } from '../support/project.ts';
import { readRefusal, refused, typeHint } from '../support/refusals.ts';
import { playAgent, shellAgent } from '../support/shell-agent.ts';
import { template } from '../support/template.ts';
import { node } from '../support/trees.ts';

const done = { actions: [write('a.txt', 'a\n')], answer: answer('done') };
const again = { actions: [write('b.txt', 'b\n')], answer: answer('done') };

/** Complete and not merged; `main` is checked out. */
const complete = template(async () => {
  const p = await project({ script: [done, again] });
  const ran = await p.run('loop');
  expect(ran, ran.err).toMatchObject({ code: 0 });
  expect(ran.err).toMatch(/next +runner finish test$/m);
  await p.git('switch', '-q', 'main');
  return p;
});

describe('after a complete run', () => {
  test('[trap: it was reported complete with 0 steps] merged, its branch deleted, the same id with a new goal: another run', async () => {
    const p = await complete();
    for (const command of ['loop', 'step']) {
      expect(await refused(p, [command])).toMatchObject({
        code: 'GIT_PROTECTED_BRANCH',
        message: "the runner does not work on 'main'",
        hint: 'runner finish test, or: runner start',
      });
    }
    expect((await refused(p, ['start'])).message).toBe("run 'test' is complete: it has done this goal");
    await p.git('merge', '-q', 'runner/test');
    expect((await refused(p, ['loop'])).hint, 'its work is here').toBe('runner start');
    await p.git('branch', '-q', '-d', 'runner/test');
    expect((await refused(p, ['start'])).message).toBe("run 'test' is finished: it has done this goal");
    p.put('.runner/GOAL.md', '---\nid: test\n---\n\nAnother goal.\n');
    const started = await p.run('start');
    expect(started, started.err).toMatchObject({ code: 0, out: 'started run=test-2 branch=runner/test-2' });
    expect(started.err).toContain("the id 'test' is not free (a run in the history of this branch had it)");
    const looped = await p.run('loop');
    expect(looped.out).toContain('loop: status=complete run=test-2 steps=2 started_at_iter=1');
  });

  test('squashed by hand, which leaves no trailer: the same', async () => {
    const p = await complete();
    await p.git('merge', '-q', '--squash', 'runner/test');
    await p.git('commit', '-q', '-m', 'feat: what the run did');
    await p.git('branch', '-q', '-D', 'runner/test');
    p.put('.runner/GOAL.md', '---\nid: test\n---\n\nAnother goal.\n');
    const started = await p.run('start', '--no-baseline');
    expect(started, started.err).toMatchObject({ code: 0, out: 'started run=test-2 branch=runner/test-2' });
    expect(p.tree().passes).toBe(false);
  });

  test('[trap: the hints would have committed the markers] a conflict in .runner/: every command says how to undo the merge', async () => {
    const p = await complete();
    p.put(
      '.runner/state/tree.json',
      p.read('.runner/state/tree.json').replace('"attempts": 0', '"attempts": 1'),
    );
    p.put(
      '.runner/state/run_state.json',
      p.read('.runner/state/run_state.json').replace('"next_iter": 1', '"next_iter": 3'),
    );
    await p.commitAll();
    await expect(p.git('merge', '-q', 'runner/test')).rejects.toThrow('ended with 1');
    for (const command of [
      'start',
      'step',
      'loop',
      'validate',
      'status',
      'tree',
      'log',
      'select',
      'explain',
    ]) {
      expect(await refused(p, [command]), command).toMatchObject({
        code: 'GIT_CONFLICT',
        hint: 'git reset --merge (runner finish and runner update merge without conflicts in .runner/)',
      });
    }
    const doctor = await p.run('doctor', '--json');
    const { checks } = JSON.parse(doctor.out) as {
      readonly checks: readonly { readonly fix: string | null }[];
    };
    expect(checks).toContainEqual(expect.objectContaining({ name: 'merge', status: 'fail' }));
    expect(checks.filter(({ fix }) => fix?.includes('git add') === true)).toEqual([]);
    await typeHint(p, 'git reset --merge');
    expect(await p.status()).toBe('');
    expect(await p.run('validate')).toMatchObject({ code: 0 });
  });
});

test('an id that an archive ref, a record or another start has is not given again', async () => {
  const p = await complete();
  await p.git('update-ref', 'refs/runner/archive/test', 'runner/test');
  await p.git('branch', '-q', '-D', 'runner/test');
  expect((await refused(p, ['start'])).message).toBe("run 'test' is finished: it has done this goal");
  p.put('.git/runner/runs/test-2.json', '{}');
  // The guard runs between the choice of an id and the branch: as if another work tree began a run just then.
  const guard = `mkdir -p .git/runner/runs; echo '{}' > .git/runner/runs/test-3.json`;
  p.put(
    '.runner/state/config.toml',
    `${p.read('.runner/state/config.toml').replace(/\[guard\][^]*/, '')}[guard]\ncommand = ["sh", "-c", ${JSON.stringify(guard)}]\ncheckout = "off"\n`,
  );
  const late = readRefusal(await p.run('start', '--new'));
  expect(late).toMatchObject({ message: "another run took the id 'test-3' meanwhile" });
  await typeHint(p, late.hint);
  expect(await p.git('branch', '--show-current')).toBe('runner/test-4');
  expect(p.runState()).toMatchObject({ run_id: 'test-4', base_branch: 'main' });
});

test('[trap: every hint led nowhere] killed in a session, on main, the branch deleted: the branch comes back, and the run goes on', async () => {
  const p = await project({ agent: shellAgent });
  playAgent(p, 'echo work > w.txt; kill -9 $PPID; sleep 60');
  await p.run('loop');
  await p.git('switch', '-q', 'main');
  await p.git('branch', '-q', '-D', 'runner/test');
  const ran = await p.run('loop');
  expect(ran.err).toContain('runner/test was gone: the branch was made again');
  expect(ran.err).toMatch(/^hint: git switch runner\/test, or give the run up: runner abandon test$/m);
  await typeHint(p, 'git switch runner/test');
  const dirty = await p.run('loop');
  await typeHint(p, /^hint: .*or: (.*)$/m.exec(dirty.err)?.[1] ?? '');
  playAgent(p, 'echo work > w.txt; answer done');
  expect((await p.run('loop')).out).toContain('loop: status=complete run=test steps=1');
  expect(await p.git('show', 'refs/runner/rescue/test/1:w.txt')).toBe('work');
});

describe('what start refuses is not half done', () => {
  test('no goal: start, step and loop refuse the text of init; another text goes on', async () => {
    const p = await bareProject();
    expect(await refused(p, ['start'])).toMatchObject({
      code: 'GOAL_PLACEHOLDER',
      hint: 'runner init, then describe a goal in .runner/GOAL.md, then: runner start (or: runner start --goal <file>)',
    });
    await typeHint(p, 'runner init');
    expect((await refused(p, ['start'])).hint).toMatch(/^describe a goal in \.runner\/GOAL\.md/);
    const placeholder = p.read('.runner/GOAL.md');
    p.put('.runner/GOAL.md', 'A draft.\n');
    writeFileSync(join(p.base, 'goal.md'), 'A goal.\n');
    expect(await p.run('start', '--no-baseline', '--goal', '../goal.md')).toMatchObject({ code: 0 });
    expect(p.read('.runner/GOAL.md')).toMatch(/^---\nid: run-.*\n---\nA goal\.\n$/);
    expect(p.read('.runner/iterations/replaced-goal-1.md'), 'nothing is lost').toBe('A draft.\n');
    const [, id = ''] = /^---\nid: (\S+)/.exec(p.read('.runner/GOAL.md')) ?? [];
    for (const text of [placeholder, '\n']) {
      p.put('.runner/GOAL.md', `---\nid: ${id}\n---\n${text}`);
      await p.commitAll();
      for (const command of ['start', 'step', 'loop'])
        expect((await refused(p, [command])).code, command).toBe('GOAL_PLACEHOLDER');
    }
  });

  test('[trap: the id was written already] an invalid tree: no id, no branch; a wrapper gets one sentence', async () => {
    const p = await unstartedProject();
    p.put('.runner/GOAL.md', 'A goal.\n');
    p.put('.runner/state/tree.json', JSON.stringify({ version: 1, root: node('root') }));
    const found = await refused(p, ['start']);
    expect(found).toMatchObject({ code: 'TREE_INVALID' });
    expect(found.details).toHaveLength(1);
    expect(found.details?.[0]).toContain('the tree is wrapped in an object');
    expect(p.read('.runner/GOAL.md')).toBe('A goal.\n');
    p.put('.runner/state/tree.json', JSON.stringify(node('root')));
    p.put('.runner/state/config.toml', 'nothing = 1\n');
    expect(await refused(p, ['start'])).toMatchObject({ code: 'CONFIG_INVALID' });
    expect(p.read('.runner/GOAL.md')).toBe('A goal.\n');
    expect(await p.git('branch', '--list', 'runner/*')).toBe('');
  });
});

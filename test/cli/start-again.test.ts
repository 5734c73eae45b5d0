/** `start` where runs are known (§11): going on, changing the id, beginning another, other clones. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answer, bareProject, openProject, project, write } from '../support/project.ts';
import { fingerprint, refused, typeHint } from '../support/refusals.ts';
import { template } from '../support/template.ts';
import { node } from '../support/trees.ts';

const goal = '# Goal\n\nMake it work.\n';
const done = { actions: [write('a.txt', 'a\n')], answer: answer('done') };
/** On `runner/test` after a retry; `main` has the same GOAL.md. */
const unfinished = template(async () => {
  const p = await project({ script: [{ answer: answer('retry', 'not yet') }, done] });
  p.put('.runner/state/assumptions.md', '# Assumptions\n\n- it rains\n');
  p.put('.runner/nodes/root/context.md', 'a person wrote this\n');
  await p.commitAll();
  const ran = await p.run('step');
  expect(ran, ran.err).toMatchObject({ code: 0 });
  return p;
});
/** A finished run on `runner/run-…`; `main` never had a .runner/, so only the local folders stay when it is left. */
const finished = template(async () => {
  const p = await bareProject({ files: { 'script.json': JSON.stringify({ version: 1, steps: [done] }) } });
  p.put('.runner/GOAL.md', goal);
  await p.run('init', '--quiet');
  p.put(
    '.runner/state/config.toml',
    '[sandbox]\nkind = "none"\n[agent]\nname = "scripted"\nscript = "script.json"\n[guard]\ncommand = ["true"]\n',
  );
  expect((await p.run('start')).code).toBe(0);
  expect((await p.run('loop')).code).toBe(0);
  return p;
});
/** The same, but the leaf is still open. */
const begun = template(async () => {
  const p = await bareProject();
  p.put('.runner/GOAL.md', goal);
  expect((await p.run('start')).code).toBe(0);
  return p;
});

describe('the id is known', () => {
  test('from main: checked out and gone on with, its own state kept', async () => {
    const p = await unfinished();
    const tip = await p.git('rev-parse', 'HEAD');
    await p.git('switch', '-q', 'main');
    const ran = await p.run('start', '--json');
    expect(JSON.parse(ran.out)).toMatchObject({
      run_id: 'test',
      branch: 'runner/test',
      resumed: true,
      commit: null,
    });
    expect(await p.git('rev-parse', 'HEAD')).toBe(tip);
    expect(p.runState()).toMatchObject({ next_iter: 2, last_summary: 'not yet' });
    expect(p.tree().attempts).toBe(1);
    expect(await p.run('loop')).toMatchObject({ code: 0 });
  });

  test('a branch that exists only on a remote is checked out from there', async () => {
    const p = await unfinished();
    await p.git('switch', '-q', 'main');
    const base = join(p.base, 'other');
    mkdirSync(join(base, 'home'), { recursive: true });
    await p.git('clone', '-q', p.top, join(base, 'repo'));
    const clone = openProject({ base, prefix: '' });
    await clone.git('config', 'user.name', 'Clone Person');
    await clone.git('config', 'user.email', 'clone@test.invalid');
    expect(await clone.run('validate'), 'a fresh clone').toMatchObject({ code: 0 });
    expect(await clone.git('branch', '--list', 'runner/*')).toBe('');
    const ran = await clone.run('start');
    expect(ran, ran.err).toMatchObject({ code: 0, out: 'started run=test branch=runner/test' });
    expect(await clone.git('rev-parse', 'HEAD')).toBe(await p.git('rev-parse', 'runner/test'));
    expect(await clone.git('rev-parse', '--abbrev-ref', '@{upstream}')).toBe('origin/runner/test');
    expect(await clone.run('loop')).toMatchObject({ code: 0 });
  });

  test('an id without a run in the clone does not take the name of one on the remote', async () => {
    const p = await begun();
    const id = (await p.git('branch', '--show-current')).slice('runner/'.length);
    await p.git('switch', '-q', 'main');
    const base = join(p.base, 'other');
    mkdirSync(join(base, 'home'), { recursive: true });
    await p.git('clone', '-q', p.top, join(base, 'repo'));
    const clone = openProject({ base, prefix: '' });
    await clone.git('config', 'user.name', 'Clone Person');
    await clone.git('config', 'user.email', 'clone@test.invalid');
    clone.put('.runner/GOAL.md', goal);
    const found = await refused(clone, ['start']);
    expect(found).toMatchObject({
      code: 'RUN_UNFINISHED',
      message: `run '${id}' has this goal and is unfinished`,
    });
    expect(await clone.run('start', '--new')).toMatchObject({
      code: 0,
      out: `started run=${id}-2 branch=runner/${id}-2`,
    });
  });

  test('the run is complete: it is named; --new does the goal again, another goal begins at once', async () => {
    const p = await finished();
    const id = (await p.git('branch', '--show-current')).slice('runner/'.length);
    const found = await refused(p, ['start']);
    expect(found).toMatchObject({
      code: 'RUN_COMPLETE',
      message: `run '${id}' is complete: it has done this goal`,
      hint: `runner finish ${id}, or do the goal once more: runner start --new`,
    });
    p.put('.runner/GOAL.md', `---\nid: ${id}\n---\nThe next goal.\n`);
    const ran = await p.run('start');
    expect(ran, ran.err).toMatchObject({ code: 0, out: `started run=${id}-2 branch=runner/${id}-2` });
    expect(ran.err).toContain(`the id '${id}' is not free (a branch has it): this run is '${id}-2'`);
    expect(p.tree()).toMatchObject({ passes: false, children: [] });
    expect(p.runState(), 'the base is inherited').toMatchObject({
      base_branch: 'main',
      base_commit: await p.git('rev-parse', 'main'),
    });
    await p.git('switch', '-q', `runner/${id}`);
    await typeHint(p, found.hint.split('more: ')[1] ?? '');
    expect(await p.git('branch', '--show-current')).toBe(`runner/${id}-3`);
  });
});

describe('the id is changed', () => {
  test('[trap: a new run kept the old tree] to a new value: fresh tree and counters; config, memory and notes kept; the old branch stays', async () => {
    const p = await unfinished();
    const tip = await p.git('rev-parse', 'HEAD');
    p.put('.runner/state/tree.json', `${JSON.stringify(node('root', { children: [node('x')] }), null, 2)}\n`);
    await p.commitAll();
    const config = p.read('.runner/state/config.toml');
    expect(p.read('.runner/nodes/root/last.json')).toContain('not yet');
    p.put('.runner/GOAL.md', '---\nid: second\n---\nSecond.\n');
    const ran = await p.run('start');
    expect(ran, ran.err).toMatchObject({ code: 0, out: 'started run=second branch=runner/second' });
    expect(p.tree()).toEqual({
      ...node('root'),
      title: 'Root',
      goal: 'Top-level goal (see .runner/GOAL.md)',
    });
    expect(p.runState()).toMatchObject({
      run_id: 'second',
      next_iter: 1,
      last_summary: null,
      judged_sessions: 0,
      nodes: {},
    });
    expect(p.read('.runner/state/config.toml')).toBe(config);
    expect(p.read('.runner/state/assumptions.md')).toContain('it rains');
    expect(p.read('.runner/nodes/root/context.md')).toBe('a person wrote this\n');
    expect(() => p.read('.runner/nodes/root/last.json')).toThrow('ENOENT');
    expect(await p.git('rev-parse', 'runner/test~')).toBe(tip);
    expect(await p.git('rev-parse', 'HEAD~')).toBe(await p.git('rev-parse', 'runner/test'));
    expect(await p.status()).toBe('');
  });

  test("[trap: git's refusal was all one got] to another run's id, not committed: one printed command makes it go on", async () => {
    const p = await unfinished();
    p.put('.runner/GOAL.md', '---\nid: second\n---\nSecond.\n');
    expect(await p.run('start')).toMatchObject({ code: 0 });
    p.put('.runner/GOAL.md', '---\nid: test\n---\nSecond.\n');
    const before = fingerprint(p.top);
    const ran = await p.run('start');
    if (ran.code !== 0) {
      expect(fingerprint(p.top)).toEqual(before);
      const hint = /^hint: (?:.*: )?(.*)$/m.exec(ran.err)?.[1] ?? '';
      await typeHint(p, hint);
      expect(await p.run('start')).toMatchObject({ code: 0 });
    }
    expect(await p.git('branch', '--show-current')).toBe('runner/test');
    expect(p.runState()).toMatchObject({ run_id: 'test', next_iter: 2 });
  });

  test('by removing it: the unfinished run is named; --new begins another from here', async () => {
    const p = await unfinished();
    const same = p.read('.runner/GOAL.md').replace(/^---\nid: test\n---\n/, '');
    p.put('.runner/GOAL.md', same);
    const found = await refused(p, ['start']);
    expect(found).toMatchObject({
      code: 'RUN_UNFINISHED',
      message: "run 'test' has this goal and is unfinished",
      hint: "put 'id: test' back into .runner/GOAL.md, or leave 'test' behind and begin another run: runner start --new",
    });
    const head = await p.git('rev-parse', 'HEAD');
    await typeHint(p, found.hint.split('run: ')[1] ?? '');
    const id = `run-${head.slice(0, 8)}`;
    expect(await p.git('branch', '--show-current')).toBe(`runner/${id}`);
    expect(p.read('.runner/GOAL.md')).toBe(`---\nid: ${id}\n---\n${same}`);
    expect(p.tree()).toMatchObject({ attempts: 0 });
    p.put('.runner/GOAL.md', '# Another goal\n');
    const other = await p.run('start', '--no-baseline');
    expect(other, other.err).toMatchObject({ code: 0 });
    expect(other.err).toContain(`left unfinished: run '${id}' (git switch runner/${id}), 'test'`);
  });
});

describe('from main again, where .runner/ was never committed', () => {
  test('[trap: the second run failed on a half-made branch] after a finished run: only the local folders are left over, and the next run starts', async () => {
    const p = await finished();
    const id = (await p.git('branch', '--show-current')).slice('runner/'.length);
    await p.git('switch', '-q', 'main');
    expect(() => p.read('.runner/GOAL.md')).toThrow('ENOENT');
    expect(p.read(`.runner/iterations/${id}/1/meta.json`)).toContain('"pass"');
    expect(await p.status(), 'they are ignored here, too').toBe('');
    expect(await refused(p, ['start'])).toMatchObject({
      code: 'GOAL_PLACEHOLDER',
      hint: `runner finish ${id}; or describe a goal in .runner/GOAL.md, then: runner start`,
    });
    writeFileSync(join(p.base, 'next.md'), 'The next goal.\n');
    const ran = await p.run('start', '--goal', '../next.md');
    expect(ran, ran.err).toMatchObject({ code: 0, out: `started run=${id}-2 branch=runner/${id}-2` });
    expect(p.read('.runner/GOAL.md')).toContain('The next goal.');
    expect(p.tree().passes).toBe(false);
    expect(p.runState()).toMatchObject({ run_id: `${id}-2`, next_iter: 1 });
    expect(p.read(`.runner/iterations/${id}/1/meta.json`)).toContain('"pass"');
    await p.git('switch', '-q', 'main');
    const third = await refused(p, ['start', '--goal', '../next.md']);
    expect(third.message).toBe(`run '${id}-2' has this goal and is unfinished`);
  });

  test('after an unfinished run: named, with the switch; both ways of the hint work', async () => {
    const p = await begun();
    const id = (await p.git('branch', '--show-current')).slice('runner/'.length);
    await p.git('switch', '-q', 'main');
    writeFileSync(join(p.base, 'same.md'), goal);
    const found = await refused(p, ['start', '--goal', '../same.md']);
    expect(found).toMatchObject({
      code: 'RUN_UNFINISHED',
      message: `run '${id}' has this goal and is unfinished`,
      hint: `git switch runner/${id} && runner loop, or leave '${id}' behind and begin another run: runner start --new`,
    });
    await typeHint(p, found.hint.split(' && ')[0] ?? '');
    expect(await p.run('start')).toMatchObject({ code: 0, out: `started run=${id} branch=runner/${id}` });
    await p.git('switch', '-q', 'main');
    p.put('.runner/GOAL.md', goal);
    await typeHint(p, found.hint.split('run: ')[1] ?? '');
    expect(await p.git('branch', '--show-current')).toBe(`runner/${id}-2`);
  });
});

describe('GOAL.md', () => {
  test('[trap: CRLF files had no front matter] CRLF, other keys, comments and the body stay byte for byte', async () => {
    const p = await bareProject();
    const front = '# a comment\r\nowner: "Ann: B"   # why\r\nlist: [1,  2]\r\n';
    const body = '# Ziel\r\n\r\n---\r\nid: not this one\r\n---\r\n  trailing  \r\n\r\nno newline at the end';
    p.put('.runner/GOAL.md', `---\r\n${front}---\r\n${body}`);
    await p.run('init', '--quiet');
    const ran = await p.run('start');
    expect(ran, ran.err).toMatchObject({ code: 0 });
    const id = /run=(\S+)/.exec(ran.out)?.[1] ?? '';
    const text = p.read('.runner/GOAL.md');
    expect(text.replace(`id: ${id}\r\n`, '')).toBe(`---\r\n${front}---\r\n${body}`);
    expect(await p.git('show', 'HEAD:.runner/GOAL.md')).toBe(text);
    p.put('.runner/GOAL.md', text.replace(`id: ${id}`, "id: 'two'  # mine"));
    expect(await p.run('start', '--new')).toMatchObject({
      code: 0,
      out: 'started run=two branch=runner/two',
    });
    expect(p.read('.runner/GOAL.md')).toBe(text.replace(`id: ${id}`, "id: 'two'  # mine"));
  });
});

/** `runner rescue`: what was taken out of the work tree is listed, shown and written back; nothing is lost by it. */
import { chmodSync, lstatSync, mkdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectOutput } from '../support/output-schema.ts';
import type { Project } from '../support/project.ts';
import { project, tempFolder } from '../support/project.ts';
import { readRefusal, refused } from '../support/refusals.ts';
import { template } from '../support/template.ts';

/** As the runner makes it: a commit on B that no branch has, with one file changed, made and deleted each. */
const rescued = template(async () => {
  const p = await project({
    files: { 'kept.txt': 'old\n', 'gone.txt': 'x\n', '.gitignore': 'ignored.txt\n' },
  });
  p.put('kept.txt', 'new\n');
  p.put('dir/ünï cödé.txt', 'made \u001B[31mred\n');
  p.put('ignored.txt', 'of the session\n');
  p.put('run.sh', '#!/bin/sh\n');
  chmodSync(join(p.dir, 'run.sh'), 0o755);
  symlinkSync('kept.txt', join(p.dir, 'link'));
  p.put('.runner/state/questions.md', '# Open Questions\n\n- What?\n');
  await p.git('rm', '-q', 'gone.txt');
  await p.git('add', '-f', '.');
  await p.git('commit', '-q', '-m', 'runner: work of run test iteration 3, kept');
  await p.git('update-ref', 'refs/runner/rescue/test/3', 'HEAD');
  await p.git('reset', '-q', '--hard', 'HEAD~1');
  return p;
});

async function refs(p: Project): Promise<string> {
  return p.git('for-each-ref');
}

async function json(p: Project, ...args: readonly string[]): Promise<Record<string, unknown>> {
  const ran = await p.run('rescue', ...args, '--json');
  expect(ran, ran.err).toMatchObject({ code: 0 });
  const value = JSON.parse(ran.out) as Record<string, unknown>;
  expectOutput(`rescue-${args[0] ?? ''}`, value);
  return value;
}

describe('list and show', () => {
  test('an empty list says so', async () => {
    const p = await project();
    expect(await p.run('rescue', 'list')).toMatchObject({
      code: 0,
      out: '',
      err: 'note: nothing was rescued here',
    });
    expect(await json(p, 'list')).toEqual({ command: 'rescue list', rescues: [] });
  });

  test('what was kept, when and how much', async () => {
    const p = await rescued();
    await p.git('update-ref', 'refs/runner/rescue/test/start-2', 'main');
    const { rescues } = await json(p, 'list');
    expect(rescues).toMatchObject([
      {
        ref: 'refs/runner/rescue/test/3',
        run_id: 'test',
        iter: 3,
        parent: await p.git('rev-parse', 'HEAD'),
        subject: 'runner: work of run test iteration 3, kept',
        files: 9,
      },
      { ref: 'refs/runner/rescue/test/start-2', iter: null },
    ]);
    const { out } = await p.run('rescue', 'list');
    expect(out.split('\n')[0]).toMatch(
      /^rescue: ref=test\/3 run=test iter=3 commit=[0-9a-f]{12} saved_at=\S+ files=9 insertions=\d+ deletions=\d+ what="runner: work/,
    );
  });

  test('the patch, clean on a terminal and whole in JSON', async () => {
    const p = await rescued();
    const { out } = await p.run('rescue', 'show', 'test/3');
    expect(out).toContain('+new');
    expect(out).toContain('+made red');
    expect(out).toContain('.runner/state/questions.md');
    expect(await json(p, 'show', 'refs/runner/rescue/test/3')).toMatchObject({
      iter: 3,
      patch: expect.stringContaining('+made \u001B[31mred') as string,
    });
  });

  test('what is not there, and no repository', async () => {
    const p = await rescued();
    const unknown = await p.run('rescue', 'show', 'test/4');
    expect(unknown.code).toBe(64);
    expect(readRefusal(unknown)).toMatchObject({ code: 'USAGE', hint: 'runner rescue list' });
    expect((await refused(p, ['rescue', 'list', '-C', tempFolder('no-repository')])).code).toBe(
      'GIT_NOT_A_REPO',
    );
  });
});

describe('restore', () => {
  test('all of it: bytes, modes and links; nothing removed, no ref moved, nothing staged', async () => {
    const p = await rescued();
    const before = await refs(p);
    const ran = await p.run('rescue', 'restore', 'test/3');
    expect(ran, ran.err).toMatchObject({
      code: 0,
      out: 'rescue: restored=test/3 written=5 overwritten=0 deleted_there=1',
    });
    expect(ran.err).toContain('note: deleted there, still here: gone.txt');
    expect(p.read('kept.txt')).toBe('new\n');
    expect(p.read('dir/ünï cödé.txt')).toBe('made \u001B[31mred\n');
    expect(p.read('gone.txt')).toBe('x\n');
    expect(readlinkSync(join(p.dir, 'link'))).toBe('kept.txt');
    expect(lstatSync(join(p.dir, 'run.sh')).mode & 0o111).toBe(0o111);
    expect(p.read('.runner/state/questions.md')).not.toContain('What?');
    expect(await refs(p)).toBe(before);
    expect(await p.git('diff', '--cached', '--name-only')).toBe('');
  });

  test('files with changes that no commit has are named, and nothing at all is written', async () => {
    const p = await rescued();
    p.put('kept.txt', 'mine\n');
    p.put('ignored.txt', 'mine, ignored\n');
    mkdirSync(join(p.dir, 'run.sh'));
    p.put('run.sh/mine', 'in the way\n');
    const ran = await p.run('rescue', 'restore', 'test/3');
    expect(ran.code).toBe(1);
    expect(readRefusal(ran)).toMatchObject({
      code: 'GIT_DIRTY',
      hint: expect.stringContaining('runner rescue restore test/3 --force') as string,
    });
    for (const name of ['kept.txt', 'ignored.txt', 'run.sh/mine']) expect(ran.err).toContain(name);
    expect(p.read('kept.txt')).toBe('mine\n');
    expect(p.read('ignored.txt')).toBe('mine, ignored\n');
    const part = await json(p, 'restore', 'test/3', '--path', 'dir', '--path', 'link');
    expect(part).toMatchObject({ written: ['dir/ünï cödé.txt', 'link'], overwritten: [], deleted_there: [] });

    const forced = await json(p, 'restore', 'test/3', '--force');
    expect(forced).toMatchObject({ overwritten: ['ignored.txt', 'kept.txt', 'run.sh/mine'] });
    expect(p.read('ignored.txt')).toBe('of the session\n');
    // A folder in the way is moved aside, not deleted.
    expect(readFileSync(join(p.top, '.git/runner/quarantine/restore/run.sh/mine'), 'utf8')).toBe(
      'in the way\n',
    );
  });

  test('a file that was committed since is written over: git has it', async () => {
    const p = await rescued();
    p.put('kept.txt', 'committed since\n');
    await p.commitAll();
    const value = await json(p, 'restore', 'test/3', '--path', 'kept.txt');
    expect(value).toMatchObject({ written: ['kept.txt'], overwritten: [] });
    expect(p.read('kept.txt')).toBe('new\n');
  });

  test('nothing to restore, and not inside a session', async () => {
    const p = await rescued();
    expect((await p.run('rescue', 'restore', 'test/3', '--path', 'nowhere')).code).toBe(64);
    const inside = { RUNNER_RUN_ID: 'test', RUNNER_WORK_TREE: p.top };
    expect((await refused(p, ['rescue', 'restore', 'test/3'], inside)).code).toBe('NESTED');
  });
});

test('the shell offers the refs', async () => {
  const p = await rescued();
  const { out } = await p.run('complete', '--', 'rescue', 'restore', 't');
  expect(out).toBe('test/3\trunner: work of run test iteration 3, kept');
});

/** `runner eval list` through the built program: every good case, every problem with its place, and the exit code. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { caseText } from '../support/eval-samples.ts';
import { expectOutput } from '../support/output-schema.ts';
import { bareProject, repositoryRoot } from '../support/project.ts';

const oracle = '[oracle]\nscript = "b.oracle.json"\n';
const good = {
  'eval/cases/a.toml': caseText({ id: 'plain' }),
  'eval/cases/b.toml': caseText({
    id: 'tagged',
    more: `tags = ["js", "small"]\nrequires = ["node"]\ndescription = "one"\n${oracle}`,
  }),
  'eval/cases/b.oracle.json': '{"version": 1, "steps": []}',
};

describe('eval list', () => {
  test('one line a case, or a JSON line; only those with one of the tags', async () => {
    const p = await bareProject({ files: good });
    expect(await p.run('eval', 'list')).toMatchObject({
      code: 0,
      out: 'list: case=plain checks=1 oracle=no tags=-\nlist: case=tagged checks=1 oracle=yes tags=js,small',
      err: '',
    });
    expect(await p.git('status', '--porcelain')).toBe('');
    const { out } = await p.run('eval', 'list', '--json');
    const lines = out.split('\n').map((line) => JSON.parse(line) as unknown);
    for (const line of lines) expectOutput('eval-list', line);
    expect(lines[1]).toEqual({
      command: 'eval list',
      case_id: 'tagged',
      description: 'one',
      tags: ['js', 'small'],
      requires: ['node'],
      checks: 1,
      oracle: true,
      file: join(p.dir, 'eval/cases/b.toml'),
    });
    const ids = async (...args: readonly string[]): Promise<readonly string[]> =>
      [...(await p.run('eval', 'list', ...args)).out.matchAll(/case=(\S+)/g)].map(([, id]) => String(id));
    expect(await ids('--tag', 'small')).toEqual(['tagged']);
    expect(await ids('--tag', 'none', '--tag', 'js')).toEqual(['tagged']);
    expect(await ids('--tag', 'none')).toEqual([]);
  });

  test('trap: one bad file hides no other; each problem is told at its place, with exit 1', async () => {
    const p = await bareProject({
      files: {
        ...good,
        'eval/cases/0.toml': caseText({ id: 'bad', more: 'gaol = "x"\n' }),
        'eval/cases/c.toml': '[case\n',
        'eval/cases/d.toml': caseText({ id: 'plain' }),
      },
    });
    const ran = await p.run('eval', 'list');
    expect(ran.code).toBe(1);
    expect(ran.out.split('\n')).toHaveLength(2);
    const dir = join(p.dir, 'eval/cases');
    expect(ran.err).toContain('error: 3 case files have problems [EVAL_CASE_INVALID]');
    expect(ran.err).toContain(`${dir}/0.toml:4:1: case.gaol: unknown key; did you mean case.goal?`);
    expect(ran.err).toMatch(/c\.toml:1:\d+: this is not valid TOML/);
    expect(ran.err).toContain(`${dir}/d.toml:2:1: case.id: 'plain' is the id of ${dir}/a.toml already`);
    expect(ran.err).toContain('hint: correct them, then run: runner eval list');
    const json = (await p.run('eval', 'list', '--json')).out.split('\n');
    expect(json).toHaveLength(3);
    expectOutput('error', JSON.parse(json[2] ?? ''));
  });

  test('another folder of cases; none at all; a folder that is not there', async () => {
    const p = await bareProject({ files: { 'mine/x.toml': caseText({ id: 'mine' }) } });
    expect((await p.run('eval', 'list', '--cases', 'mine')).out).toContain('case=mine');
    const shipped = await p.run('eval', 'list');
    expect(shipped.out).toContain('case=fix-failing-test');
    expect(shipped.err).toContain(
      `note: there is no eval/cases here; these cases ship with runner (${join(repositoryRoot, 'eval/cases')})`,
    );
    expect((await p.run('eval', 'list', '--quiet')).err).toBe('');
    mkdirSync(join(p.dir, 'eval/cases'), { recursive: true });
    const none = await p.run('eval', 'list');
    expect(none).toMatchObject({ code: 0, out: '' });
    expect(none.err).toContain(`note: there is no case in ${join(p.dir, 'eval/cases')}`);
    const missing = await p.run('eval', 'list', '--cases', 'nowhere');
    expect(missing).toMatchObject({ code: 64, out: '' });
    expect(missing.err).toContain('there is no folder');
    mkdirSync(join(p.dir, 'deep'));
    expect((await p.run('-C', 'deep', 'eval', 'list', '--cases', '../mine')).out).toContain('case=mine');
  });
});

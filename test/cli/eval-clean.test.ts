/** `runner eval clean` through the built program: exactly the cases that were named. */
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { putTrial } from '../support/eval-samples.ts';
import { expectOutput } from '../support/output-schema.ts';
import { bareProject } from '../support/project.ts';

const stamp = '20260131_235959_abc123';

async function projectWith(...ids: readonly string[]) {
  const p = await bareProject();
  const workspaces = join(p.dir, 'eval/workspaces');
  const results = join(p.dir, 'eval/results');
  for (const id of ids) {
    mkdirSync(join(workspaces, `${id}_${stamp}`, 'src'), { recursive: true });
    symlinkSync(`${id}_${stamp}`, join(workspaces, `${id}_latest`));
    putTrial(results, { case_id: id });
  }
  const left = (): readonly string[] => [...readdirSync(workspaces), ...readdirSync(results)].toSorted();
  return { p, left };
}

test('one as a line, several as JSON lines', async () => {
  const { p, left } = await projectWith('one', 'two', 'three', 'four');
  expect(await p.run('eval', 'clean', 'four')).toMatchObject({
    code: 0,
    out: 'clean: case=four workspaces=1 results=1',
    err: '',
  });
  const { code, out } = await p.run('eval', 'clean', 'one', 'two', '--json');
  expect(code).toBe(0);
  const lines = out.split('\n').map((line) => JSON.parse(line) as unknown);
  for (const line of lines) expectOutput('eval-clean', line);
  expect(lines).toEqual([
    { command: 'eval clean', case_id: 'one', workspaces: 1, results: 1 },
    { command: 'eval clean', case_id: 'two', workspaces: 1, results: 1 },
  ]);
  expect(left()).toEqual(['three', `three_${stamp}`, 'three_latest'].toSorted());
});

test('an unknown case is refused and nothing is removed; none at all is wrong usage', async () => {
  const { p, left } = await projectWith('alpha');
  const before = left();
  const ran = await p.run('eval', 'clean', 'alpha', 'alpah');
  expect(ran).toMatchObject({ code: 1, out: '' });
  expect(ran.err).toContain(
    "error: there is no case 'alpah', and no results or workspaces of it; did you mean alpha? [EVAL_CASE_UNKNOWN]",
  );
  expect(ran.err).toContain('hint: runner eval list');
  expect(await p.run('eval', 'clean')).toMatchObject({ code: 64, out: '' });
  expect(left()).toEqual(before);
});

/** What a commit says for an audit: settings by flag and environment, marks for files that other programs execute, people's commands. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { answer, project, write } from '../support/project.ts';
import { node } from '../support/trees.ts';
import { expectOutput } from '../support/output-schema.ts';

async function trailers(p: Awaited<ReturnType<typeof project>>, commit = 'HEAD'): Promise<readonly string[]> {
  return (await p.git('show', '--no-patch', '--format=%(trailers)', commit)).trim().split('\n');
}

test('settings that decide verdicts, given by flag or environment, are in the commit; others are not', async () => {
  const said = answer('done');
  const p = await project({
    tree: node('root', { children: [node('a'), node('b', { order: 1 })] }),
    script: [
      { actions: [write('a.txt', 'a\n')], answer: said },
      { actions: [write('b.txt', 'b\n')], answer: said },
    ],
  });
  const baseline = await p.git('rev-parse', 'HEAD');
  const env = { RUNNER_GUARD_TIMEOUT_SECS: '60', RUNNER_MAX_ITERATIONS: '9', RUNNER_TREE_MAX_REPAIRS: '1' };
  expect((await p.runWith(env, 'step')).code).toBe(0);
  const first = await trailers(p);
  expect(first).toEqual(
    expect.arrayContaining([
      'Runner-Run: test',
      'Runner-Title: a title',
      `Runner-Baseline: ${baseline}`,
      'Runner-Outcome: pass',
      `Runner-Answer-SHA256: ${createHash('sha256').update(p.log(1, 'output.json')).digest('hex')}`,
    ]),
  );
  expect(first.filter((line) => line.startsWith('Runner-Setting: '))).toEqual([
    'Runner-Setting: guard.timeout_secs=60',
    'Runner-Setting: tree.max_repairs=1',
  ]);
  expect((await p.run('step')).code).toBe(0);
  expect((await trailers(p)).join('\n')).not.toContain('Runner-Setting');
  expect(await trailers(p, ':/start run test')).toEqual(['Runner-Run: test', 'Runner-Proof: 2']);
});

test('files that other programs execute are marked, named, and shown by status', async () => {
  const p = await project({
    tree: node('root', { children: [node('a'), node('b', { order: 1 }), node('c', { order: 2 })] }),
    files: { '.envrc': 'layout node\n' },
    script: [
      {
        actions: [write('.vscode/tasks.json', '{}\n'), write('sub dir/.envrc', 'x\n'), write('a.txt', 'a\n')],
        answer: answer('done'),
      },
      { actions: [write('.vscode/tasks.json', '{"tasks":[]}\n')], answer: answer('done') },
      { actions: [write('c.txt', 'c\n')], answer: answer('done') },
    ],
  });
  expect((await p.run('loop', '--quiet')).code).toBe(0);
  const first = await trailers(p, ':/iter 1 ');
  expect(first).toEqual(
    expect.arrayContaining([
      'Runner-Mark: changed-tool-files',
      'Runner-Tool-File: .vscode/tasks.json',
      'Runner-Tool-File: sub dir/.envrc',
    ]),
  );
  expect((await trailers(p, ':/iter 3 ')).join('\n')).not.toMatch(/tool-files|Tool-File/);
  expect(JSON.parse(p.log(1, 'meta.json'))).toMatchObject({
    tool_files: ['.vscode/tasks.json', 'sub dir/.envrc'],
  });
  const { out } = await p.run('status');
  expect(out.split('\n').filter((line) => line.includes('tool_file'))).toEqual([
    'status: tool_file=.vscode/tasks.json iter=2',
    'status: tool_file=sub_dir/.envrc iter=1',
  ]);
  const value: unknown = JSON.parse((await p.run('status', '--json')).out);
  expectOutput('status', value);
  expect(value).toMatchObject({
    tool_files: [
      { path: '.vscode/tasks.json', iter: 2 },
      { path: 'sub dir/.envrc', iter: 1 },
    ],
  });
});

test("people's commands say so", async () => {
  const p = await project();
  expect((await p.run('config', 'set', 'max_iterations', '9')).code).toBe(0);
  expect(await trailers(p)).toEqual(['Runner-Person: config set']);
  expect((await p.run('edit', 'root', '--title', 'Another')).code).toBe(0);
  expect(await trailers(p)).toEqual(['Runner-Person: edit']);
  expect((await p.run('retry', 'root', '--max-attempts', '7')).code).toBe(0);
  expect(await trailers(p)).toEqual([
    'Runner-Person: retry',
    'Runner-Title: Another',
    'Runner-Max-Attempts: 3 -> 7',
  ]);
});

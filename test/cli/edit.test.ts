/** `runner edit`: other words for an open node, by flags, file, stdin or a real editor in a real terminal; passed nodes are closed (§1.3). */
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import type { Project } from '../support/project.ts';
import { answer, entryFile, project, write } from '../support/project.ts';
import { expectOutput } from '../support/output-schema.ts';
import { readRefusal, refused } from '../support/refusals.ts';
import { template } from '../support/template.ts';
import { node } from '../support/trees.ts';

const tree = node('root', {
  children: [node('a', { passes: true }), node('b', { order: 1, acceptance: ['old'] })],
});
const started = template(() =>
  project({ tree, script: [{ actions: [write('a.txt', 'a\n')], answer: answer('done') }] }),
);

function nodeB(p: Project) {
  return p.tree().children[1];
}

test('by flags: only what is given changes, in one commit; the next session is asked for it', async () => {
  const p = await started();
  const ran = await p.run(
    'edit',
    'b',
    '--goal',
    'Line 1\nLine 2',
    '--acceptance',
    'one',
    '--acceptance',
    'two',
  );
  const commit = await p.git('rev-parse', 'HEAD');
  expect(ran).toMatchObject({
    code: 0,
    out: `edit: run=test node=b changed=goal,acceptance commit=${commit}`,
  });
  expect(nodeB(p)).toEqual({
    ...node('b', { order: 1 }),
    goal: 'Line 1\nLine 2',
    acceptance: ['one', 'two'],
  });
  expect((await p.subjects())[0]).toBe('chore(loop): edit b goal,acceptance');
  expect(await p.git('show', '--name-only', '--format=', 'HEAD')).toBe('.runner/state/tree.json');
  expect(await p.status()).toBe('');
  const step = await p.run('step');
  expect(step.out).toBe('step: run=test iter=1 node=b status=done guard=pass');
  expect(p.log(1, 'prompt.md')).toContain('Line 2');
});

test('from a file and from stdin, as JSON; the same again is no commit', async () => {
  const p = await started();
  writeFileSync(join(p.base, 'b.json'), '{"title": "B", "acceptance": []}');
  const ran = await p.run('edit', 'root/b', '--from-file', '../b.json', '--json');
  const value: unknown = JSON.parse(ran.out);
  expectOutput('edit', value);
  expect(value).toMatchObject({ id: 'b', changed: ['title', 'acceptance'] });
  const piped = await execa(process.execPath, [entryFile, 'edit', 'b', '--from-file', '-', '--json'], {
    cwd: p.dir,
    env: p.env,
    extendEnv: false,
    input: 'title: B\ngoal: |\n  from stdin\n',
  });
  expect(JSON.parse(piped.stdout)).toMatchObject({ changed: ['goal'] });
  expect(nodeB(p)).toMatchObject({ title: 'B', goal: 'from stdin\n', acceptance: [] });
  const same = await p.run('edit', 'b', '--title', 'B', '--json');
  const nothing: unknown = JSON.parse(same.out);
  expectOutput('edit', nothing);
  expect(nothing).toMatchObject({ changed: [], commit: null });
});

describe('refused, with nothing changed', () => {
  test.each([
    [['a', '--title', 'x'], 1, 'NODE_CLOSED', 'cannot be changed'],
    [['c', '--title', 'x'], 1, 'NODE_UNKNOWN', "no node 'c'"],
    [['b', '--title', ' '], 64, 'USAGE', 'needs a title'],
    [['b'], 64, 'USAGE', '--title, --goal, --acceptance or --from-file'],
    [['b', '--no-input'], 64, 'USAGE', '--no-input'],
    [['b', '--from-file', 'none.json'], 64, 'USAGE', 'there is no file'],
    [['b', '--from-file', 'README.md', '--title', 'x'], 64, 'USAGE', 'cannot be combined'],
    [['b', '--from-file', '.runner-script.json'], 64, 'USAGE', 'unknown key "version"'],
  ])('%j', async (args, exit, code, words) => {
    const p = await started();
    const head = await p.git('rev-parse', 'HEAD');
    const ran = await p.run('edit', ...args);
    expect(ran).toMatchObject({ code: exit, out: '' });
    const refusal = readRefusal(ran);
    expect(refusal.code).toBe(code);
    expect(refusal.message).toContain(words);
    expect(await p.git('rev-parse', 'HEAD')).toBe(head);
    expect(await p.status()).toBe('');
  });

  test('inside a session and with a tree that is not committed', async () => {
    const p = await started();
    const inside = { RUNNER_RUN_ID: 'test', RUNNER_WORK_TREE: p.top };
    expect((await refused(p, ['edit', 'b', '--title', 'x'], inside)).code).toBe('NESTED');
    p.put('.runner/state/tree.json', JSON.stringify(tree));
    expect((await refused(p, ['edit', 'b', '--title', 'x'])).code).toBe('GIT_DIRTY');
  });
});

describe('in an editor', () => {
  /** `script` gives the runner a terminal; the editor is a shell script. */
  async function editWith(p: Project, commands: string) {
    const editor = join(p.base, 'editor');
    writeFileSync(editor, `#!/bin/sh\n${commands}\n`);
    chmodSync(editor, 0o755);
    const command = `'${process.execPath}' '${entryFile}' edit b`;
    return execa('script', ['-qec', command, '/dev/null'], {
      cwd: p.dir,
      env: { ...p.env, VISUAL: `'${editor}' --wait`, EDITOR: 'false', TERM: 'xterm' },
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
    });
  }

  test('the form is edited and committed, and gone', async () => {
    const p = await started();
    const ran = await editWith(
      p,
      `cp "$2" ../seen; sed -i 's/^goal: .*/goal: "better"/' "$2"; [ -t 0 ] && [ "$1" = --wait ]`,
    );
    expect(ran.exitCode, ran.stdout).toBe(0);
    expect(ran.stdout).toContain('edit: run=test node=b changed=goal commit=');
    expect(nodeB(p)).toMatchObject({ goal: 'better', acceptance: ['old'] });
    expect(p.read('../seen')).toContain('title: b title\ngoal: b goal\nacceptance:\n  - old\n');
    expect(existsSync(join(p.top, '.git/runner/edit-b.yaml'))).toBe(false);
    expect(existsSync(join(p.top, '.git/runner/lock'))).toBe(false);
  });

  test('a form left as it is, or emptied, changes nothing', async () => {
    const p = await started();
    for (const commands of ['exit 0', ': > "$2"']) {
      const ran = await editWith(p, commands);
      expect(ran.exitCode, ran.stdout).toBe(0);
      expect(ran.stdout).toContain('edit: run=test node=b changed=none commit=none');
    }
    expect((await p.subjects())[0]).toBe('chore(loop): start run test');
  });

  test('a form that cannot be read, or an editor that fails, loses no text', async () => {
    const p = await started();
    const broken = await editWith(p, `echo 'goal: [my long text' > "$2"`);
    expect(broken.exitCode).toBe(64);
    expect(broken.stdout).toContain('the form cannot be read');
    const kept = join(p.top, '.git/runner/edit-b.yaml');
    expect(broken.stdout).toContain(`runner edit b --from-file ${kept}`);
    const failed = await editWith(p, `echo 'goal: other' > "$2"; exit 3`);
    expect(failed.exitCode).toBe(64);
    expect(failed.stdout).toContain('exit code 3');
    expect(failed.stdout).toContain('.git/runner/quarantine/edit/edit-b.yaml');
    expect(p.read('.git/runner/quarantine/edit/edit-b.yaml')).toBe('goal: [my long text\n');
    expect((await p.run('edit', 'b', '--from-file', kept)).out).toContain('changed=goal');
    expect(nodeB(p)).toMatchObject({ goal: 'other' });
  });
});

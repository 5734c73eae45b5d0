import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runScriptedAgent } from '../../../src/adapters/agents/scripted-agent.ts';
import type { ScriptStep } from '../../../src/core/agents/script.ts';
import { scratchFolder } from '../../support/scratch.ts';

interface Played {
  readonly code: number;
  readonly printed: readonly string[];
  readonly project: string;
  readonly answer: string | null;
}

async function play(
  steps: readonly ScriptStep[] | string,
  step = 1,
  project = scratchFolder(),
): Promise<Played> {
  const scriptFile = join(project, 'script.json');
  const outputFile = join(project, 'answer.json');
  mkdirSync(join(project, '.runner/state'), { recursive: true });
  writeFileSync(join(project, '.runner/state/tree.json'), '{"id":"root","children":[]}');
  writeFileSync(scriptFile, typeof steps === 'string' ? steps : JSON.stringify({ version: 1, steps }));
  const printed: string[] = [];
  const code = await runScriptedAgent({
    scriptFile,
    step,
    projectDir: project,
    outputFile,
    env: process.env,
    write: (stream, text) => printed.push(`${stream}: ${text}`),
  });
  return { code, printed, project, answer: existsSync(outputFile) ? readFileSync(outputFile, 'utf8') : null };
}

test('[ancestor: executor execute_and_load_reads_output] carries the actions out in order and answers', async () => {
  const played = await play(
    [
      { actions: [{ exit: 9 }] },
      {
        actions: [
          { write: { path: 'a/b.txt', content: 'one\n' } },
          { append: { path: 'a/b.txt', content: 'two\n' } },
          { append: { path: 'new.txt', content: 'x' } },
          { write: { path: 'gone/x', content: '' } },
          { delete: 'gone' },
          { delete: 'never-there' },
          { print: 'hello\n' },
          { print_error: 'oops\n' },
          { sleep_ms: 1 },
          {
            tree: {
              edits: [
                { id: 'root', add: [{ id: 'c' }] },
                { id: 'c', set: { title: 't' } },
              ],
            },
          },
        ],
        answer: { status: 'done', summary: 's' },
      },
    ],
    2,
  );
  expect(played.code).toBe(0);
  expect(played.printed).toEqual(['stdout: hello\n', 'stderr: oops\n']);
  expect(readFileSync(join(played.project, 'a/b.txt'), 'utf8')).toBe('one\ntwo\n');
  expect(readFileSync(join(played.project, 'new.txt'), 'utf8')).toBe('x');
  expect(existsSync(join(played.project, 'gone'))).toBe(false);
  expect(JSON.parse(readFileSync(join(played.project, '.runner/state/tree.json'), 'utf8'))).toEqual({
    id: 'root',
    children: [{ id: 'c', title: 't' }],
  });
  expect(played.answer).toBe('{\n  "status": "done",\n  "summary": "s"\n}\n');
});

test('raw trees and raw answers are written as they are', async () => {
  const text = await play([{ actions: [{ tree: { text: '{ "x' } }], answer: 'not json' }]);
  expect(readFileSync(join(text.project, '.runner/state/tree.json'), 'utf8')).toBe('{ "x');
  expect(text.answer).toBe('not json');
  const json = await play([{ actions: [{ tree: { json: { id: 1 } } }], answer: null }]);
  expect(readFileSync(join(json.project, '.runner/state/tree.json'), 'utf8')).toBe('{\n  "id": 1\n}\n');
  expect(json.answer).toBeNull();
});

test('exit ends the actions; the answer is still given', async () => {
  const played = await play([{ actions: [{ exit: 3 }, { print: 'never' }], answer: 'x' }]);
  expect(played).toMatchObject({ code: 3, printed: [], answer: 'x' });
});

test('[ancestor: executor execute_and_load_errors_on_missing_output] beyond the end: a message and exit code 1', async () => {
  expect(await play([{ actions: [] }], 2)).toMatchObject({
    code: 1,
    printed: ['stderr: scripted agent: the script has 1 steps; there is no step 2\n'],
    answer: null,
  });
});

test('what cannot be played is told', async () => {
  const bad = await play('{"version":1,"steps":[{"actions":[{"delete":"../x"}]}]}');
  expect(bad.code).toBe(1);
  expect(bad.printed.join('')).toContain("the path '../x' is not inside the project folder");
  const edit = await play([{ actions: [{ tree: { edits: [{ remove: 'zz' }] } }] }]);
  expect(edit).toMatchObject({
    code: 1,
    printed: ["stderr: scripted agent: cannot edit tree.json: the tree has no node 'zz'\n"],
  });
  const broken = await play([{ actions: [{ tree: { text: '{' } }, { tree: { edits: [] } }] }]);
  expect(broken.code).toBe(1);
  const folder = await play([
    { actions: [{ write: { path: 'script.json/x', content: '' } }], answer: 'never' },
  ]);
  expect(folder).toMatchObject({ code: 1, answer: null });
});

function gitIn(folder: string, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=T', '-c', 'user.email=t@t.invalid', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8' });
}

/** A repository, and a patch of what a session might do in it: bytes, an executable bit, a new file, one that goes. */
function patchedProject(): { readonly project: string; readonly patch: string } {
  const project = scratchFolder();
  const patch = join(scratchFolder(), '1.patch');
  gitIn(project, 'init', '-q', '-b', 'main');
  writeFileSync(join(project, 'data.bin'), Buffer.from([0, 1, 2, 255]));
  writeFileSync(join(project, 'gone.txt'), 'gone\n');
  writeFileSync(join(project, 'run.sh'), 'true\n');
  gitIn(project, 'add', '-A');
  gitIn(project, 'commit', '-q', '-m', 'first');
  writeFileSync(join(project, 'data.bin'), Buffer.from([0, 255, 7]));
  rmSync(join(project, 'gone.txt'));
  chmodSync(join(project, 'run.sh'), 0o755);
  writeFileSync(join(project, 'new.txt'), 'trailing blank \n');
  gitIn(project, 'add', '-A');
  writeFileSync(patch, gitIn(project, 'diff', '--binary', '--full-index', '--cached'));
  gitIn(project, 'reset', '-q', '--hard');
  return { project, patch };
}

test('a patch is applied to the files and to nothing else of git', async () => {
  const { project, patch } = patchedProject();
  const played = await play([{ actions: [{ apply_patch: patch }], answer: 'x' }], 1, project);
  expect(played).toMatchObject({ code: 0, printed: [], answer: 'x' });
  expect(readFileSync(join(project, 'data.bin'))).toEqual(Buffer.from([0, 255, 7]));
  expect(existsSync(join(project, 'gone.txt'))).toBe(false);
  expect(statSync(join(project, 'run.sh')).mode & 0o777).toBe(0o755);
  expect(readFileSync(join(project, 'new.txt'), 'utf8')).toBe('trailing blank \n');
  expect(gitIn(project, 'diff', '--cached', '--name-only')).toBe('');
});

test('the file of a patch is relative to the script, and an empty one changes nothing', async () => {
  const { project, patch } = patchedProject();
  writeFileSync(join(project, 'beside.patch'), readFileSync(patch));
  writeFileSync(join(project, 'empty.patch'), '');
  const actions = [{ apply_patch: 'empty.patch' }, { apply_patch: './beside.patch' }];
  expect(await play([{ actions }], 1, project)).toMatchObject({ code: 0, printed: [] });
  expect(existsSync(join(project, 'new.txt'))).toBe(true);
});

test.each([
  ['that does not apply', (patch: string) => patch, /No such file or directory/],
  ['that is not there', (patch: string) => `${patch}.gone`, /ENOENT/],
])('a patch %s makes the session fail and changes nothing', async (_what, fileOf, message) => {
  const { project, patch } = patchedProject();
  writeFileSync(join(project, 'run.sh'), 'another\n');
  rmSync(join(project, 'data.bin'));
  const steps = [{ actions: [{ apply_patch: fileOf(patch) }], answer: 'never' }];
  const played = await play(steps, 1, project);
  expect(played).toMatchObject({ code: 1, answer: null });
  expect(played.printed.join('')).toMatch(message);
  expect(existsSync(join(project, 'gone.txt'))).toBe(true);
  expect(existsSync(join(project, 'new.txt'))).toBe(false);
});

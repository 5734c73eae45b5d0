import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runScriptedAgent } from '../../src/adapters/scripted-agent.ts';
import type { ScriptStep } from '../../src/core/script.ts';
import { scratchFolder } from '../support/scratch.ts';

interface Played {
  readonly code: number;
  readonly printed: readonly string[];
  readonly project: string;
  readonly answer: string | null;
}

async function play(steps: readonly ScriptStep[] | string, step = 1): Promise<Played> {
  const project = scratchFolder();
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

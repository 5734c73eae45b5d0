/** What an editor says about a script of the scripted agent: the JSON language service of VS Code, with the schema that `init` wrote. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { TextDocument, getLanguageService } from 'vscode-json-languageservice';
import { answer, project, repositoryRoot, write } from '../support/project.ts';

async function openEditor() {
  const p = await project();
  const asked: string[] = [];
  const service = getLanguageService({
    workspaceContext: { resolveRelativePath: (path, from) => new URL(path, from).href },
    schemaRequestService: (url) => {
      asked.push(url);
      return readFile(fileURLToPath(url), 'utf8');
    },
  });
  const open = (value: unknown) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
    const uri = pathToFileURL(join(p.dir, 'script.json')).href;
    const document = TextDocument.create(uri, 'json', 1, text);
    const json = service.parseJSONDocument(document);
    const at = (mark: string) => document.positionAt(text.indexOf(mark) + mark.length);
    return {
      problems: async () =>
        (await service.doValidation(document, json)).map(
          ({ message, range }) => `${range.start.line + 1}: ${JSON.stringify(message)}`,
        ),
      complete: async (mark: string) =>
        (await service.doComplete(document, at(mark), json))?.items.map(({ label }) => label) ?? [],
      hover: async (mark: string) => JSON.stringify(await service.doHover(document, at(mark), json)),
    };
  };
  return { p, open, asked };
}

const $schema = './.runner/state/script.schema.json';

describe('a script in an editor', () => {
  test('a good one is in order, there and for the runner', async () => {
    const { p, open, asked } = await openEditor();
    const script = {
      $schema,
      version: 1,
      steps: [{ actions: [write('a.txt', 'a\n'), { print: 'hello\n' }], answer: answer('done') }],
    };
    expect(await open(script).problems()).toEqual([]);
    expect(asked).toEqual([pathToFileURL(join(p.dir, '.runner/state/script.schema.json')).href]);
    p.put('.runner-script.json', `${JSON.stringify(script)}\n`);
    await p.commitAll();
    expect((await p.run('step')).out).toBe('step: run=test iter=1 node=root status=done guard=pass');
  });

  test('wrong types, unknown keys and missing keys are reported at their lines', async () => {
    const { open } = await openEditor();
    const lines = [
      '{',
      `  "$schema": "${$schema}",`,
      '  "version": 2,',
      '  "steps": [',
      '    { "actions": [',
      '      { "wriet": { "path": "a", "content": "b" } },',
      '      { "sleep_ms": "long" },',
      '      { "append": { "path": "a" } }',
      '    ] }',
      '  ]',
      '}',
    ];
    const problems = await open(lines.join('\n')).problems();
    expect(problems.map((line) => line.split(':')[0])).toEqual(['3', '6', '7', '8']);
    expect(problems.join('\n')).toMatch(/6: .*wriet.*\n7: .*integer.*\n8: .*content/);
  });

  test('keys are offered, and a key explains itself', async () => {
    const { open } = await openEditor();
    const text = `{ "$schema": "${$schema}", "version": 1, "steps": [ { "actions": [ { "" } ], "n" } ] }`;
    const editor = open(text);
    expect(await editor.complete('"actions": [ { "')).toEqual(
      expect.arrayContaining([
        'write',
        'append',
        'delete',
        'apply_patch',
        'tree',
        'print',
        'print_error',
        'sleep_ms',
        'exit',
      ]),
    );
    expect(await editor.complete('], "n')).toEqual(expect.arrayContaining(['note', 'answer']));
    expect(await editor.hover('"act')).toContain('Carried out in order');
  });

  test('every key of the schema is described', async () => {
    const text = await readFile(join(repositoryRoot, 'schemas/script/v1.schema.json'), 'utf8');
    const bare: string[] = [];
    const look = (node: unknown, path: string): void => {
      if (typeof node !== 'object' || node === null) return;
      for (const [name, value] of Object.entries(node)) {
        if (path.endsWith('/properties') && !/"description"|"\$ref"/.test(JSON.stringify(value)))
          bare.push(`${path}/${name}`);
        look(value, `${path}/${name}`);
      }
    };
    look(JSON.parse(text), '');
    expect(bare).toEqual([]);
  });
});

/** What an editor says about a case file: a real TOML language server, the shipped schema, no network. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { caseText } from '../support/eval-samples.ts';
import { repositoryRoot, tempFolder } from '../support/project.ts';
import { saidBy, startTomlServer } from '../support/toml-server.ts';

const head = '#:schema ./eval_case.schema.json\n';

async function openEditor() {
  const dir = tempFolder('cases');
  const schema = readFileSync(join(repositoryRoot, 'schemas/eval_case/v1.schema.json'), 'utf8');
  writeFileSync(join(dir, 'eval_case.schema.json'), schema);
  return { server: await startTomlServer(dir), file: join(dir, 'case.toml') };
}

describe('a case file in an editor', () => {
  test('one that is in order is', async () => {
    const { server, file } = await openEditor();
    const more = [
      'tags = ["js"]',
      '[config]',
      'max_iterations = 30',
      '[config.guard]',
      'command = ["node", "--test"]',
      '[files]',
      '"src/x.js" = ""',
      '[[checks]]',
      'type = "file_contains"',
      'path = "a"',
      'pattern = "^b"',
      '[[checks]]',
      'type = "tree"',
      'passes = true',
      '',
    ].join('\n');
    expect(await server.open(file, `${head}${caseText({ more })}`)).toEqual([]);
  });

  test('wrong ids, bounds, words and unknown keys are refused at their lines', async () => {
    const { server, file } = await openEditor();
    const lines = [
      head.trimEnd(),
      '[case]',
      'id = "Not An Id"',
      'gaol = "x"',
      'goal = "x"',
      '[config]',
      'max_iterations = 0',
      '[agent]',
      'name = "codx"',
      '[[checks]]',
      'type = "file_exist"',
      'path = "a"',
    ];
    const found = await server.open(file, lines.join('\n'));
    const saidAt = saidBy(found);
    expect(saidAt(2)).toContain('"Not An Id" does not match');
    expect(saidAt(1)).toContain("'gaol' was unexpected");
    expect(saidAt(6)).toContain('0 is less than the minimum of 1');
    expect(saidAt(8)).toContain('"codx" is not one of ["codex","claude"');
    expect(saidAt(10)).toContain('is not valid under any of the schemas');
  });

  test('keys and words are offered, and a key explains itself', async () => {
    const { server, file } = await openEditor();
    const text = `${head}[case]\nid = "a"\n\n[config]\non_stuck = "stop"\n\n[[checks]]\ntype = "tree"\n\n`;
    await server.open(file, text);
    const offered = async (line: number, character = 0): Promise<readonly string[]> =>
      (await server.complete({ line, character })).map(({ label }) => label);
    const ofCase = await offered(3);
    expect(ofCase).toEqual(
      expect.arrayContaining(['goal', 'tags', 'timeout_secs', 'requires', 'description']),
    );
    expect(ofCase).not.toContain('id');
    expect(await offered(6)).toEqual(expect.arrayContaining(['max_iterations', 'justfile', 'guard']));
    expect(await offered(5, 12)).toEqual(expect.arrayContaining(['"stop"', '"defer"', '"decompose"']));
    expect(await offered(9)).toEqual(expect.arrayContaining(['passes', 'min_nodes', 'max_depth', 'cmd']));
    expect(await offered(8, 8)).toEqual(expect.arrayContaining(['"file_exists"', '"tree"']));
    expect(await server.hover({ line: 2, character: 1 })).toContain('name of the case');
  });
});

/** What an editor says about `.runner/state/config.toml`: a real TOML language server, the file and schema that `init` wrote, no network. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bareProject } from '../support/project.ts';
import { saidBy, startTomlServer } from '../support/toml-server.ts';

async function openEditor() {
  const p = await bareProject();
  expect((await p.run('init')).code).toBe(0);
  const file = join(p.dir, '.runner/state/config.toml');
  const server = await startTomlServer(p.dir);
  return { server, file, made: p.read('.runner/state/config.toml') };
}

describe('config.toml in an editor', () => {
  test('the file of init is in order, as it is and with every line switched on', async () => {
    const { server, file, made } = await openEditor();
    expect(await server.open(file, made)).toEqual([]);
    const full = made.replaceAll(/^# (\w+ = )/gm, '$1');
    expect(full).toMatch(/^max_cost_usd = 25\.0$/m);
    const other = await openEditor();
    expect(await other.server.open(other.file, full)).toEqual([]);
  });

  test('wrong types, bounds and words are reported at their lines, unknown keys with their name', async () => {
    const { server, file } = await openEditor();
    const lines = [
      '#:schema ./config.schema.json',
      'max_iterations = "many"',
      'prompt_budget_bytes = 10',
      'on_stuck = "panic"',
      '[agent]',
      'name = "codx"',
      'extra_args = "-v"',
      '[guard]',
      'command = []',
      'comand = ["just", "ci"]',
    ];
    const found = await server.open(file, lines.join('\n'));
    const saidAt = saidBy(found);
    expect(saidAt(1)).toContain('"many" is not of type "integer"');
    expect(saidAt(2)).toContain('10 is less than the minimum of 1000');
    expect(saidAt(3)).toContain('"panic" is not one of ["stop","defer","decompose"]');
    expect(saidAt(5)).toContain('"codx" is not one of ["codex","claude"');
    expect(saidAt(6)).toContain('"-v" is not of type "array"');
    expect(saidAt(8)).toContain('[] has less than 1 item');
    // This server puts an unknown key at the head of its table.
    expect(saidAt(7)).toContain("'comand' was unexpected");
  });

  test('keys and words are offered, and a key explains itself', async () => {
    const { server, file } = await openEditor();
    await server.open(
      file,
      '#:schema ./config.schema.json\non_stuck = "stop"\n\n[agent]\nname = "codex"\n\n',
    );
    const keys = (await server.complete({ line: 5, character: 0 })).map(({ label }) => label);
    expect(keys).toEqual(expect.arrayContaining(['model', 'max_wait_secs', 'permissions']));
    expect(keys).not.toContain('name');
    const names = (await server.complete({ line: 4, character: 8 })).map(({ label }) => label);
    expect(names).toEqual(expect.arrayContaining(['"codex"', '"claude"', '"scripted"']));
    expect(await server.hover({ line: 1, character: 2 })).toContain('When a leaf has used up its attempts');
  });
});

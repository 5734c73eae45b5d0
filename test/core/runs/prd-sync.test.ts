/** What became of imported tasks goes back where they came from (§12). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseTasks } from '../../../src/core/runs/import-tasks.ts';
import { syncPrd } from '../../../src/core/runs/prd-sync.ts';
import { node } from '../../support/trees.ts';
import { board } from '../../support/board.ts';

describe('back into the PRD', () => {
  const found = parseTasks(board, 'prd.json');
  const [cart, pay] = found.ok ? found.tasks : [];
  const imported = (id: string, goal: string | undefined, passes: boolean) =>
    node(id, { goal: String(goal), passes });
  const tree = node('root', {
    children: [
      imported('root.1', cart?.goal, true),
      { ...imported('root.2', pay?.goal, false), children: [node('root.2.1')] },
      node('root.3', { goal: 'own' }),
      node('root.4', { goal: 'x\n\nImported from prd.json: gone' }),
    ],
  });
  const sync = (failures: readonly [string, string][], of = tree, text = board) =>
    syncPrd({ text, tree: of, runId: 'shop', failures: new Map(failures) });

  test('status, notes and run change; every other byte stays', () => {
    expect(sync([['root.2.1', 'guard failed:\n"x"']])).toEqual({
      ok: true,
      text: board
        .replace(
          '"status": "todo", "tags": [1.50, 2]',
          '"status": "review", "tags": [1.50, 2], "lastRun": "shop"',
        )
        .replace('"old"', '"guard failed:\\n\\"x\\""')
        .replace('"last_run": null', '"last_run": "shop"'),
      synced: [
        { source_id: 'T-1', node_ids: ['root.1'], status: 'review' },
        { source_id: '2', node_ids: ['root.2'], status: 'in_progress' },
      ],
      missing: ['gone'],
    });
  });

  test('a new key stands below the last one, and passes where it was', () => {
    const text = '[\r\n\t{\r\n\t\t"id": "a",\r\n\t\t"passes": false\r\n\t}\r\n]';
    const of = imported('root', 'x\n\nImported from p.json: a', false);
    const result = sync([['root', 'why']], of, text);
    expect(result).toMatchObject({
      text: '[\r\n\t{\r\n\t\t"id": "a",\r\n\t\t"passes": false,\r\n\t\t"status": "in_progress",\r\n\t\t"failureNotes": "why",\r\n\t\t"lastRun": "shop"\r\n\t}\r\n]',
    });
    const passed = sync([['root', 'why']], { ...of, passes: true }, (result as { text: string }).text);
    expect(JSON.parse((passed as { text: string }).text)).toEqual([
      { id: 'a', passes: true, status: 'review', failureNotes: null, lastRun: 'shop' },
    ]);
  });

  test('a task that was imported twice is finished when both are', () => {
    const twice = node('root', {
      children: [imported('a', cart?.goal, true), imported('b', cart?.goal, false)],
    });
    expect(sync([], twice)).toMatchObject({ synced: [{ node_ids: ['a', 'b'], status: 'in_progress' }] });
  });

  test.each(['{', '{"tasks": 1}', '3'])('%s is refused', (text) => {
    expect(sync([], tree, text)).toMatchObject({ ok: false });
  });

  test('for any JSON of tasks: what is not ours reads as before', () => {
    const task = fc.record({
      id: fc.constantFrom('a', 'b', 'c'),
      note: fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant({ deep: null }))),
      '': fc.string(),
    });
    fc.assert(
      fc.property(
        fc.array(task),
        fc.constantFrom(undefined, 2, '\t'),
        fc.boolean(),
        (tasks, indent, passes) => {
          const text = JSON.stringify({ tasks }, null, indent);
          const result = sync([], imported('root', 'x\n\nImported from p: b', passes), text);
          if (!result.ok) throw new Error(result.message);
          const at = tasks.findIndex(({ id }) => id === 'b');
          const status = passes ? 'review' : 'in_progress';
          const wanted = tasks.map((one, index) =>
            index === at ? { ...one, status, lastRun: 'shop' } : one,
          );
          expect(JSON.parse(result.text)).toEqual(JSON.parse(JSON.stringify({ tasks: wanted })));
        },
      ),
    );
  });
});

/** Tasks of other tools become texts of nodes (§12), and what became of them goes back where it came from. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseTasks, sourceIdOf } from '../../../src/core/runs/import-tasks.ts';
import { syncPrd } from '../../../src/core/runs/prd-sync.ts';
import { node } from '../../support/trees.ts';

const board = `{
    "project": "Shop",
    "tasks": [
        {"id": "T-1", "title": "Cart", "description": "A cart.\\nWith items.", "status": "todo", "tags": [1.50, 2]},
        {
            "id": 2,
            "title": "Pay",
            "status": "in_progress",
            "acceptanceCriteria": ["card", "cash"],
            "failure_notes": "old",
            "last_run": null,
            "passes": false
        },
        { "id": "T-3", "title": "Done", "status": "done" },
        { "title": "No id" }
    ]
}
`;

describe('JSON', () => {
  test('a board: open tasks in their order, with their ids as a note', () => {
    expect(parseTasks(board, 'prd.json')).toEqual({
      ok: true,
      tasks: [
        {
          source_id: 'T-1',
          title: 'Cart',
          goal: 'A cart.\nWith items.\n\nImported from prd.json: T-1',
          acceptance: [],
        },
        {
          source_id: '2',
          title: 'Pay',
          goal: 'Pay\n\nImported from prd.json: 2',
          acceptance: ['card', 'cash'],
        },
        { source_id: null, title: 'No id', goal: 'No id', acceptance: [] },
      ],
      left_out: [{ source_id: 'T-3', title: 'Done', why: 'status done' }],
    });
  });

  test('user stories that pass are left out; a description can be the title', () => {
    const stories = [
      { id: 'US-1', description: 'As a user\nI log in', steps: ['open', 'type'], passes: false },
      { id: 'US-2', title: 'Old', passes: true },
    ];
    const found = parseTasks(JSON.stringify({ userStories: stories }), 'notes.txt');
    expect(found).toMatchObject({
      tasks: [{ title: 'As a user', acceptance: ['open', 'type'] }],
      left_out: [{ source_id: 'US-2', why: 'passes' }],
    });
    expect(parseTasks(JSON.stringify(stories), 'a.JSON')).toMatchObject({
      ok: true,
      tasks: [{ source_id: 'US-1' }],
    });
  });

  test.each([
    ['{', /line 1/],
    ['{"stories": []}', /no list "userStories" or "tasks"/],
    ['{"tasks": [{"title": "a"}, {"id": ""}]}', /entry 2 has no title/],
    ['{"tasks": [null]}', /entry 1 has no title/],
  ])('%s is refused', (text, message) => {
    expect(parseTasks(text, 'prd.json')).toMatchObject({
      ok: false,
      message: expect.stringMatching(message) as string,
    });
  });
});

describe('Markdown', () => {
  test('a checklist: outermost items, what is indented belongs to them', () => {
    const text = `# Plan
\`\`\`
- [ ] only an example
\`\`\`
- [ ] First thing
  It needs care.
  - [x] has a test
  - and a page

  \`\`\`
  - code
  \`\`\`
1. [x] Old thing
   with text
Some text in between.
  - stray
* [X] Older
- [ ] Last  `;
    expect(parseTasks(text, 'todo.md')).toEqual({
      ok: true,
      tasks: [
        {
          source_id: null,
          title: 'First thing',
          goal: 'It needs care.\n\n```\n- code\n```',
          acceptance: ['has a test', 'and a page'],
        },
        { source_id: null, title: 'Last', goal: 'Last', acceptance: [] },
      ],
      left_out: [
        { source_id: null, title: 'Old thing', why: 'checked' },
        { source_id: null, title: 'Older', why: 'checked' },
      ],
    });
  });

  test('headings: the highest level that is there more than once', () => {
    const text =
      '# Product\nintro\n## Login\nUsers log in.\n- works\n### Detail\nmore\n## [x] Old\n# Appendix\n## Last ##\n##  \n';
    expect(parseTasks(text, 'prd.md')).toMatchObject({
      tasks: [
        { title: 'Product', goal: expect.stringContaining('intro') as string, acceptance: ['works'] },
        { title: 'Appendix' },
      ],
    });
    expect(parseTasks(text.replace('# Appendix\n', ''), 'prd.md')).toEqual({
      ok: true,
      tasks: [
        { source_id: null, title: 'Login', goal: 'Users log in.\n### Detail\nmore', acceptance: ['works'] },
        { source_id: null, title: 'Last', goal: 'Last', acceptance: [] },
      ],
      left_out: [{ source_id: null, title: 'Old', why: 'checked' }],
    });
    const parts = '# A\n## One\ntext\n# B\n## Two\n';
    expect(parseTasks(parts, 'x.md')).toMatchObject({ tasks: [{ title: 'A' }, { title: 'B' }] });
    expect(parseTasks('# Title\n## Only task\n', 'x.md')).toMatchObject({ tasks: [{ title: 'Only task' }] });
    expect(parseTasks('# Title\n### A\n## B\n### C\n', 'x.md')).toMatchObject({
      tasks: [{ title: 'A' }, { title: 'C' }],
    });
  });

  test('neither', () => {
    expect(parseTasks('only words', 'x.md')).toMatchObject({ ok: false });
  });

  test('no text makes it throw', () => {
    const line = fc.constantFrom(
      '- [ ] a',
      '  - [x] b',
      '# c',
      '## d',
      '```',
      'text',
      '  - e',
      '',
      '## [x]  ',
    );
    fc.assert(
      fc.property(fc.array(line), fc.string(), (lines, more) => {
        const found = parseTasks([...lines, more].join('\n'), 'a.md');
        expect(found.ok ? found.tasks.every(({ title, goal }) => title !== '' && goal !== '') : true).toBe(
          true,
        );
      }),
    );
  });
});

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

  test('the note is found only at the end of a goal', () => {
    expect(sourceIdOf({ goal: 'Imported from a: b\nmore' })).toBeNull();
    expect(sourceIdOf({ goal: 'x\n\nImported from a: b: c' })).toBe('c');
  });
});

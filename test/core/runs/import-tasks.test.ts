/** Tasks of other tools become texts of nodes (§12). */
import { describe, expect, test } from 'vitest';
import { parseTasks, sourceIdOf } from '../../../src/core/runs/import-tasks.ts';
import { board } from '../../support/board.ts';

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

test('the note is found only at the end of a goal', () => {
  expect(sourceIdOf({ goal: 'Imported from a: b\nmore' })).toBeNull();
  expect(sourceIdOf({ goal: 'x\n\nImported from a: b: c' })).toBe('c');
});

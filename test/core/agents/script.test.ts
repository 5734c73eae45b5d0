import { describe, expect, test } from 'vitest';

import { applyTreeEdits, parseScript } from '../../../src/core/agents/script.ts';
import type { TreeEdit } from '../../../src/core/agents/script.ts';
import type { JsonValue } from '../../../src/core/text/strict-json.ts';

function parse(value: unknown): ReturnType<typeof parseScript> {
  return parseScript({ kind: 'text', text: JSON.stringify(value) });
}

function problems(value: unknown): readonly string[] {
  const parsed = parse(value);
  return parsed.ok ? [] : parsed.problems;
}

function withActions(...actions: readonly unknown[]): unknown {
  return { version: 1, steps: [{ actions }] };
}

describe('parseScript', () => {
  test('takes every action and every kind of answer', () => {
    const script = {
      version: 1,
      steps: [
        {
          note: 'all of them',
          actions: [
            { write: { path: 'a/b.txt', content: 'x' } },
            { append: { path: './.runner/state/feedback.md', content: 'y' } },
            { delete: 'a' },
            { apply_patch: '../patches/1.patch' },
            { tree: { text: '{' } },
            { tree: { json: [1, null] } },
            {
              tree: {
                edits: [{ id: 'root', set: { title: 't' } }, { id: 'root', add: [{}] }, { remove: 'x' }],
              },
            },
            { print: 'p' },
            { print_error: 'e' },
            { sleep_ms: 0 },
            { exit: 255 },
          ],
          answer: { status: 'done' },
        },
        { actions: [], answer: 'raw' },
        { actions: [], answer: null },
        { actions: [] },
      ],
    };
    expect(parse(script)).toEqual({ ok: true, script });
  });

  test.each([
    [{ kind: 'missing' } as const, 'there is no such file'],
    [{ kind: 'unreadable', message: 'is a folder' } as const, 'is a folder'],
    [{ kind: 'too_large', bytes: 9, bytesMax: 5 } as const, 'the file has 9 bytes, more than 5'],
    [{ kind: 'text', text: '{"version":1,}' } as const, /^line 1, column 13: /],
  ])('%j', (source, message) => {
    const parsed = parseScript(source);
    expect(parsed.ok ? '' : parsed.problems.join('\n')).toMatch(message);
  });

  test.each([
    [
      {},
      ["(script): must have required property 'steps'", "(script): must have required property 'version'"],
    ],
    [{ version: 2, steps: [] }, ['/version: must be equal to constant']],
    [
      { version: 1, steps: [{ action: [] }] },
      [
        "/steps/0: must NOT have additional properties ('action')",
        "/steps/0: must have required property 'actions'",
      ],
    ],
    [withActions({}), ['/steps/0/actions/0: must NOT have fewer than 1 properties']],
    [withActions({ print: 'a', exit: 1 }), ['/steps/0/actions/0: must NOT have more than 1 properties']],
    [withActions({ exit: 256 }), ['/steps/0/actions/0/exit: must be <= 255']],
    [withActions({ sleep_ms: 1.5 }), ['/steps/0/actions/0/sleep_ms: must be integer']],
    [
      { version: 1, steps: [{ actions: [], answer: 3 }] },
      ['/steps/0/answer: must be an object, a text or null'],
    ],
    [
      withActions({ tree: { edits: [{ id: 3, set: {} }] } }),
      ['/steps/0/actions/0/tree/edits/0: must be {"id", "set": {…}}, {"id", "add": […]} or {"remove": "id"}'],
    ],
  ])('schema: %j', (value, expected) => {
    expect(problems(value)).toEqual(expected);
  });

  test.each(['/etc/passwd', '..', 'a/../../b', 'a\\..\\b', 'C:\\x', '\\x', '', '.', '../', 'a\u0000'])(
    'path %j leaves the project',
    (path) => {
      const message = `the path '${path}' is not inside the project folder`;
      expect(
        problems(
          withActions({ write: { path, content: '' } }, { append: { path, content: '' } }, { delete: path }),
        ),
      ).toEqual([
        `/steps/0/actions/0: ${message}`,
        `/steps/0/actions/1: ${message}`,
        `/steps/0/actions/2: ${message}`,
      ]);
    },
  );

  test.each(['a', 'a/b', './a', '.git/x', 'a..b', '...', 'a/./b'])('path %j is inside', (path) => {
    expect(problems(withActions({ delete: path }))).toEqual([]);
  });
});

describe('applyTreeEdits', () => {
  const tree: JsonValue = {
    id: 'root',
    children: [
      { id: 'a', children: [{ id: 'a1' }, { id: 'a2', children: [] }] },
      7,
      { id: 'b', children: null },
    ],
  };

  test.each<readonly [readonly TreeEdit[], JsonValue]>([
    [[], tree],
    [[{ id: 'root', set: { title: 't', id: 'r' } }], { ...tree, title: 't', id: 'r' }],
    [[{ remove: 'a' }], { id: 'root', children: [7, { id: 'b', children: null }] }],
    [
      [{ remove: 'a1' }, { id: 'a2', set: { goal: 'g' } }],
      {
        id: 'root',
        children: [
          { id: 'a', children: [{ id: 'a2', children: [], goal: 'g' }] },
          7,
          { id: 'b', children: null },
        ],
      },
    ],
    [
      [
        { id: 'b', add: [{ id: 'b1' }, 'x'] },
        { id: 'b1', add: [1] },
      ],
      {
        id: 'root',
        children: [
          { id: 'a', children: [{ id: 'a1' }, { id: 'a2', children: [] }] },
          7,
          { id: 'b', children: [{ id: 'b1', children: [1] }, 'x'] },
        ],
      },
    ],
  ])('%j', (edits, expected) => {
    const before = JSON.stringify(tree);
    expect(applyTreeEdits(tree, edits)).toEqual({ ok: true, tree: expected });
    expect(JSON.stringify(tree)).toBe(before);
  });

  test('says what it does not find', () => {
    expect(applyTreeEdits(tree, [{ remove: 'zz' }])).toEqual({
      ok: false,
      message: "the tree has no node 'zz'",
    });
    expect(applyTreeEdits([], [{ id: 'root', set: {} }])).toEqual({
      ok: false,
      message: "the tree has no node 'root'",
    });
    expect(applyTreeEdits(tree, [{ remove: 'root' }])).toEqual({
      ok: false,
      message: "the root 'root' cannot be removed",
    });
  });

  test('follows any depth', () => {
    let deep: JsonValue = { id: 'leaf', children: [] };
    for (let level = 0; level < 50_000; level += 1) deep = { id: `n${level}`, children: [deep] };
    expect(applyTreeEdits(deep, [{ id: 'leaf', set: { title: 'x' } }]).ok).toBe(true);
  });
});

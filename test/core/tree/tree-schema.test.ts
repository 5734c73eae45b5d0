import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderTree } from '../../../src/core/tree/canonical-json.ts';
import { treeSchemaText } from '../../../src/core/shipped.js';
import { validateTree } from '../../../src/core/tree-validator.js';
import { parseTree, readAgentTree } from '../../../src/core/tree/tree-schema.ts';
import { mapTree, walkTree } from '../../../src/core/tree/tree-walk.ts';
import type { SourceText, TreeNode, Violation } from '../../../src/core/types.ts';
import { arbTree, node } from '../../support/trees.ts';

function textOf(value: unknown): SourceText {
  return { kind: 'text', text: JSON.stringify(value) };
}

function render(violations: readonly Violation[]): string[] {
  return violations.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
}

function refusals(source: SourceText): string[] {
  const parsed = parseTree(source);
  return parsed.ok ? [] : render(parsed.violations);
}

function readAgent(source: SourceText, before: TreeNode = node('root')): string[] {
  const read = readAgentTree({ source, before, maxAttemptsDefault: 5 });
  return read.kind === 'tree' ? ['tree'] : [read.kind, ...render(read.violations)];
}

function chain(length: number): TreeNode {
  let top = node(`n${length}`);
  for (let level = length - 1; level > 0; level -= 1) top = node(`n${level}`, { children: [top] });
  return top;
}

const idRule =
  'id must be 1 to 128 of A-Z a-z 0-9 . _ -, starting with a letter or digit and not ending in a dot';
const nineKeys = [
  'id',
  'order',
  'title',
  'goal',
  'acceptance',
  'passes',
  'attempts',
  'max_attempts',
  'children',
];

describe('parseTree', () => {
  test('[ancestor: tree_store load_and_write_tree_round_trip] what renderTree writes is read back', () => {
    fc.assert(
      fc.property(arbTree(), (tree) => {
        expect(parseTree({ kind: 'text', text: renderTree(tree) })).toStrictEqual({ ok: true, tree });
      }),
    );
  });

  test('sorts siblings and puts keys in the documented order', () => {
    const child = Object.fromEntries(Object.entries(node('a', { order: 1 })).toReversed());
    const parsed = parseTree(textOf({ ...node('root'), children: [child, node('c'), node('b')] }));
    expect(parsed.ok && walkTree(parsed.tree).map(({ path }) => path)).toStrictEqual([
      'root',
      'root/b',
      'root/c',
      'root/a',
    ]);
    expect(parsed.ok && Object.keys(parsed.tree.children[2] ?? {})).toStrictEqual(nineKeys);
  });

  test.each<[SourceText, string]>([
    [{ kind: 'missing' }, 'the file is missing'],
    [{ kind: 'unreadable', message: 'not UTF-8' }, 'the file cannot be read: not UTF-8'],
    [{ kind: 'too_large', bytes: 9, bytesMax: 8 }, 'the file has 9 bytes; at most 8 are allowed'],
    [{ kind: 'text', text: '{"id":"root",\n "id":1}' }, "line 2, column 2: duplicate key 'id'"],
    [{ kind: 'text', text: '' }, 'line 1, column 1: the text is empty'],
    [{ kind: 'text', text: '['.repeat(300) }, 'line 1, column 257: nested more than 256 levels deep'],
  ])('one violation for %j', (source, message) => {
    expect(parseTree(source)).toStrictEqual({ ok: false, violations: [{ path: '', message }] });
  });

  test.each<[unknown, string[]]>([
    [1, ['(root): must be an object']],
    [null, ['(root): must be an object']],
    [[], ['(root): must be an object']],
    [{}, nineKeys.map((key) => `(root): missing key '${key}'`)],
    [{ ...node('root'), foo: 1 }, ["root: unknown key 'foo'"]],
    [{ ...node('root'), ['\u001b[2J']: 1 }, [String.raw`root: unknown key '\u001b[2J'`]],
    [{ ...node('root'), id: 5 }, ['(root): id must be a string']],
    [{ ...node('root'), id: '' }, [`(root): ${idRule}`]],
    [{ ...node('root'), order: 0.5 }, ['root: order must be a whole number']],
    [
      { ...node('root'), order: null, passes: 1 },
      ['root: order must be a whole number', 'root: passes must be true or false'],
    ],
    [{ ...node('root'), attempts: -1 }, ['root: attempts must be >= 0']],
    [{ ...node('root'), max_attempts: 0 }, ['root: max_attempts must be >= 1']],
    [{ ...node('root'), acceptance: 'x' }, ['root: acceptance must be a list']],
    [
      { ...node('root'), acceptance: ['a', 1, null] },
      ['root: acceptance[1] must be a string', 'root: acceptance[2] must be a string'],
    ],
    [{ ...node('root'), children: null }, ['root: children must be a list']],
    [{ ...node('root'), children: { a: node('a') } }, ['root: children must be a list']],
    [
      { ...node('root'), children: [node('a'), 7, null, [node('b')]] },
      [
        'root/children[1]: must be an object',
        'root/children[2]: must be an object',
        'root/children[3]: must be an object',
      ],
    ],
  ])('says in plain words what the schema refuses: %j', (value, expected) => {
    expect(refusals(textOf(value))).toStrictEqual(expected);
  });

  test('a wrapper around the tree gets one sentence, whatever else it holds', () => {
    const sentence = [expect.stringMatching(/^the tree is wrapped in an object: .* 'root' /)];
    expect(refusals(textOf({ version: 1, root: node('root') }))).toEqual(sentence);
    expect(refusals(textOf({ root: {} }))).toEqual(sentence);
    expect(readAgent(textOf({ version: 1, root: node('root') }))).toEqual(['invalid', ...sentence]);
    expect(refusals(textOf({ root: 1 })).length).toBeGreaterThan(1);
    expect(refusals(textOf({ ...node('root'), root: {} }))).not.toEqual(sentence);
  });

  test('names nodes by the ids on the way, also below a broken one', () => {
    const { goal: _goal, ...withoutGoal } = node('x');
    const api = {
      ...node('api'),
      title: 5,
      children: [withoutGoal, { ...node('y'), id: 7, children: [{ ...node('z'), passes: 'no' }] }],
    };
    expect(refusals(textOf({ ...node('root'), extra: true, children: [node('ok'), api] }))).toStrictEqual([
      "root: unknown key 'extra'",
      'root/api: title must be a string',
      "root/api/x: missing key 'goal'",
      'root/api/children[1]: id must be a string',
      'root/api/children[1]/z: passes must be true or false',
    ]);
  });

  test('says a thing once when two nodes share an id', () => {
    const wrong = { ...node('a'), title: 1 };
    expect(refusals(textOf({ ...node('root'), children: [wrong, wrong] }))).toStrictEqual([
      'root/a: title must be a string',
      'root/a: id is already used by root/a (ids are compared ignoring case)',
    ]);
  });

  test('rules about one node and rules between nodes come at once, as far as they can be asked', () => {
    const wrong = { ...node('a', { attempts: 9 }), foo: 1 };
    expect(refusals(textOf({ ...node('root', { passes: true }), children: [wrong] }))).toStrictEqual([
      "root/a: unknown key 'foo'",
      'root: is passed, but root/a below it is open',
      'root/a: attempts 9 exceeds max_attempts 3',
    ]);
    expect(refusals(textOf({ ...node('root'), children: [{ ...wrong, attempts: 'x' }] }))).toStrictEqual([
      "root/a: unknown key 'foo'",
      'root/a: attempts must be a whole number',
    ]);
    expect(refusals(textOf([]))).toStrictEqual(['(root): must be an object']);
    // A name that is none of ours is told with its own rule alone: others would print it as it is.
    const hostile = { ...node('\u001B[2J', { attempts: 9 }), foo: 1 };
    const told = refusals(textOf({ ...node('root'), children: [hostile] }));
    expect(told).toHaveLength(2);
    expect(told.join('')).not.toMatch(/\p{Cc}/u);
  });

  test.each([
    'a',
    'A.b_c-d',
    '0',
    'x'.repeat(128),
    'a..b',
    'a-',
    'console',
    'com10',
    'com0',
    'con-1',
    'a.con',
    'nulls',
    'constructor',
  ])('the id %s', (id) => {
    expect(refusals(textOf(node(id)))).toStrictEqual([]);
  });

  test.each([
    '-a',
    '.a',
    '_a',
    'a.',
    'a/b',
    'a b',
    'é',
    'a\n',
    'x'.repeat(129),
    '..',
    '1'.repeat(127) + 'a.',
  ])('not the id %j', (id) => {
    expect(refusals(textOf(node(id))).map((line) => line.slice(-idRule.length))).toStrictEqual([idRule]);
  });

  test.each([
    'CON',
    'con',
    'Prn',
    'aux',
    'NUL',
    'com1',
    'COM9',
    'lpt1',
    'Lpt9',
    'con.txt',
    'NUL.tar.gz',
    'com1.a',
  ])('not %s, which Windows reserves', (id) => {
    expect(refusals(textOf(node(id)))).toStrictEqual([`${id}: id is a name that Windows reserves`]);
  });

  test('checks the rules beyond the schema after sorting, all at once', () => {
    const children = [
      node('b', { order: 2, attempts: 4 }),
      node('a', { order: 1, passes: true, children: [node('B')] }),
    ];
    expect(refusals(textOf(node('root', { children })))).toStrictEqual([
      'root/a: is passed, but root/a/B below it is open',
      'root/b: id is already used by root/a/B (ids are compared ignoring case)',
      'root/b: attempts 4 exceeds max_attempts 3',
    ]);
  });

  test('agrees with the shipped schema as a whole on every broken tree', () => {
    const arbBreak = fc.constantFrom<object>(
      { id: 1 },
      { order: '0' },
      { title: null },
      { acceptance: [{}] },
      { x: 1 },
      { children: 0 },
      { max_attempts: 0 },
    );
    fc.assert(
      fc.property(arbTree(), fc.nat(), arbBreak, (tree, pick, change) => {
        const { length } = walkTree(tree);
        let at = 0;
        const broken = mapTree(tree, (each) => (at++ === pick % length ? { ...each, ...change } : each));
        expect(validateTree(tree)).toBe(true);
        expect(validateTree(broken)).toBe(false);
        const errors = validateTree.errors?.length ?? 0;
        // Then come the rules between nodes.
        expect(refusals(textOf(broken)).length).toBeGreaterThanOrEqual(errors);
      }),
    );
  });

  test('no random edit of the text makes it throw, and what it accepts is a fixed point', () => {
    fc.assert(
      fc.property(
        arbTree({ nodesMax: 4 }),
        fc.nat(),
        fc.nat({ max: 2 }),
        fc.constantFrom(...Array.from('{}[]",:01tn-.e ')),
        (tree, place, cut, insert) => {
          const text = renderTree(tree);
          const at = place % text.length;
          const parsed = parseTree({ kind: 'text', text: text.slice(0, at) + insert + text.slice(at + cut) });
          if (!parsed.ok) expect(parsed.violations.length).toBeGreaterThan(0);
          else expect(parseTree({ kind: 'text', text: renderTree(parsed.tree) })).toStrictEqual(parsed);
        },
      ),
    );
  });

  test('100,000 nodes are read, one more is refused, and a flood of wrong ones is cut', () => {
    const children = Array.from({ length: 100_000 }, (_, index) => node(`n${index}`));
    expect(refusals(textOf(node('root', { children: children.slice(1) })))).toStrictEqual([]);
    expect(refusals(textOf(node('root', { children })))).toStrictEqual([
      'the tree has more than 100000 nodes',
    ]);
    const flood = refusals(
      textOf({ ...node('root'), children: Array.from({ length: 100_000 }, () => ({})) }),
    );
    expect(flood.length).toBeLessThan(10_100);
    expect(flood.at(-1)).toMatch(/^only the first 100\d\d violations are listed$/);
  });

  test('of one node with very many faults the first hundred of a kind are listed', () => {
    const keys = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, 0]));
    const acceptance = ['fine', ...Array.from({ length: 500 }, (_, index) => index)];
    const lines = refusals(textOf({ ...keys, ...node('root'), acceptance }));
    expect(lines).toHaveLength(200);
    expect(lines).toContain('root: acceptance[100] must be a string');
    expect(lines).toContain("root: unknown key 'k99'");
    const fine = { ...node('root'), acceptance: Array.from({ length: 500 }, (_, index) => `${index}`) };
    expect(parseTree(textOf(fine))).toStrictEqual({ ok: true, tree: fine });
  });
});

describe('readAgentTree', () => {
  const before = node('root', {
    children: [
      node('done', { passes: true, attempts: 1 }),
      node('open', { order: 1, attempts: 2, max_attempts: 4 }),
    ],
  });

  test('gives open nodes the baseline values and new ones the default, and leaves passed ones as written', () => {
    const written = {
      ...node('root', { attempts: 3, passes: true, max_attempts: 9 }),
      children: [
        { children: [], id: 'open', order: 1, title: 'new title', goal: 'g', acceptance: ['a'] },
        { ...node('fresh'), order: 2, passes: true, attempts: 'many', max_attempts: -1 },
        node('done', { passes: false, attempts: 3, max_attempts: 8 }),
      ],
    };
    expect(readAgentTree({ source: textOf(written), before, maxAttemptsDefault: 5 })).toStrictEqual({
      kind: 'tree',
      tree: node('root', {
        children: [
          node('done', { passes: false, attempts: 3, max_attempts: 8 }),
          node('open', {
            order: 1,
            title: 'new title',
            goal: 'g',
            acceptance: ['a'],
            attempts: 2,
            max_attempts: 4,
          }),
          node('fresh', { order: 2, max_attempts: 5 }),
        ],
      }),
    });
  });

  test('puts keys in the documented order', () => {
    const written = Object.fromEntries(Object.entries(before).toReversed());
    const read = readAgentTree({ source: textOf(written), before, maxAttemptsDefault: 5 });
    expect(read.kind === 'tree' && Object.keys(read.tree)).toStrictEqual(nineKeys);
  });

  test('reads the unchanged baseline as it is, for every valid tree', () => {
    fc.assert(
      fc.property(arbTree(), (tree) => {
        const source: SourceText = { kind: 'text', text: renderTree(tree) };
        expect(readAgentTree({ source, before: tree, maxAttemptsDefault: 5 })).toStrictEqual({
          kind: 'tree',
          tree,
        });
      }),
    );
  });

  test('does not judge where passed and open nodes stand', () => {
    const written = node('root', {
      children: [node('done', { passes: true, attempts: 1, children: [node('new')] })],
    });
    expect(readAgent(textOf(written), before)).toStrictEqual(['tree']);
    expect(
      readAgent(textOf(node('root', { children: [node('done', { passes: true })] })), before),
    ).toStrictEqual(['tree']);
  });

  test('is invalid when broken', () => {
    expect(readAgent({ kind: 'missing' })).toStrictEqual(['invalid', 'the file is missing']);
    expect(readAgent({ kind: 'unreadable', message: 'a folder' })).toStrictEqual([
      'invalid',
      'the file cannot be read: a folder',
    ]);
    expect(readAgent({ kind: 'text', text: '{' })).toStrictEqual([
      'invalid',
      'line 1, column 2: the text ends where a key in double quotes should stand',
    ]);
    expect(readAgent(textOf({ ...node('root'), id: null }))).toStrictEqual([
      'invalid',
      '(root): id must be a string',
    ]);
    expect(readAgent(textOf(node('root', { children: [node('a'), node('A')] })))).toStrictEqual([
      'invalid',
      'root/a: id is already used by root/A (ids are compared ignoring case)',
    ]);
    const raised = node('root', { children: [node('done', { passes: true, attempts: 4 })] });
    expect(readAgent(textOf(raised), before)).toStrictEqual([
      'invalid',
      'root/done: attempts 4 exceeds max_attempts 3',
    ]);
  });

  test('is over the limit when only a limit of §3 is exceeded', () => {
    expect(readAgent({ kind: 'too_large', bytes: 9, bytesMax: 8 })).toStrictEqual([
      'over_limit',
      'the file has 9 bytes; at most 8 are allowed',
    ]);
    expect(readAgent({ kind: 'text', text: '['.repeat(300) })).toStrictEqual([
      'over_limit',
      'line 1, column 257: nested more than 256 levels deep',
    ]);
    expect(readAgent(textOf(chain(64)))).toStrictEqual(['tree']);
    const [kind, violation] = readAgent(textOf(chain(65)));
    expect(kind).toBe('over_limit');
    expect(violation).toMatch(/\/n65: is on level 65; at most 64 are allowed$/);
    const children = Array.from({ length: 100_000 }, (_, index) => node(`n${index}`));
    expect(readAgent(textOf(node('root', { children })))).toStrictEqual([
      'over_limit',
      'the tree has more than 100000 nodes',
    ]);
  });

  test('is invalid when it is broken and over the limit', () => {
    const deep = node('root', { children: [node('ROOT'), chain(64)] });
    expect(readAgent(textOf(deep))).toHaveLength(3);
    expect(readAgent(textOf(deep))[0]).toBe('invalid');
    const children = Array.from({ length: 100_000 }, (_, index) => node(`n${index}`));
    expect(readAgent(textOf({ ...node('root', { children }), title: 1 }))).toStrictEqual([
      'invalid',
      'root: title must be a string',
      'the tree has more than 100000 nodes',
    ]);
  });

  test('takes any JSON without throwing', () => {
    const arbNode = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.jsonValue({ maxDepth: 1 }),
        fc.record(
          {
            id: fc.oneof(
              fc.constantFrom('root', 'done', 'open', 'constructor', '__x'),
              fc.jsonValue({ maxDepth: 0 }),
            ),
            order: fc.jsonValue({ maxDepth: 0 }),
            acceptance: fc.jsonValue({ maxDepth: 1 }),
            attempts: fc.jsonValue({ maxDepth: 0 }),
            children: fc.oneof(fc.array(tie('node'), { maxLength: 3 }), fc.jsonValue({ maxDepth: 0 })),
          },
          { requiredKeys: [] },
        ),
      ),
    })).node;
    fc.assert(
      fc.property(arbNode, (value) => {
        const read = readAgentTree({ source: textOf(value), before, maxAttemptsDefault: 5 });
        expect(read.kind).toBe('invalid');
      }),
    );
  });
});

test('the shipped text is that of the schema file', () => {
  const file = new URL('../../../schemas/task_tree/v1.schema.json', import.meta.url);
  expect(treeSchemaText).toBe(readFileSync(file, 'utf8'));
  expect(JSON.parse(treeSchemaText)).toMatchObject({
    $id: 'https://runner.local/schemas/task_tree/v1.schema.json',
    $ref: '#/$defs/node',
  });
});

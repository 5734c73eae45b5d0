/** Malformed task trees in place of tree.json: refused by name and place, nothing changed, no stack trace, in bounded time. */
import { expect, test } from 'vitest';
import type { BadInput } from '../support/bad-input.ts';
import { notJson, notPlainFiles, refuseAll } from '../support/bad-input.ts';
import { project } from '../support/project.ts';
import { template } from '../support/template.ts';
import { node } from '../support/trees.ts';

const started = template(() => project());

type Fields = Record<string, unknown>;

function tree(fields: Fields): string {
  return JSON.stringify({ ...node('root'), ...fields });
}

function without(key: string): string {
  const { [key]: _gone, ...rest } = node('root') as unknown as Fields;
  return JSON.stringify(rest);
}

/** A chain of one child each. */
function chain(depth: number): string {
  const parts = Array.from({ length: depth }, (_, index) =>
    JSON.stringify(node(`n${index}`)).replace('"children":[]}', '"children":['),
  );
  return parts.join('') + ']}'.repeat(depth);
}

function wide(count: number): string {
  const child = JSON.stringify(node('x'));
  const children = Array.from({ length: count }, (_, index) => child.replace('"id":"x"', `"id":"c${index}"`));
  return JSON.stringify(node('root')).replace('"children":[]', `"children":[${children.join(',')}]`);
}

const wrongTypes: Readonly<Record<string, readonly unknown[]>> = {
  id: [1, ['root']],
  order: ['0', 1.5],
  title: [null, {}],
  goal: [false, ['x']],
  acceptance: [null, 'x', [1]],
  passes: ['true', 0],
  attempts: [-1, 0.5, '0'],
  max_attempts: [0, '3'],
  children: [null, {}, 'none', [null], [[]], ['a']],
};

const shapes: readonly BadInput[] = [
  { name: 'null', put: 'null', says: '(root): must be an object' },
  { name: 'a list', put: '[]', says: '(root): must be an object' },
  { name: 'a text', put: '"root"', says: '(root): must be an object' },
  { name: 'a wrapper', put: `{"version":1,"root":${tree({})}}`, says: 'the tree is wrapped in an object' },
  { name: 'an empty object', put: '{}', says: "(root): missing key 'id'" },
  ...Object.entries(wrongTypes).flatMap(([key, values]) =>
    values.map((value) => ({
      name: `${key} = ${JSON.stringify(value)}`,
      put: tree({ [key]: value }),
      says: new RegExp(`^(?:root|\\(root\\)).*: .*${key === 'children' ? '' : key}`, 'm'),
    })),
  ),
  ...Object.keys(wrongTypes).map((key) => ({
    name: `no ${key}`,
    put: without(key),
    says: `: missing key '${key}'`,
  })),
  { name: 'an unknown key', put: tree({ next: 'execute' }), says: "root: unknown key 'next'" },
  { name: 'a key in capitals', put: tree({ Title: 'x' }), says: "root: unknown key 'Title'" },
  { name: 'constructor as key', put: tree({ constructor: 1 }), says: "root: unknown key 'constructor'" },
  { name: 'an escape code in a key', put: tree({ '\u001b[31m': 1 }), says: "root: unknown key '" },
  {
    name: 'a lone surrogate in a title',
    put: tree({}).replace('root title', '\\udc00'),
    says: 'line 1, column ',
  },
];

const ids: readonly BadInput[] = ['', 'a/b', '.x', 'x.', 'nul.txt', 'ünï', 'a\nb', 'x'.repeat(129)].map(
  (id) => ({
    name: `id ${JSON.stringify(id.slice(0, 20))}`,
    put: tree({ children: [node('ok'), { ...node('x'), id, order: 1 }] }),
    says: /^root\/.*: id /m,
  }),
);

const rules: readonly BadInput[] = [
  { name: 'the same id twice', put: tree({ children: [node('a'), node('a')] }), says: /root\/a: / },
  { name: 'ids that differ in case', put: tree({ children: [node('a'), node('A')] }), says: /root\/[aA]: / },
  { name: 'the root id again below', put: tree({ children: [node('root')] }), says: 'root/root: ' },
  { name: 'attempts over max', put: tree({ attempts: 4 }), says: 'root: attempts' },
  { name: 'passed with an open child', put: tree({ passes: true, children: [node('a')] }), says: 'root: ' },
  {
    name: 'open, but all children passed',
    put: tree({ children: [node('a', { passes: true })] }),
    says: 'root: ',
  },
  { name: '65 levels', put: chain(65), says: '64' },
  { name: 'a thousand levels', put: chain(1000), says: /64|line 1, column/ },
  { name: '100,001 nodes', put: wide(100_000), says: '100000' },
  { name: 'many wrong nodes', put: wide(30_000).replaceAll('"order":0', '"order":"0"'), says: 'root: order' },
  {
    name: 'many unknown keys',
    put: `{${Array.from({ length: 50_000 }, (_, index) => `"k${index}":0`).join(',')}}`,
    says: "unknown key 'k0'",
  },
];

const inputs = [...notPlainFiles, ...notJson, ...shapes, ...ids, ...rules];

test(`${inputs.length} malformed trees`, async () => {
  const projects = [await started(), await started()];
  const wrong = await refuseAll({
    projects,
    file: '.runner/state/tree.json',
    code: 'TREE_INVALID',
    commands: ['select', 'select', 'validate'],
    inputs,
  });
  expect(wrong).toEqual([]);
  expect(inputs.length).toBeGreaterThan(90);
  for (const p of projects) expect(await p.run('validate')).toMatchObject({ code: 0 });
});

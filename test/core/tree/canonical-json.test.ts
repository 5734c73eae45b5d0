import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalText, nodeKeys, renderJson, renderTree } from '../../../src/core/tree/canonical-json.ts';
import { parseStrictJson } from '../../../src/core/text/strict-json.ts';
import { treeSchemaText } from '../../../src/core/shipped.js';
import type { TreeNode } from '../../../src/core/types.ts';
import { arbTree, node } from '../../support/trees.ts';

test('canonicalText does not depend on the order of keys', () => {
  expect(canonicalText({ b: [1, { d: null, c: 'é' }], a: true })).toBe(
    '{"a":true,"b":[1,{"c":"é","d":null}]}',
  );
  expect(canonicalText({ a: true, b: [1, { c: 'é', d: null }] })).toBe(
    '{"a":true,"b":[1,{"c":"é","d":null}]}',
  );
});

test('canonicalising twice equals once', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const once = canonicalText(value);
      expect(canonicalText(JSON.parse(once))).toBe(once);
    }),
  );
});

test('renderTree writes the documented bytes whatever the order of keys in memory', () => {
  const child = Object.fromEntries(Object.entries(node('a', { acceptance: ['x'] })).toReversed());
  const text = renderTree(node('root', { title: 'Zürich', children: [child as unknown as TreeNode] }));
  expect(text).toBe(`{
  "id": "root",
  "order": 0,
  "title": "Zürich",
  "goal": "root goal",
  "acceptance": [],
  "passes": false,
  "attempts": 0,
  "max_attempts": 3,
  "children": [
    {
      "id": "a",
      "order": 0,
      "title": "a title",
      "goal": "a goal",
      "acceptance": [
        "x"
      ],
      "passes": false,
      "attempts": 0,
      "max_attempts": 3,
      "children": []
    }
  ]
}
`);
});

test('renderTree and canonicalText keep every value of a tree', () => {
  fc.assert(
    fc.property(arbTree(), (tree) => {
      expect(parseStrictJson(renderTree(tree))).toStrictEqual({ ok: true, value: tree });
      expect(parseStrictJson(canonicalText(tree))).toEqual({ ok: true, value: tree });
    }),
  );
});

test('the documented keys are the ones the schema requires', () => {
  const schema = JSON.parse(treeSchemaText) as {
    $defs: { node: { required: string[]; properties: object } };
  };
  expect(schema.$defs.node.required).toStrictEqual([...nodeKeys]);
  expect(Object.keys(schema.$defs.node.properties)).toStrictEqual([...nodeKeys]);
});

test('renderJson indents by two and ends with one newline', () => {
  expect(renderJson({ b: [], a: 'é' })).toBe('{\n  "b": [],\n  "a": "é"\n}\n');
});

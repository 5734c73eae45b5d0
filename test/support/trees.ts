/** Builders of task trees for tests: single nodes by hand, and random trees that keep every rule of §3. */
import * as fc from 'fast-check';
import { sortTree } from '../../src/core/tree/tree-walk.ts';
import type { TreeNode } from '../../src/core/types.ts';

/** A leaf with the texts `<id> title` and `<id> goal`, three attempts, nothing else; `fields` replaces what a test cares about. */
export function node(id: string, fields: Partial<TreeNode> = {}): TreeNode {
  return {
    id,
    order: 0,
    title: `${id} title`,
    goal: `${id} goal`,
    acceptance: [],
    passes: false,
    attempts: 0,
    max_attempts: 3,
    children: [],
    ...fields,
  };
}

export interface ArbTreeOptions {
  readonly nodesMax?: number;
  readonly depthMax?: number;
  /** False: no leaf has passed yet. */
  readonly withPassed?: boolean;
}

interface Seed {
  readonly parent: number;
  readonly order: number;
  readonly name: string;
  readonly title: string;
  readonly acceptance: readonly string[];
  readonly passes: boolean;
  readonly attempts: number;
  readonly max_attempts: number;
}

/** Valid, sorted trees: unique ids, attempts within bounds, internal nodes passed exactly when everything below them is. */
export function arbTree(options: ArbTreeOptions = {}): fc.Arbitrary<TreeNode> {
  const { nodesMax = 25, depthMax = 8, withPassed = true } = options;
  return fc
    .array(arbSeed(withPassed), { minLength: 1, maxLength: nodesMax })
    .map((seeds) => buildTree(seeds, depthMax));
}

function arbSeed(withPassed: boolean): fc.Arbitrary<Seed> {
  return fc
    .record({
      parent: fc.nat(),
      order: fc.oneof(fc.integer({ min: -2, max: 3 }), fc.maxSafeInteger()),
      name: fc.stringMatching(/^[A-Za-z0-9._-]{0,8}$/),
      title: fc.string({ unit: 'grapheme', maxLength: 12 }),
      acceptance: fc.array(fc.string({ unit: 'binary', maxLength: 6 }), { maxLength: 2 }),
      passes: withPassed ? fc.boolean() : fc.constant(false),
      attempts: fc.nat({ max: 4 }),
      max_attempts: fc.integer({ min: 1, max: 4 }),
    })
    .map((seed) => ({ ...seed, attempts: Math.min(seed.attempts, seed.max_attempts) }));
}

interface Draft {
  readonly seed: Seed;
  readonly id: string;
  readonly depth: number;
  readonly children: TreeNode[];
  readonly home: TreeNode[];
}

function buildTree(seeds: readonly Seed[], depthMax: number): TreeNode {
  const drafts: Draft[] = [];
  const roots: TreeNode[] = [];
  for (const [index, seed] of seeds.entries()) {
    const parents = drafts.filter((draft) => draft.depth < depthMax);
    const parent = parents[seed.parent % parents.length];
    // The number up to the first `_` makes ids unique, also ignoring case; the last `_` keeps them from ending in a dot.
    const id = `${index}_${seed.name}_`;
    drafts.push({
      seed,
      id,
      depth: parent === undefined ? 1 : parent.depth + 1,
      children: [],
      home: parent === undefined ? roots : parent.children,
    });
  }
  for (const { seed, id, children, home } of drafts.toReversed()) {
    const { order, title, acceptance, attempts, max_attempts } = seed;
    const passes = children.length === 0 ? seed.passes : children.every((child) => child.passes);
    home.push({
      id,
      order,
      title,
      goal: `${title}.`,
      acceptance,
      passes,
      attempts,
      max_attempts,
      children,
    });
  }
  return sortTree(roots[0] as TreeNode);
}

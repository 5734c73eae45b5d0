/** The throw-away project of `runner demo`: a small library with a failing test, a goal, and the script its agent plays. */

const packageJson = `{
  "name": "slug-demo",
  "private": true,
  "type": "module",
  "scripts": { "test": "node --test" }
}
`;

const slugifyBroken = `export function slugify(title) {
  return title;
}
`;

const slugifyHalf = `export function slugify(title) {
  return title.toLowerCase().replaceAll(' ', '-');
}
`;

const slugifyRight = `export function slugify(title) {
  return title
    .normalize('NFKD')
    .replace(/[\\u0300-\\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
`;

const slugifyTest = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slugify } from '../src/slugify.js';

test('words are joined by hyphens', () => {
  assert.equal(slugify('Hello World'), 'hello-world');
});

test('accents and punctuation go', () => {
  assert.equal(slugify('Crème brûlée, s’il vous plaît!'), 'creme-brulee-s-il-vous-plait');
});
`;

const uniqueSource = `export function uniqueSlug(slug, taken) {
  if (!taken.has(slug)) return slug;
  let n = 2;
  while (taken.has(\`\${slug}-\${n}\`)) n += 1;
  return \`\${slug}-\${n}\`;
}
`;

const uniqueTest = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uniqueSlug } from '../src/unique-slug.js';

test('a taken slug gets the next free number', () => {
  assert.equal(uniqueSlug('a', new Set(['a', 'a-2'])), 'a-3');
  assert.equal(uniqueSlug('b', new Set(['a'])), 'b');
});
`;

const script = {
  version: 1,
  steps: [
    {
      note: 'The root is too large for one session: split it.',
      actions: [{ print: 'reading GOAL.md and the failing test\n' }],
      answer: {
        status: 'decomposed',
        summary: 'Two steps: make slugify right, then add unique slugs.',
        children: [
          {
            title: 'Make slugify right',
            goal: 'slugify() in src/slugify.js gives lower-case ASCII words joined by hyphens',
            acceptance: ['test/slugify.test.js passes'],
          },
          {
            title: 'Unique slugs',
            goal: 'uniqueSlug() in src/unique-slug.js appends the next free number',
            acceptance: ['it has a test of its own'],
          },
        ],
      },
    },
    {
      note: 'Says done, but the tests say otherwise: the guard fails.',
      actions: [
        { print: 'writing src/slugify.js\n' },
        { write: { path: 'src/slugify.js', content: slugifyHalf } },
      ],
      answer: { status: 'done', summary: 'slugify lower-cases and joins words.', children: null },
    },
    {
      note: 'Asks for another session.',
      actions: [{ print: 'the accents test needs Unicode normalisation\n' }],
      answer: {
        status: 'retry',
        summary: 'Accents need NFKD normalisation; not written yet.',
        children: null,
      },
    },
    {
      note: 'Breaks the task tree: the runner puts it back and asks for a repair.',
      actions: [{ tree: { text: '{ "id": "root", "children": [ oops' } }],
      answer: { status: 'retry', summary: 'I reorganised the tree.', children: null },
    },
    {
      note: 'The repair session leaves a valid tree.',
      actions: [
        {
          tree: {
            edits: [
              {
                id: 'root.2',
                set: { acceptance: ['it has a test of its own', 'numbers start at 2'] },
              },
            ],
          },
        },
      ],
      answer: { status: 'done', summary: 'The tree is valid again.', children: null },
    },
    {
      note: 'Now it is right: the guard is green and the leaf passes.',
      actions: [
        { print: 'normalising with NFKD, then dropping the marks\n' },
        { write: { path: 'src/slugify.js', content: slugifyRight } },
        { print: 'both tests of slugify are green\n' },
      ],
      answer: { status: 'done', summary: 'slugify normalises accents; all tests pass.', children: null },
    },
    {
      note: 'The last leaf; the root passes with it.',
      actions: [
        { print: 'writing src/unique-slug.js\n' },
        { write: { path: 'src/unique-slug.js', content: uniqueSource } },
        { print: 'writing test/unique-slug.test.js\n' },
        { write: { path: 'test/unique-slug.test.js', content: uniqueTest } },
        { print: 'all three tests are green\n' },
      ],
      answer: { status: 'done', summary: 'uniqueSlug with its test.', children: null },
    },
  ],
};

/** `guard`: what runs the tests, program and arguments. */
export function renderDemoConfig(guard: readonly string[]): string {
  return `# The demo's settings: a scripted agent, and a guard that really runs the tests.
max_iterations = 20

[agent]
name = "scripted"
script = "demo-script.json"

[sandbox]
kind = "none"

[guard]
command = ${JSON.stringify(guard).replaceAll('","', '", "')}
`;
}

export const demoGoal = `# URL slugs

A small library of slugs for URLs. \`npm test\` is green, accents and punctuation are handled, and a slug that is taken gets
the next free number.
`;

export const demoFiles: Readonly<Record<string, string>> = {
  'package.json': packageJson,
  'src/slugify.js': slugifyBroken,
  'test/slugify.test.js': slugifyTest,
  'demo-script.json': `${JSON.stringify(script, null, 2)}\n`,
};

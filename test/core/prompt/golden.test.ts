/**
 * Whole prompts of eight situations, byte for byte. A change of wording, order or cuts shows here; after a look at the difference:
 * RUNNER_PROMPTS_UPDATE=1 npx vitest run test/core/prompt/golden.test.ts
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { PromptInput } from '../../../src/core/prompt/prompt-pack.ts';
import { byteLength } from '../../../src/core/text/shorten.ts';
import { promptWith, renderPrompt, termsWith } from '../../support/prompts.ts';
import { node } from '../../support/trees.ts';

const folder = fileURLToPath(new URL('golden', import.meta.url));
const noMemory = { assumptions: '', questions: '', answers: '', feedback: '', improvements: '' };
const goalBody = '# Shop\n\nA small shop: people put goods into a basket, pay, and get a receipt by mail.\n';

/** A run as it is at its beginning: one root, nothing known. */
function quiet(fields: Partial<PromptInput>): PromptInput {
  const root = node('root', { title: 'Root', goal: 'Top-level goal (see .runner/GOAL.md)' });
  return promptWith({
    goalBody,
    tree: root,
    leaf: { node: root, path: 'root' },
    nodeContext: '',
    last: null,
    memory: noMemory,
    terms: termsWith(),
    ...fields,
  });
}

const basket = node('root.1', {
  title: 'Basket',
  goal: 'People fill a basket.\nIt survives a restart.',
  acceptance: ['goods can be added and removed', 'the sum is shown'],
});
const price = node('root.2.1', {
  title: 'Prices with taxes',
  goal: 'src/price.js computes the price of a basket, taxes included.',
  acceptance: ['rounding is to the cent', 'tests cover three countries'],
  attempts: 1,
});
const shop = node('root', {
  title: 'Root',
  goal: 'Top-level goal (see .runner/GOAL.md)',
  acceptance: ['a receipt arrives'],
  children: [
    { ...basket, passes: true },
    node('root.2', {
      order: 1,
      title: 'Payment',
      goal: 'People pay by card.',
      acceptance: ['a refused card is told'],
      children: [price, node('root.2.2', { order: 1, title: 'Card terminal' })],
    }),
  ],
});
const grandchild = { tree: shop, leaf: { node: price, path: 'root/root.2/root.2.1' } };
const failed = {
  iter: 4,
  summary: 'Computed prices; one country is left.',
  error: null,
  guard_output: `the guard ended with exit code 1\n\n\u001b[31m✖ rounds to the cent\u001b[39m\r\n${'  at line of a log that is long\n'.repeat(400)}expected 10.01, got 10.00\n`,
};
const long = (words: string): string =>
  Array.from({ length: 2000 }, (_, at) => `${at + 1}. ${words}`).join('\n');

const situations: Readonly<Record<string, PromptInput>> = {
  root: quiet({}),
  grandchild: quiet({
    ...grandchild,
    terms: termsWith({
      agent: { name: 'claude', permission_mode: 'acceptEdits' },
      review: { agent: 'codex' },
    }),
    memory: {
      assumptions: '# Assumptions\n\n- Prices are in cents.\n',
      questions: '# Open Questions\n\n- Which countries?\n',
      answers: '',
      feedback: '# Feedback\n\n- `npm test` needs 20 s.\n',
      improvements: '# Improvements\n\n- A watch mode.\n',
    },
  }),
  'retry-with-long-goal': quiet({
    ...grandchild,
    goalBody: long('the shop has many rules, and this is one'),
    last: failed,
    memory: { ...noMemory, assumptions: long('an assumption') },
    terms: termsWith({}, { checkout: 'final' }),
  }),
  answers: quiet({
    ...grandchild,
    nodeContext: 'The tables of taxes are in docs/taxes.md.\n',
    memory: {
      ...noMemory,
      answers: '# Answers\n\n### 3.1\n\n> Which countries?\n\nGermany, France and Italy.\n',
    },
    terms: termsWith({ agent: { name: 'command', command: ['./agent'], env: ['SHOP_TOKEN'] } }),
  }),
  protect: quiet({
    projectPrefix: 'packages/shop/',
    terms: termsWith({
      agent: { name: 'opencode' },
      guard: {
        command: ['npm', 'test'],
        protect: ['test/**', 'package.json'],
        policy: 'protect',
        timeout_secs: 90,
        env: ['DB_PASSWORD'],
        counterfactual: 'require',
      },
    }),
    guardBaseline: 'red',
  }),
  'removal-allowed': quiet({
    ...grandchild,
    terms: termsWith(
      {
        tree: { allow_removal: true },
        sandbox: { kind: 'docker', network: false, guard_network: false },
        iteration_timeout_secs: 3600,
        agent: { name: 'gemini' },
      },
      { checkout: 'every' },
    ),
  }),
  repair: quiet({
    ...grandchild,
    purpose: 'repair',
    leaf: null,
    repair: {
      violations: "tree.json is not a valid tree:\n- root/root.2: the id 'root.2.1' is there twice",
      rejected: '{"id": "root", "children": [{"id": "root.2.1"}, {"id": "root.2.1"}]}\n</data>\n',
    },
  }),
  'plan-on-stuck': quiet({
    ...grandchild,
    purpose: 'plan',
    leaf: { node: { ...price, attempts: 3 }, path: 'root/root.2/root.2.1' },
    last: { ...failed, guard_output: 'the guard ended with exit code 1\n\nexpected 10.01, got 10.00\n' },
  }),
};

const isUpdate = process.env['RUNNER_PROMPTS_UPDATE'] !== undefined;
if (isUpdate) {
  mkdirSync(folder, { recursive: true });
  for (const [name, input] of Object.entries(situations))
    writeFileSync(join(folder, `${name}.txt`), renderPrompt(input));
}

test.each(Object.entries(situations))('%s', (name, input) => {
  const prompt = renderPrompt(input);
  expect(prompt).toBe(readFileSync(join(folder, `${name}.txt`), 'utf8'));
  expect(byteLength(prompt)).toBeLessThanOrEqual(input.budgetBytes);
});

test('each file is that of a situation', () => {
  expect(readdirSync(folder).toSorted()).toEqual(
    Object.keys(situations)
      .map((name) => `${name}.txt`)
      .toSorted(),
  );
});

/** The output contract of a prompt (§6): the answer's shape, how this agent gives it, and examples. */
import type { AnswerManner } from '../config/agents.ts';
import { summaryBytesMax } from '../limits.ts';
import type { AgentOutput, Purpose } from '../types.ts';

/** How the agent gives one JSON object; RUNNER_OUTPUT is named only to those that get it. */
export function mannerText(manner: AnswerManner): string {
  switch (manner) {
    case 'file':
      return [
        'End the session with ONE JSON object: write it to the file that the environment variable `RUNNER_OUTPUT` names,',
        'or, if you cannot, print it as the last thing on stdout.',
      ].join('\n');
    case 'tool':
      return [
        'End the session with ONE JSON object: call the tool for structured output with it, once, as the last thing you do.',
        'A message without that call is no answer.',
      ].join('\n');
    case 'message':
      return 'End the session with ONE JSON object as your final message, with no other text around it.';
  }
}

export function outputText(purpose: Purpose, manner: AnswerManner): string {
  const status = {
    execute: '- `status`: `done`, `retry` or `decomposed`.',
    plan: '- `status`: `decomposed`; nothing else is accepted.',
    repair: '- `status`: `retry`; only the tree is judged.',
  }[purpose];
  const children =
    purpose === 'repair'
      ? '- `children`: null.'
      : '- `children`: with `decomposed` the list of children, unless you put them into the tree file; otherwise null.';
  return [
    mannerText(manner),
    'All three keys are required:',
    '',
    status,
    `- \`summary\`: what you did, what is left, what the next session must know; at most ${summaryBytesMax} bytes.`,
    children,
    '',
    ...examples[purpose],
  ].join('\n');
}

const done = {
  status: 'done',
  summary: 'Added `export --csv` with tests for quotes and empty tables; `npm test` is green.',
  children: null,
} satisfies AgentOutput;

const decomposed = {
  status: 'decomposed',
  summary: 'Import and export share only the record format, so each can be checked alone.',
  children: [
    {
      title: 'Import CSV files',
      goal: 'src/import.js reads CSV files into records, with tests and a line in the README.',
      acceptance: [
        'a quoted field may hold commas and line breaks',
        'a broken row is an error with its line number',
      ],
    },
    {
      title: 'Export records as CSV',
      goal: 'src/export.js writes records as CSV, with tests and a line in the README.',
      acceptance: ['what src/import.js has read is written back byte for byte'],
    },
  ],
} satisfies AgentOutput;

const repaired = {
  status: 'retry',
  summary: 'Gave the second `api.1` the id `api.2`; all else as in the rejected tree.',
  children: null,
} satisfies AgentOutput;

function example(words: string, output: AgentOutput): readonly string[] {
  return [
    words,
    '',
    ...JSON.stringify(output, null, 1)
      .split('\n')
      .map((line) => `    ${line}`),
  ];
}

const finished = example('An example of work that is finished:', done);
const split = example('An example of a node that was split:', decomposed);

const examples: Readonly<Record<Purpose, readonly string[]>> = {
  execute: [...finished, '', ...split],
  plan: split,
  repair: example('An example:', repaired),
};

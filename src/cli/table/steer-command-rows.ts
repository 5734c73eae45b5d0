/** The rows of the table of commands by which a person steers a run (§12). Data only; the table says what a row may hold. */

const spotOptions = [
  { flags: '--before <sibling>', means: 'place it before this child of the parent', completes: 'node' },
  { flags: '--after <sibling>', means: 'place it after this child of the parent', completes: 'node' },
] as const;

export const steerCommandRows = [
  {
    name: 'add',
    args: '<parent>',
    means: 'add a node below another, and commit that',
    options: [
      { flags: '--title <text>', means: 'title of the node' },
      { flags: '--goal <text>', means: 'goal of the node (default: its title)' },
      { flags: '--accept <text>', means: 'acceptance criterion (repeatable)', takes: 'list' },
      { flags: '--acceptance <text>', means: 'the same as --accept', takes: 'list' },
      ...spotOptions,
    ],
    completes: ['node'],
  },
  {
    name: 'move',
    args: '<node>',
    means: 'move an open node, and commit that',
    options: [
      { flags: '--under <parent>', means: 'the new parent (default: the one it has)', completes: 'node' },
      ...spotOptions,
    ],
    completes: ['open-node'],
  },
  {
    name: 'drop',
    args: '<node>',
    means: 'take an open node out of the tree, and commit that',
    options: [{ flags: '--why <text>', means: 'the reason, which is kept with the node' }],
    completes: ['open-node'],
  },
  {
    name: 'import',
    args: '<file>',
    means: 'add the open tasks of a PRD, a checklist or headings, and commit that',
    options: [
      { flags: '--under <node>', means: 'the parent of the tasks (default: the root)' },
      { flags: '--dry-run', means: 'print what would be added; write nothing' },
    ],
  },
  {
    name: 'questions',
    args: '',
    means: 'list the questions that sessions asked (read-only)',
    options: [{ flags: '--all', means: 'also show answered questions' }],
  },
  {
    name: 'answer',
    args: '<id> <text>',
    means: 'answer a question, and commit that; - reads stdin',
    options: [],
    completes: [[], []],
  },
  {
    name: 'pause',
    args: '[run]',
    means: 'stop the running loop after its current iteration',
    options: [{ flags: '--wait', means: 'return when it has stopped' }],
    completes: ['run'],
  },
] as const;

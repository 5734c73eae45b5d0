/** The rows of the table of commands that start background runs. Data only; the table says what a row may hold. */

export const backgroundCommandRows = [
  {
    name: 'run start',
    args: '',
    means: 'start a run in the background, in a work tree of its own',
    options: [
      { flags: '--goal <file>', means: 'take the goal from this file instead of GOAL.md; - reads stdin' },
      { flags: '--new', means: 'start another run even if this goal already has one' },
      {
        flags: '--name <id>',
        means: "id of the run; its branch is runner/<id> (default: from the goal's title)",
      },
      { flags: '--agent <name>', means: 'override agent.name', sets: 'agent.name' },
      { flags: '--model <name>', means: 'override agent.model', sets: 'agent.model' },
      {
        flags: '--max-iterations <n>',
        means: 'override max_iterations',
        takes: 'count',
        sets: 'max_iterations',
      },
      {
        flags: '--push <remote>',
        means: 'push the branch to this remote after each iteration',
        sets: 'git.push',
      },
      { flags: '--wait', means: 'stay in the foreground until the run ends; Ctrl-C cancels it' },
    ],
  },
] as const;

/** The process of a background run; people use `run start` and `run resume`. */
export const workCommandRow = {
  name: 'run work',
  args: '<run>',
  means: '',
  options: [],
  isHidden: true,
} as const;

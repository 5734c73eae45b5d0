/** What the commands of steering do in a few sentences, with examples and exit codes: a part of `command-guides.ts`. */

const usual = ['ok', 'error', 'usage'] as const;
const queued =
  'While a loop is at work the change waits and is applied before the next iteration; the command says so.';

/** For changes that an agent must not be able to queue. */
export const queuedContained =
  'While a loop is at work in a sandbox it waits and is applied before the next iteration, and the command says so. Without a sandbox around agent and guard it is refused then: pause the loop first.';

export const steerGuides = {
  add: {
    about: `Makes one commit on the run's branch. Below an open leaf the leaf is split: it passes when its children pass. Below a node that has passed with its children, that node and those above it are open again; a passed leaf stays as it is. ${queued}`,
    examples: [
      ['runner add root --title Limits --accept tested', 'behind all others'],
      ['runner add root --title Parser --before root.2', 'at a place'],
    ],
    exits: usual,
  },
  move: {
    about: `A node that has passed, or that has a passed node below it, cannot be moved, nor can the last open node below its parent. ${queued}`,
    examples: [
      ['runner move root.3 --before root.1', 'work on it first'],
      ['runner move root.3 --under root.2', 'as a part of another node'],
    ],
    exits: usual,
  },
  drop: {
    about: `The node and everything below it is kept in .runner/nodes/<id>/dropped.json with the reason; runner tree --all shows it. A node that has passed, or that has a passed node below it, cannot be dropped, nor can the last open node below its parent. ${queued}`,
    examples: [['runner drop root.4 --why superseded', 'take it out']],
    exits: usual,
  },
  import: {
    about: `Reads JSON with userStories or tasks (of a board only todo and in_progress), a Markdown checklist, or Markdown headings. The order is kept, finished items are left out and listed. An id in the file is kept as the last line of the goal. ${queued}`,
    examples: [
      ['runner import plans/prd.json --dry-run', 'what would be added'],
      ['runner import todo.md --under root.2', 'below a node'],
    ],
    exits: usual,
  },
  questions: {
    about:
      'Sessions ask in .runner/state/questions.md. The id of a question is the iteration and the number of the question in it. Questions that background runs asked follow, with the run; each is answered in the work tree of its run.',
    examples: [['runner questions', 'what is not answered yet']],
    exits: usual,
  },
  answer: {
    about: `Appends the question and the answer to .runner/state/answers.md, which every later prompt shows as a person's word. ${queuedContained}`,
    examples: [
      ['runner answer 3.1 8080', 'answer a question'],
      [
        'runner pause --wait && runner answer 3.1 8080 && runner loop',
        'while a loop is at work without a sandbox',
      ],
    ],
    exits: usual,
  },
  pause: {
    about:
      'The loop stops after the iteration at work and exits with 0; a wait for a rate limit ends at once. runner loop goes on. Without a loop at work it does nothing.',
    examples: [
      ['runner pause --wait', 'return when the loop has stopped'],
      ['runner pause shop-2', 'a run in the background'],
    ],
    exits: usual,
  },
} as const;

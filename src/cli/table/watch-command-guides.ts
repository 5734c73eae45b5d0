/** Guides of the commands that look at whole runs and steer them. Data only; command-guides.ts says what a guide holds. */
import type { CommandGuide } from './command-guides.ts';
import type { watchCommandRows } from './watch-command-rows.ts';

const usual = ['ok', 'error', 'usage'] as const;

export const watchCommandGuides: Readonly<Record<(typeof watchCommandRows)[number]['name'], CommandGuide>> = {
  runs: {
    about:
      'Lists every run found in local and remote branches, archives and background records; most recent last. A background run whose process is gone is shown as failed(crashed). Without --all, finished and abandoned runs are left out. It works on any branch and takes no lock.',
    examples: [
      ['runner runs', 'the open and the complete runs'],
      ['runner runs --all', 'also the finished and the abandoned ones'],
    ],
    exits: usual,
  },
  'run list': {
    about: 'The same as runner runs.',
    examples: [['runner run list --json', 'all facts, for a script']],
    exits: usual,
  },
  'run show': {
    about:
      'Shows state, branch, work tree, sizes, what people asked for, the next command, and the last lines of the readable log of a background run. What was deleted by hand is shown as gone.',
    examples: [
      ['runner run show landing-page-1', 'the run, and the last 20 lines'],
      ['runner run show landing-page-1 --tail 200 --follow', 'until it ends'],
    ],
    exits: [...usual, 'hangup', 'interrupt', 'terminated'],
  },
  'run attach': {
    about:
      'Shows what the agent and the guard of a background run do, as the terminal of runner loop would. Ctrl-C detaches; the run goes on. The exit code is that of the run: 0 for complete, 3 for stuck, 1 otherwise.',
    examples: [['runner run attach landing-page-1', 'follow it live']],
    exits: [...usual, 'stuck'],
  },
  'run cancel': {
    about:
      'Works in every phase, also for a run whose process is gone. Its processes are ended, its unfinished work is committed on its branch, and then its record says canceled. It takes up to 10 seconds. Branch, work tree and logs stay: runner run resume goes on, runner abandon ends it.',
    examples: [['runner run cancel landing-page-1', 'stop it']],
    exits: usual,
  },
  'run resume': {
    about:
      'Starts the process of a background run again. It goes on from the branch, also if the work tree or the record was deleted by hand; it never works in your checkout. A branch that only a remote has is made here first. Refuses while the run is at work, and when it is complete, finished or abandoned.',
    examples: [['runner run resume landing-page-1', 'go on']],
    exits: usual,
  },
};

/** Guides of `runner eval`. Data only; command-guides.ts says what a guide holds. */
import type { CommandGuide } from './command-guides.ts';
import type { evalCommandRows } from './eval-command-rows.ts';

const usual = ['ok', 'error', 'usage'] as const;
const signals = ['hangup', 'interrupt', 'terminated'] as const;

export const evalCommandGuides: Readonly<Record<(typeof evalCommandRows)[number]['name'], CommandGuide>> = {
  'eval list': {
    about: 'Each problem is printed with file, line and column.',
    examples: [['runner eval list --tag small', 'only some cases']],
    exits: usual,
  },
  'eval run': {
    about:
      'One run of one case is a trial; all trials of a command are a batch. Exits with 0 whatever the outcomes are, unless --min-pass-rate is missed. docs/eval.md describes cases, checks, outcomes and results.',
    examples: [
      ['runner eval run --oracle --null', 'check the cases themselves'],
      ['runner eval run notes-cli --agent codex,claude --repeat 5', 'two agents, five times each'],
      [
        'runner eval run --agent codex --model a,b --set max_attempts_default=1,3 --jobs auto',
        'four variants',
      ],
      ['runner eval run --resume', 'after an interruption'],
      ['runner eval run --replay --min-pass-rate 1', 'a gate without an agent'],
    ],
    exits: [...usual, ...signals],
  },
  'eval report': {
    about:
      'A rate counts judged trials: success, fail and stuck. low and high are its 95 % interval. Likely secrets are redacted in every report.',
    examples: [
      ['runner eval report', 'the last batch'],
      ['runner eval report nightly --reporter text,junit=eval.xml,html=eval.html', 'several reports'],
    ],
    exits: usual,
  },
  'eval compare': {
    about:
      'Pairs trials of the same case and repeat, and tests the pairs that flipped (exact McNemar test). All reporters but junit.',
    examples: [
      ['runner eval compare latest@codex latest@claude', 'two agents of one batch'],
      ['runner eval compare monday tuesday', 'two batches'],
    ],
    exits: usual,
  },
  'eval merge': {
    about: 'A folder is an eval/results, or contains one. It can be run again; a trial is copied once.',
    examples: [['runner eval merge shards/1 shards/2', 'two shards']],
    exits: usual,
  },
  'eval fleet': {
    about:
      'Prints to stdout and starts nothing. A task that was killed can be started again: an eval goes on from its results, a run from its pushed branch. See docs/fleet.md.',
    examples: [
      ['runner eval fleet --engine slurm --agent codex > fleet.sh && sbatch fleet.sh', 'an eval, four tasks'],
      ['runner eval fleet --engine slurm --run add-api > fleet.sh && sbatch fleet.sh', 'a run'],
      ['runner eval fleet --engine k8s --shards 8 | kubectl create -f -', 'a Job with eight pods'],
    ],
    exits: usual,
  },
  'eval import': {
    about:
      'A folder is one task or holds several: Terminal-Bench (task.yaml, run-tests.sh) or Harbor (task.toml, instruction.md, tests/test.sh). Nothing of a task is run. What the case cannot have is printed as a note.',
    examples: [['runner eval import ../terminal-bench/tasks/hello-world', 'one task']],
    exits: usual,
  },
  'eval clean': {
    about: 'Only cases of exactly this id.',
    examples: [['runner eval clean notes-cli', 'one case']],
    exits: usual,
  },
};

/**
 * What each command does in a few sentences, with examples and exit codes, as data: `--help` and docs/cli.md show it. A command
 * without a guide does not compile.
 */
import type { commandTable } from './command-table.ts';
import { endingCommandGuides } from './ending-command-guides.ts';
import { evalCommandGuides } from './eval-command-guides.ts';
import type { exitCodes } from '../exit-codes.ts';
import { watchCommandGuides } from './watch-command-guides.ts';
import { queuedContained, steerGuides } from './steer-guides.ts';

type ShownCommand = Exclude<(typeof commandTable)[number], { readonly isHidden: true }>['name'];

export interface CommandGuide {
  /** Plain text: a terminal shows it too. */
  readonly about: string;
  readonly examples: readonly (readonly [call: string, means: string])[];
  readonly exits: readonly (keyof typeof exitCodes)[];
}

const usual = ['ok', 'error', 'usage'] as const;
const signals = ['hangup', 'interrupt', 'terminated'] as const;

export const commandGuides: Readonly<Record<ShownCommand, CommandGuide>> = {
  init: {
    about:
      'Works inside and outside a git repository. It proposes a guard for the project, and commands that make a fresh clone ready for it (automation.setup), and keeps every text that a person wrote. Run it again to complete a layout that a crash left half made.',
    examples: [
      ['runner init', 'then describe the goal in .runner/GOAL.md'],
      ['runner init --force', 'begin with a fresh tree'],
    ],
    exits: usual,
  },
  start: {
    about:
      'Chooses the run id, creates or checks out the branch runner/<id>, and commits .runner/. If an open, complete or finished run already has this goal, another run of it needs --new. It runs init if there is no layout, and restores tracked files of .runner/ that were deleted. Before the first iteration it runs the guard once and records whether it is green; a red guard does not stop it. A green guard is also tried in a fresh clone (guard.checkout). Ctrl-C skips the guard.',
    examples: [
      ['runner start', 'start the run, or resume it'],
      ['runner start --goal ../goal.md', 'start a run of this goal'],
      ['runner start --new', 'start a second run of the same goal'],
      ['runner start --no-baseline', 'do not run the guard first'],
    ],
    exits: [...usual, ...signals],
  },
  validate: {
    about:
      'Also checks the staged tree, so it can be a pre-commit hook: it must be valid, and must not change by hand what has passed. If anything is wrong, stdout stays empty and stderr lists every problem.',
    examples: [
      ['runner validate', 'check everything'],
      ['runner validate --quiet', 'as a git hook: silent unless something is wrong'],
    ],
    exits: usual,
  },
  select: {
    about: 'Needs neither git nor a started run.',
    examples: [['runner select --json', 'the next leaf for a script']],
    exits: ['ok', 'error', 'complete', 'stuck', 'usage'],
  },
  status: {
    about:
      'Takes no lock: it works before start, on any branch, and while a loop runs. During an iteration it shows the tree of the last commit, not the files of the session. On a terminal it prints a view for people.',
    examples: [['runner status', 'the state of the run']],
    exits: usual,
  },
  tree: {
    about:
      'Marks: [x] passed, [ ] open, [~] retrying, [!] stuck, [-] has children, [>] next. Times come from the logs in this folder; a fresh clone has none.',
    examples: [
      ['runner tree --open', 'only what is left'],
      ['runner tree --depth 2', 'only two levels'],
    ],
    exits: usual,
  },
  log: {
    about:
      'Reads .runner/iterations/. A flag such as --guard prints one file of the iteration, or of the newest one, without escape codes and hidden characters. Unknown values are printed as -. Spaces in external values become _.',
    examples: [
      ['runner log', 'one line for each iteration'],
      ['runner log 3', 'what happened in iteration 3, and where its files are'],
      ['runner log 3 --guard', 'what the guard printed in it'],
      ['runner log --failed', 'what failed, and why'],
      ['runner log --first-error', 'the line to look at first'],
      ['runner log --follow', 'what the agent does right now'],
    ],
    exits: [...usual, ...signals],
  },
  explain: {
    about:
      'Shows why this leaf is next, why others wait, the size of the prompt, the command of the agent, and whether step would start. It takes no lock and starts nothing. Only the first line is an interface for scripts.',
    examples: [
      ['runner explain', 'what comes next, and why'],
      ['runner explain root.2', 'one node'],
      ['runner explain GIT_DIRTY', 'an error code: causes and fixes'],
      ['runner explain --prompt', 'the exact prompt of the next session'],
    ],
    exits: usual,
  },
  step: {
    about:
      'Exits with 0 for every recorded iteration that does not stop the run, whatever its status. Recovers from an earlier crash first.',
    examples: [
      ['runner step', 'one iteration'],
      ['runner step --dry-run', 'what it would do'],
      ['runner step --agent claude', 'with another agent'],
    ],
    exits: ['ok', 'error', 'complete', 'stuck', 'usage', ...signals],
  },
  loop: {
    about:
      'The first Ctrl-C ends the session, commits what there is and exits. The second exits at once, and the next command recovers. Flags override environment and file for this process.',
    examples: [
      ['runner loop', 'until the tree is complete'],
      ['runner loop --max-iterations 20', 'with a lower limit'],
      ['runner loop --events', 'everything that happens, as JSON lines'],
      ['runner loop --reporter github', 'in a GitHub workflow'],
    ],
    exits: ['ok', 'error', 'stuck', 'usage', ...signals],
  },
  retry: {
    about: `Used attempts stay counted; only the limit rises. It commits tree.json on the branch of the run and leaves other changes alone. ${queuedContained}`,
    examples: [
      ['runner retry root.2', 'as many attempts as a new node gets'],
      ['runner retry root.2 --max-attempts 6', 'six in total'],
    ],
    exits: usual,
  },
  edit: {
    about:
      'Opens $VISUAL, $EDITOR or vi, unless flags or a file give the new texts. A passed node cannot be changed. It commits tree.json on the branch of the run.',
    examples: [
      ['runner edit root.2', 'in your editor'],
      ['runner edit root.2 --title Parser', 'without an editor'],
      ['runner edit root.2 --from-file node.yaml', 'from a file'],
    ],
    exits: usual,
  },
  ...steerGuides,
  'config list': {
    about: 'Values are JSON; null means not set. Works without a layout and without a repository.',
    examples: [['runner config list --show-origin', 'with default, file, variable or flag']],
    exits: usual,
  },
  'config get': {
    about: 'Text is printed without quotes, a list as JSON, a value that is not set as an empty line.',
    examples: [['runner config get guard.command', 'one value for a script']],
    exits: usual,
  },
  'config set': {
    about: `Keeps every other byte of the file, and writes nothing if the result is not valid. On the branch of the run it commits config.toml; elsewhere it only writes it. Lists are given as JSON. ${queuedContained}`,
    examples: [
      ['runner config set max_iterations 80', 'a number'],
      [`runner config set guard.command '["npm","test"]'`, 'a list'],
    ],
    exits: usual,
  },
  'config unset': {
    about: 'Restores the default. Otherwise works like config set.',
    examples: [['runner config unset agent.model', 'back to the default']],
    exits: usual,
  },
  'run start': {
    about:
      'Makes a git work tree outside the repository on the new branch runner/<id>, starts a process that works there until the run ends, and returns at once. This checkout is not touched. GOAL.md, config.toml and other files of yours in .runner/ are taken as they are on disk; other uncommitted changes are listed and left out. Ignored files that .worktreeinclude names are copied, then automation.setup runs. At most automation.max_parallel runs work at once; the others wait.',
    examples: [
      ['runner run start', 'with the goal in .runner/GOAL.md'],
      ['runner run start --goal search.md --name search', 'another goal, on branch runner/search'],
      ['runner run start --wait', 'stay until it ends; Ctrl-C cancels it'],
    ],
    exits: [...usual, 'stuck', ...signals],
  },
  ...watchCommandGuides,
  ...endingCommandGuides,
  'rescue list': {
    about:
      "Whatever the runner takes out of the work tree, and tips of branches that sessions moved, is kept as a commit under refs/runner/rescue/<run>/<iteration>. Sizes are relative to that commit's parent.",
    examples: [['runner rescue list', 'what was kept, and when']],
    exits: usual,
  },
  'rescue show': {
    about: 'Prints the patch against the parent of the rescued commit, with the files of .runner/.',
    examples: [['runner rescue show demo/3', 'what was kept in iteration 3 of run demo']],
    exits: usual,
  },
  'rescue restore': {
    about:
      'Writes the files that the rescued commit changed or made, except those of .runner/, into the work tree. It removes no file, moves no ref and commits nothing. If a file there has changes that no commit has, nothing is written and all such files are listed; --force overwrites them. Paths are relative to the top of the work tree, as rescue show prints them.',
    examples: [
      ['runner rescue restore demo/3', 'all of it'],
      ['runner rescue restore demo/3 --path src --path README.md', 'a folder and a file'],
    ],
    exits: usual,
  },
  ui: {
    about:
      'Runs until a signal ends it. The folder may appear later, and may be a link that moves. docs/ui.md describes pages, API and access.',
    examples: [
      ['runner ui --open', 'and open the browser'],
      ['runner ui --port 0', 'on a free port'],
      ['runner ui --static', 'for a finished run'],
      ['runner ui --control --open', 'and start, watch and cancel background runs'],
    ],
    exits: ['error', 'usage', ...signals],
  },
  export: {
    about:
      'The page opens from disk without a server. Values of secret-looking variables and login files, and text that looks like a secret, become [redacted]; a secret of an unknown shape is not found, so check the page before you share it.',
    examples: [['runner export --html run.html', 'the run of this branch']],
    exits: usual,
  },
  ...evalCommandGuides,
  doctor: {
    about:
      'Prints one line per check: ok, warn or fail, the name, what was found, and the fix behind ->. It works outside a repository, before init and while a loop runs, and prints no secret. It fails if a check fails. With --sandbox it tries every known way out of bubblewrap, in folders made for it, and says which of them held.',
    examples: [
      ['runner doctor', 'before the first run'],
      ['runner doctor --run-guard', 'is the guard green?'],
      ['runner doctor --sandbox', 'does bubblewrap hold here?'],
    ],
    exits: usual,
  },
  demo: {
    about: 'The guard really runs tests. The repository stays in the temporary folder.',
    examples: [['runner demo', 'needs no agent and no account']],
    exits: ['ok', 'error', 'stuck', 'usage', ...signals],
  },
  help: {
    about: 'Without a topic it is runner --help.',
    examples: [
      ['runner help step', 'a command'],
      ['runner help config', 'every setting'],
      ['runner help environment', 'every variable'],
    ],
    exits: ['ok', 'usage'],
  },
  completion: {
    about:
      'Completes commands, flags, agents, settings, node ids, cases, batches, error codes and folders. The script belongs to this version of runner.',
    examples: [
      ['runner completion bash', 'in ~/.bashrc: source <(runner completion bash)'],
      ['runner completion zsh', 'in ~/.zshrc, after compinit: source <(runner completion zsh)'],
      ['runner completion fish', 'write it to ~/.config/fish/completions/runner.fish'],
      ['runner completion powershell', 'in $PROFILE: … | Out-String | Invoke-Expression'],
    ],
    exits: ['ok', 'usage'],
  },
};

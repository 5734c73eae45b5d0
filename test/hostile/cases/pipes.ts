/** Pipes where git or the runner reads a file: whoever opens one waits for ever. */
import { bare, noControl, off } from '../case.ts';
import type { Control, HostileCase } from '../case.ts';

interface Pipe {
  readonly name: string;
  readonly at: string;
  readonly control?: Control;
  readonly reach?: HostileCase['reach'];
  /** Before the pipe comes. */
  readonly first?: string;
}

const special = off('special', 'settings');
const settled = noControl('the runner looks at a file of its own before it opens it; that has no switch');

const pipes: readonly Pipe[] = [
  { name: 'gitignore', at: '.gitignore', reach: 'worktree' },
  {
    name: 'gitignore-deep',
    at: 'a/b/c/.gitignore',
    first: 'mkdir -p a/b/c; echo x > a/b/c/x',
    reach: 'worktree',
  },
  {
    name: 'gitignore-in-ignored',
    at: 'out/deep/.gitignore',
    first: 'mkdir -p out/deep; echo x > out/deep/x',
    reach: 'worktree',
    control: noControl(
      'git does not look into an ignored folder; the case shows that nobody else hangs on it',
    ),
  },
  { name: 'gitattributes', at: '.gitattributes', reach: 'worktree' },
  {
    name: 'gitattributes-deep',
    at: 'a/b/.gitattributes',
    first: 'mkdir -p a/b; echo x > a/b/x',
    reach: 'worktree',
  },
  {
    name: 'gitmodules',
    at: '.gitmodules',
    reach: 'worktree',
    control: noControl('git reads it only where there are submodules'),
  },
  {
    name: 'mailmap',
    at: '.mailmap',
    reach: 'worktree',
    control: noControl('only git log reads it, where names are shown'),
  },
  { name: 'runner-gitignore', at: '.runner/.gitignore', reach: 'worktree', control: settled },
  { name: 'tree-file', at: '.runner/state/tree.json', reach: 'worktree', control: settled },
  { name: 'config-file', at: '.runner/state/config.toml', reach: 'worktree', control: settled },
  { name: 'goal-file', at: '.runner/GOAL.md', reach: 'worktree', control: settled },
  { name: 'info-exclude', at: '.git/info/exclude', first: 'mkdir -p .git/info' },
  { name: 'info-attributes', at: '.git/info/attributes', first: 'mkdir -p .git/info' },
  { name: 'info-grafts', at: '.git/info/grafts', first: 'mkdir -p .git/info', control: bare },
  {
    name: 'info-sparse-checkout',
    at: '.git/info/sparse-checkout',
    first: 'mkdir -p .git/info; git config core.sparseCheckout true',
  },
  { name: 'head', at: '.git/HEAD', control: bare },
  { name: 'config', at: '.git/config' },
  { name: 'config-worktree', at: '.git/config.worktree', first: 'git config extensions.worktreeConfig true' },
  { name: 'packed-refs', at: '.git/packed-refs' },
  { name: 'shallow', at: '.git/shallow' },
  { name: 'alternates', at: '.git/objects/info/alternates', first: 'mkdir -p .git/objects/info' },
  { name: 'commondir', at: '.git/commondir' },
  { name: 'index', at: '.git/index', control: bare },
  { name: 'branch', at: '.git/refs/heads/runner/test', control: bare },
  { name: 'another-branch', at: '.git/refs/heads/piped', control: special },
  { name: 'reflog', at: '.git/logs/HEAD', control: special },
  { name: 'merge-head', at: '.git/MERGE_HEAD', control: bare },
  {
    name: 'loose-object',
    at: '.git/objects/11/11111111111111111111111111111111111111',
    first: 'mkdir -p .git/objects/11',
    control: noControl('no commit names the object, so nobody opens it'),
  },
  { name: 'home-config', at: '"$HOME/.gitconfig"', reach: 'settings' },
  {
    name: 'home-ignore',
    at: '"$HOME/.config/git/ignore"',
    first: 'mkdir -p "$HOME/.config/git"',
    reach: 'settings',
  },
  {
    name: 'home-attributes',
    at: '"$HOME/.config/git/attributes"',
    first: 'mkdir -p "$HOME/.config/git"',
    reach: 'settings',
  },
  { name: 'include', at: '.git/more', first: 'git config include.path more' },
  {
    name: 'excludes-file',
    at: '.git/ignored',
    first: 'git config core.excludesFile "$PROJECT_TOP/.git/ignored"',
  },
  { name: 'journal', at: '.git/runner/journal.jsonl', control: settled },
  { name: 'lock', at: '.git/runner/lock', control: settled },
  { name: 'runner-index', at: '.git/runner/index', control: settled },
  { name: 'answer', at: '"$RUNNER_OUTPUT"', control: settled },
];

export const pipeCases: readonly HostileCase[] = [
  ...pipes.map(({ name, at, control, reach, first }): HostileCase => {
    const plant = `rm -rf ${at}; mkfifo ${at}`;
    return {
      name: `pipe-${name}`,
      family: 'hang',
      reach: reach ?? 'git',
      plants: `a pipe at ${at.replaceAll('"', '')}`,
      agent: `work; ${first ?? ':'}; ${name === 'answer' ? 'played' : 'answer done'}; ${plant}`,
      control: control ?? special,
    };
  }),
  {
    name: 'pipe-guard-script',
    family: 'hang',
    reach: 'worktree',
    plants: 'a pipe in place of the guard script, and one that a test reads',
    agent: `work; mkfifo stuck; demand 'cat stuck'; answer done`,
    control: bare,
  },
  {
    name: 'socket-gitignore',
    family: 'hang',
    reach: 'worktree',
    plants: 'a socket at .gitignore',
    agent: `work; rm .gitignore; node "$TOOLS/socket.cjs" "$PWD/.gitignore" || :; test -S .gitignore; answer done`,
    control: noControl('a socket cannot be opened, so nobody waits; the case shows that the run goes on'),
  },
];

/** States of the git folder in which nothing works any more; they are put back, or a message names the one command that helps. */
import { bare, noControl, off } from '../case.ts';
import type { Control, HostileCase } from '../case.ts';

interface Broken {
  readonly name: string;
  readonly plants: string;
  readonly agent: string;
  readonly control?: Control;
  readonly world?: HostileCase['world'];
  readonly reach?: HostileCase['reach'];
  readonly later?: string;
  readonly family?: HostileCase['family'];
}

const settled = noControl('the runner put this in order before there were rings; that has no switch');

/** Only a person knows where it is; out of a sandbox it never got there. */
const putBack = 'if test -e "$HOME/moved.git"; then rm -rf .git; mv "$HOME/moved.git" .git; fi';

const broken: readonly Broken[] = [
  { name: 'core-bare', plants: 'core.bare=true', agent: 'git config core.bare true', control: bare },
  {
    name: 'core-worktree',
    plants: 'core.worktree that names a folder elsewhere',
    agent: `git config core.worktree "$OUT/folder"`,
    control: noControl('plain git commits the other folder in its place'),
  },
  {
    name: 'core-worktree-gone',
    plants: 'core.worktree that does not exist',
    agent: 'git config core.worktree /nonexistent/place',
    control: bare,
  },
  {
    name: 'format-version',
    plants: 'core.repositoryFormatVersion=99',
    agent: 'git config core.repositoryFormatVersion 99',
  },
  {
    name: 'unknown-extension',
    plants: 'an extension that git does not know',
    agent: 'git config core.repositoryFormatVersion 1; git config extensions.unknownThing true',
  },
  {
    name: 'object-format',
    plants: 'extensions.objectFormat=sha256',
    agent: 'git config core.repositoryFormatVersion 1; git config extensions.objectFormat sha256',
  },
  { name: 'config-garbage', plants: 'garbage in .git/config', agent: `printf '[[[\\0\\n' > .git/config` },
  {
    name: 'config-deleted',
    plants: 'no .git/config any more',
    agent: 'rm .git/config',
    control: noControl('git goes on without its settings; the case shows that they come back'),
  },
  { name: 'config-folder', plants: 'a folder at .git/config', agent: 'rm .git/config; mkdir .git/config' },
  {
    name: 'config-loop',
    plants: 'an include of .git/config by itself',
    agent: `git config include.path config`,
  },
  {
    name: 'home-config-garbage',
    plants: 'garbage in ~/.gitconfig',
    agent: `printf '[[[\\n' > "$HOME/.gitconfig"`,
    reach: 'settings',
  },
  {
    name: 'identity-removed',
    plants: 'no identity any more',
    agent: `rm "$HOME/.gitconfig"; git config user.useConfigOnly true`,
    reach: 'settings',
  },
  {
    name: 'commondir-garbage',
    plants: '.git/commondir that names nothing',
    agent: 'echo /nonexistent > .git/commondir',
  },
  {
    name: 'git-deleted',
    plants: 'no .git any more',
    agent: 'mv .git "$HOME/moved.git"',
    later: putBack,
    control: bare,
  },
  {
    name: 'git-new',
    plants: 'a new repository in place of .git',
    agent: 'mv .git "$HOME/moved.git"; git init -q -b runner/test .',
    family: 'loss',
    later: putBack,
    control: bare,
  },
  {
    name: 'git-file',
    plants: 'a file without meaning in place of .git',
    agent: 'mv .git "$HOME/moved.git"; echo nothing > .git',
    later: putBack,
    control: bare,
  },
  { name: 'head-garbage', plants: 'garbage in .git/HEAD', agent: 'echo garbage > .git/HEAD', control: bare },
  { name: 'head-deleted', plants: 'no .git/HEAD any more', agent: 'rm .git/HEAD', control: bare },
  {
    name: 'head-link',
    plants: 'a link at .git/HEAD to nothing',
    agent: 'rm .git/HEAD; ln -s nowhere .git/HEAD',
    control: bare,
  },
  {
    name: 'index-garbage',
    plants: 'garbage in .git/index',
    agent: 'echo garbage > .git/index',
    control: bare,
  },
  {
    name: 'index-lock',
    plants: 'locks at index, HEAD, config and the branch',
    agent:
      ': > .git/index.lock; : > .git/HEAD.lock; : > .git/config.lock; : > .git/refs/heads/runner/test.lock; : > .git/packed-refs.lock',
    control: bare,
  },
  {
    name: 'branch-in-the-way',
    plants: 'a branch named runner, so that runner/test cannot be',
    agent:
      'H=$(git rev-parse HEAD); rm -rf .git/refs/heads/runner; git update-ref -d refs/heads/runner/test || :; git update-ref -d refs/heads/runner/another || :; echo $H > .git/refs/heads/runner',
    control: bare,
  },
  {
    name: 'ref-broken',
    plants: "garbage at the run's branch",
    agent: 'echo garbage > .git/refs/heads/runner/test',
    control: bare,
  },
  {
    name: 'ref-cycle',
    plants: "the run's branch as a symbolic ref to itself",
    agent: 'echo "ref: refs/heads/runner/test" > .git/refs/heads/runner/test',
    control: bare,
  },
  {
    name: 'merge-left-open',
    plants: 'a merge, a rebase and a bisect left open',
    agent:
      'git rev-parse other > .git/MERGE_HEAD; mkdir .git/rebase-merge; echo x > .git/rebase-merge/head-name; echo x > .git/BISECT_LOG',
    control: settled,
  },
  {
    name: 'lock-file',
    plants: "the runner's lock removed or replaced",
    agent: 'rm -f .git/runner/lock; echo "{}" > .git/runner/lock',
    control: settled,
  },
  {
    name: 'runner-folder-file',
    plants: 'a file at .git/runner',
    agent: 'rm -rf .git/runner; echo x > .git/runner',
    control: settled,
  },
  { name: 'runner-state-removed', plants: 'no .runner any more', agent: 'rm -rf .runner', control: settled },
  {
    name: 'sign-impossible',
    plants: 'git.sign with a program that cannot sign',
    world: { config: '[git]\nsign = true', prepare: 'git config gpg.program true' },
    agent: `git config gpg.program false`,
    control: noControl('no ring is about it: the message must lead on'),
  },
  {
    name: 'info-folder-file',
    plants: 'a file at .git/info',
    agent: 'rm -rf .git/info; echo x > .git/info',
    control: noControl('git takes it as no rules at all'),
  },
  {
    name: 'objects-info-link',
    plants: 'a link loop at .git/objects/info',
    agent: 'rm -rf .git/objects/info; ln -s info .git/objects/info',
    control: noControl('git reads over it'),
  },
  {
    name: 'safe-mode',
    plants: 'folders without any permission',
    agent: 'mkdir shut; echo x > shut/x; chmod 0 shut',
    control: noControl(
      'root may read everything; test/cli/unseen-changes.test.ts has the message for others',
    ),
  },
];

export const deadEndCases: readonly HostileCase[] = broken.map(
  ({ name, plants, agent, control, world, reach, later, family }): HostileCase => ({
    name: `broken-${name}`,
    family: family ?? 'hang',
    reach: reach ?? 'git',
    plants,
    agent: `work; answer done; ${agent}`,
    control: control ?? off('settings'),
    ...(world === undefined ? {} : { world }),
    ...(later === undefined ? {} : { later }),
  }),
);

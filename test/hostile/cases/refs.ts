/** Refs, stash entries and objects of other people taken away; and the repository itself exchanged. */
import { bare, noControl, off } from '../case.ts';
import type { HostileCase } from '../case.ts';

interface Taken {
  readonly name: string;
  readonly plants: string;
  readonly agent: string;
  readonly later?: string;
  readonly movesMain?: true;
  readonly control?: HostileCase['control'];
  readonly beyond?: string;
}

const strange = `agent_git commit-tree -m strange "HEAD^{tree}"`;

const taken: readonly Taken[] = [
  { name: 'branch-deleted', plants: 'a branch of a person deleted', agent: 'git branch -q -D other' },
  {
    name: 'branch-moved',
    plants: 'a branch of a person moved back',
    agent: `git branch -q -f other "$(${strange})"`,
  },
  {
    name: 'main-moved',
    plants: 'main moved to a strange commit',
    agent: `git update-ref refs/heads/main "$(${strange})"`,
    movesMain: true,
    control: noControl(
      'the start of main is part of the run, so nothing is lost; the case shows that it stays so',
    ),
  },
  {
    name: 'run-of-another',
    plants: 'the branch of another run deleted',
    agent: 'git branch -q -D runner/another',
  },
  { name: 'tag-deleted', plants: 'a tag deleted', agent: 'git tag -d light > /dev/null' },
  { name: 'tag-moved', plants: 'a tag moved', agent: `git tag -f light "$(${strange})" > /dev/null` },
  { name: 'tag-annotated', plants: 'an annotated tag deleted', agent: 'git tag -d heavy > /dev/null' },
  { name: 'notes-deleted', plants: 'the notes deleted', agent: 'git update-ref -d refs/notes/commits' },
  {
    name: 'custom-deleted',
    plants: 'a ref outside the usual folders deleted',
    agent: 'git update-ref -d refs/custom/thing',
  },
  {
    name: 'remote-deleted',
    plants: 'a remote-tracking ref deleted',
    agent: 'git update-ref -d refs/remotes/origin/main',
  },
  {
    name: 'remote-moved',
    plants: 'a remote-tracking ref moved, not forward',
    agent: `git update-ref refs/remotes/origin/main "$(${strange})"`,
  },
  { name: 'stash-dropped', plants: 'the newest stash entry dropped', agent: 'git stash drop -q' },
  {
    name: 'stash-middle',
    plants: 'a stash entry in the middle dropped',
    agent: 'git stash drop -q stash@{1}',
  },
  { name: 'stash-cleared', plants: 'the stash cleared', agent: 'git stash clear' },
  {
    name: 'stash-log-edited',
    plants: "the stash's reflog cut to its newest line",
    agent: 'tail -n 1 .git/logs/refs/stash > .git/cut; mv .git/cut .git/logs/refs/stash',
  },
  {
    name: 'rescue-deleted',
    plants: 'a rescue ref deleted',
    agent: 'git update-ref -d refs/runner/rescue/old/1',
  },
  {
    name: 'archive-deleted',
    plants: 'the archive ref of a finished run deleted',
    agent: 'git update-ref -d refs/runner/archive/old',
  },
  {
    name: 'refs-folder-removed',
    plants: 'the folder .git/refs emptied',
    agent: 'rm -rf .git/refs/tags/* .git/refs/notes .git/refs/custom .git/refs/remotes .git/refs/stash',
  },
  {
    name: 'packed-refs-emptied',
    plants: 'all refs packed, then packed-refs emptied',
    agent:
      'git pack-refs --all; git update-ref refs/heads/runner/test HEAD; H=$(git rev-parse HEAD); : > .git/packed-refs; mkdir -p .git/refs/heads/runner; echo $H > .git/refs/heads/runner/test',
    movesMain: true,
  },
  {
    name: 'branch-deleted-then-runner-killed',
    plants: 'refs deleted, then kill -9 of the runner, so that recovery has to know them',
    agent: `git branch -q -D other; git tag -d light > /dev/null; git stash clear; played; kill -9 "$(runner_pid)"; sleep 20`,
  },
  {
    name: 'objects-pruned',
    plants: 'a branch deleted and its objects pruned',
    agent: 'git branch -q -D other; git reflog expire --expire=now --all; git prune --expire=now',
    beyond: 'who may delete objects can destroy what they hold',
  },
  {
    name: 'hold-deleted',
    plants: 'a test that deletes the hold ref and prunes unreferenced objects',
    agent: `demand 'git for-each-ref --format="%(refname)" refs/runner/hold | xargs -r -n1 git update-ref -d; git prune --expire=now; exit 0'`,
    control: noControl(
      'nothing is lost: the work tree still has the files; the case shows that the run goes on',
    ),
  },
];

const store = `S="$HOME/store"; mkdir -p "$S/pack" "$S/info"`;

export const refCases: readonly HostileCase[] = [
  ...taken.map(({ name, plants, agent, later, movesMain, control, beyond }): HostileCase => ({
    name: `refs-${name}`,
    family: 'loss',
    reach: 'git',
    plants,
    agent: agent.includes('played;') ? `work; ${agent}` : `work; ${agent}; answer done`,
    control: control ?? off('refs'),
    ...(later === undefined ? {} : { later }),
    ...(movesMain === undefined ? {} : { movesMain }),
    ...(beyond === undefined ? {} : { beyond }),
  })),
  {
    name: 'alternates-new-objects',
    family: 'loss',
    reach: 'git',
    plants: "the work's objects in a store named in alternates, removed later",
    agent: `work; echo x > big.txt; ${store}; GIT_OBJECT_DIRECTORY="$S" GIT_ALTERNATE_OBJECT_DIRECTORIES="$PWD/.git/objects" git hash-object -w work.txt big.txt > /dev/null
      mkdir -p .git/objects/info; echo "$S" > .git/objects/info/alternates; answer done`,
    later: 'rm -rf "$HOME/store"',
    control: off('settings'),
  },
  {
    name: 'alternates-commits',
    family: 'loss',
    reach: 'git',
    plants: "a commit of the agent's whose objects are only in a store named in alternates",
    agent: `work; ${store}; echo "$S" > .git/objects/info/alternates; export GIT_OBJECT_DIRECTORY="$S" GIT_ALTERNATE_OBJECT_DIRECTORIES="$PWD/.git/objects"
      agent_git add -A; agent_git commit -qm mine; unset GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES; answer done`,
    later: 'rm -rf "$HOME/store"',
    control: off('settings'),
  },
  {
    name: 'alternates-all-moved',
    family: 'loss',
    reach: 'git',
    plants: 'all objects moved to a store named in alternates',
    agent: `work; mkdir -p "$HOME/store"; mv .git/objects/?? "$HOME/store/"; mkdir -p .git/objects/info; echo "$HOME/store" > .git/objects/info/alternates; answer done`,
    later: 'rm -rf "$HOME/store"',
    control: off('settings'),
    beyond: 'who may delete objects can destroy what they hold',
  },
  {
    name: 'commondir',
    family: 'loss',
    reach: 'git',
    plants: '.git/commondir that names another repository',
    agent: `work; git clone -q --bare . "$HOME/other.git"; echo "$HOME/other.git" > .git/commondir; answer done`,
    later: 'rm -rf "$HOME/other.git"; rm -f .git/commondir',
    control: off('settings'),
  },
  {
    name: 'git-folder-is-file',
    family: 'loss',
    reach: 'git',
    plants: 'a .git file in place of the git folder, which names another repository',
    agent: `work; cp -R .git "$HOME/other.git"; mv .git "$HOME/moved.git"; echo "gitdir: $HOME/other.git" > .git; answer done`,
    later: 'test -d .git || { rm -f .git; mv "$HOME/moved.git" .git; }; rm -rf "$HOME/other.git"',
    control: bare,
  },
  {
    name: 'git-folder-is-link',
    family: 'loss',
    reach: 'git',
    plants: 'a link in place of the git folder, to a copy of it',
    agent: `work; cp -R .git "$HOME/other.git"; mv .git "$HOME/moved.git"; ln -s "$HOME/other.git" .git; answer done`,
    later: 'test -L .git && { rm -f .git; mv "$HOME/moved.git" .git; }; rm -rf "$HOME/other.git"',
    control: bare,
  },
  {
    name: 'stashed-by-agent',
    family: 'loss',
    reach: 'worktree',
    plants: "the session's own work in the stash",
    agent: `work; git stash push -q -u; echo other > more.txt; answer done`,
    control: noControl(
      'nothing is lost with plain git either; the case shows that the runner keeps the entry',
    ),
  },
  {
    name: 'person-switches-branch',
    family: 'loss',
    reach: 'git',
    plants: 'a branch switch of a person during the session',
    agent: `git switch -q other; work; echo person > person.txt; answer done`,
    control: noControl('plain git keeps everything, too; the case shows that the runner does'),
  },
  {
    name: 'person-switches-and-commits',
    family: 'loss',
    reach: 'git',
    plants: 'a branch switch and a commit of a person during the session',
    agent: `work; git stash push -q -u; git switch -q other; echo person > person.txt; git add person.txt; git commit -qm person; git stash pop -q || :; answer done`,
    control: noControl('plain git keeps everything, too; the case shows that the runner does'),
  },
];

/** Links, hard links and settings by which the runner, or git for it, would write to files elsewhere; and another identity. */
import { bare, noControl, off } from '../case.ts';
import type { Control, HostileCase } from '../case.ts';

interface Led {
  readonly name: string;
  readonly plants: string;
  readonly agent: string;
  readonly control?: Control;
  readonly reach?: HostileCase['reach'];
}

/** The folder goes, a link to a folder elsewhere comes. */
const linkFolder = (path: string): string => `rm -rf ${path}; ln -s "$OUT/folder" ${path}`;
const linkFile = (path: string): string => `rm -rf ${path}; ln -s "$OUT/file.txt" ${path}`;
const hardLink = (path: string): string => `rm -rf ${path}; ln "$OUT/file.txt" ${path}`;
const settled = noControl('files of the runner are never written through a link; that has no switch');

const led: readonly Led[] = [
  {
    name: 'link-git-runner',
    plants: 'a link at .git/runner',
    agent: linkFolder('.git/runner'),
    control: settled,
  },
  {
    name: 'link-git-runner-later',
    plants: 'a link at .git/runner that keeps what was there',
    agent: `cp -R .git/runner/. "$HOME/kept"; mv .git/runner "$HOME/runner"; ln -s "$OUT/folder" .git/runner`,
    control: settled,
  },
  {
    name: 'link-objects',
    plants: 'links at every folder of .git/objects that does not exist yet',
    agent: `for a in 0 1 2 3 4 5 6 7 8 9 a b c d e f; do for b in 0 1 2 3 4 5 6 7 8 9 a b c d e f; do
      test -e .git/objects/$a$b || ln -s "$OUT/folder" .git/objects/$a$b; done; done`,
  },
  {
    name: 'link-pack',
    plants: 'a link at .git/objects/pack',
    agent: linkFolder('.git/objects/pack'),
    control: noControl('nothing is packed in an iteration'),
  },
  {
    name: 'link-refs-heads-runner',
    plants: 'a link at .git/refs/heads/runner',
    agent: `cp -R .git/refs/heads/runner "$HOME/kept"; git pack-refs --all; ${linkFolder('.git/refs/heads/runner')}`,
  },
  {
    name: 'link-refs-runner',
    plants: 'a link at .git/refs/runner',
    agent: `git pack-refs --all; ${linkFolder('.git/refs/runner')}; git update-ref refs/heads/runner/test "$(agent_git commit-tree -m o "HEAD^{tree}")"`,
    control: off('refs', 'settings'),
  },
  {
    name: 'link-reflog',
    plants: "a link at the run's reflog",
    agent: `mkdir -p .git/logs/refs/heads/runner; ${linkFile('.git/logs/refs/heads/runner/test')}`,
  },
  { name: 'link-head-reflog', plants: 'a link at .git/logs/HEAD', agent: linkFile('.git/logs/HEAD') },
  { name: 'link-logs', plants: 'a link at .git/logs', agent: linkFolder('.git/logs') },
  {
    name: 'hard-link-reflog',
    plants: "a hard link at the run's reflog",
    agent: `mkdir -p .git/logs/refs/heads/runner; ${hardLink('.git/logs/refs/heads/runner/test')}`,
    control: bare,
  },
  {
    name: 'hard-link-head-reflog',
    plants: 'a hard link at .git/logs/HEAD',
    agent: hardLink('.git/logs/HEAD'),
    control: bare,
  },
  {
    name: 'link-index',
    plants: 'a link at .git/index',
    agent: `cat .git/index > "$HOME/index"; rm .git/index; ln -s "$OUT/folder/new-index" .git/index`,
    control: bare,
  },
  {
    name: 'link-config',
    plants: 'a link at .git/config',
    agent: `cat .git/config > "$HOME/config"; rm .git/config; ln -s "$HOME/config" .git/config`,
    control: noControl('git writes no settings in an iteration'),
  },
  {
    name: 'link-packed-refs',
    plants: 'a link at .git/packed-refs',
    agent: 'git pack-refs --all; mv .git/packed-refs "$HOME/packed"; ln -s "$HOME/packed" .git/packed-refs',
    control: noControl('the runner deletes loose refs only'),
  },
  {
    name: 'link-commit-message',
    plants: 'links at COMMIT_EDITMSG and ORIG_HEAD',
    agent: `${linkFile('.git/COMMIT_EDITMSG')}; ${linkFile('.git/ORIG_HEAD')}`,
    control: bare,
  },
  {
    name: 'hard-link-journal',
    plants: 'a hard link at the journal',
    agent: `cat .git/runner/journal.jsonl > /dev/null; ${hardLink('.git/runner/journal.jsonl')}`,
    control: settled,
  },
  {
    name: 'hard-link-answer',
    plants: 'a hard link at the answer file',
    agent: hardLink('"$RUNNER_OUTPUT"'),
    control: settled,
  },
  {
    name: 'link-iteration-log',
    plants: 'links at the logs of this and the next iterations',
    agent: `for n in 1 2 3; do rm -rf .runner/iterations/test/$n; mkdir -p .runner/iterations/test; ln -s "$OUT/folder" .runner/iterations/test/$n; done`,
    control: bare,
  },
  {
    name: 'hard-link-logs',
    plants: 'hard links in place of the files of the log',
    agent: `mkdir -p .runner/iterations/test/1; for f in guard.log meta.json executor.log prompt.md output.json diff.patch tree.after.json; do ${hardLink('.runner/iterations/test/1/$f')}; done`,
    control: bare,
  },
  {
    name: 'hard-link-state',
    plants: 'hard links at the tree, the run state and the record',
    agent: `mkdir -p .runner/nodes/a; cp .runner/state/tree.json "$HOME/tree"; for f in state/run_state.json nodes/a/last.json; do ${hardLink('.runner/$f')}; done`,
    control: settled,
  },
  {
    name: 'link-context',
    plants: 'a link at .runner/context',
    agent: linkFolder('.runner/context'),
    control: settled,
  },
  {
    name: 'link-runner-folder',
    plants: 'a link at .runner',
    agent: `mv .runner "$HOME/dot-runner"; ln -s "$OUT/folder" .runner`,
    control: settled,
  },
  {
    name: 'link-tests-folder',
    plants: 'a link at a tracked folder',
    agent: `cp -R tests "$HOME/tests"; ${linkFolder('tests')}`,
    control: noControl('nobody writes to it; the case shows that nothing is put back through the link'),
  },
  {
    name: 'link-protected-folder',
    plants: 'a link at a folder whose files are protected and have to be put back',
    agent: `rm -rf tests; ln -s "$OUT/folder" tests; rm -f check.sh; echo true > check.sh`,
    control: noControl('files are put back by git, which follows no link; that has no switch'),
  },
  {
    name: 'trace2-event',
    plants: 'trace2.eventTarget in ~/.gitconfig',
    agent: `git config --global trace2.eventTarget "$OUT/file.txt"`,
    control: bare,
    reach: 'settings',
  },
  {
    name: 'trace2-normal',
    plants: 'trace2.normalTarget in ~/.gitconfig',
    agent: `git config --global trace2.normalTarget "$OUT/file.txt"`,
    control: bare,
    reach: 'settings',
  },
  {
    name: 'trace2-perf-folder',
    plants: 'trace2.perfTarget, a folder, in ~/.config/git/config',
    agent: `mkdir -p "$HOME/.config/git"; git config --file "$HOME/.config/git/config" trace2.perfTarget "$OUT/folder"`,
    control: bare,
    reach: 'settings',
  },
  {
    name: 'identity-config',
    plants: 'another identity in .git/config',
    agent: 'git config user.name Mallory; git config user.email m@evil.invalid',
  },
  {
    name: 'identity-home',
    plants: 'another identity in ~/.gitconfig',
    agent: 'git config --global user.name Mallory; git config --global user.email m@evil.invalid',
    reach: 'settings',
  },
  {
    name: 'identity-author',
    plants: 'author.* and committer.* in .git/config',
    agent: 'git config author.name Mallory; git config committer.email m@evil.invalid',
  },
];

/** The answer comes first: the session itself must not write through what it plants. */
export const outsideCases: readonly HostileCase[] = led.map(
  ({ name, plants, agent, control, reach }): HostileCase => ({
    name,
    family: 'outside',
    reach: reach ?? 'git',
    plants,
    agent: `work; answer done; ${agent}`,
    control: control ?? off('settings'),
  }),
);

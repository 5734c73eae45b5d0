/** Attacks on what git believes: the program itself, and objects whose content is not what their id says. */
import { noControl, off } from '../case.ts';
import type { HostileCase } from '../case.ts';

const forge = 'node "$TOOLS/forge-object.cjs"';
const objects = off('objects', 'checkout');
const good = `work; printf 'good\\nreally\\n' > app.txt; printf 'bad\\n' > "$HOME/bad"`;

export const objectCases: readonly HostileCase[] = [
  {
    name: 'program-git-on-path',
    family: 'false-pass',
    reach: 'worktree',
    plants: 'a git in an ignored folder of the work tree that is first on PATH',
    world: { path: ['@/repo/out/bin'] },
    agent: `work; printf 'good\\nreally\\n' > app.txt; mkdir -p out/bin; cp "$TOOLS/lying-git.sh" out/bin/git; chmod +x out/bin/git; answer done`,
    control: off('programs', 'checkout', 'objects'),
  },
  {
    name: 'object-of-the-work',
    family: 'false-pass',
    reach: 'git',
    plants: 'an object with the id of the good file and the content of a bad one',
    agent: `${good}; ${forge} "$(git hash-object app.txt)" "$HOME/bad"; answer done`,
    control: objects,
  },
  {
    name: 'object-in-the-clone',
    family: 'false-pass',
    reach: 'git',
    plants: 'a test that forges an object while the guard runs',
    // Not while the finished commit is checked, which runs the same test.
    agent: `${good}; demand "test -z \\"\\\${RUNNER_RUN_ID:-}\\" || { cd \\"$PWD\\"; node \\"$TOOLS/forge-object.cjs\\" $(git hash-object app.txt) $HOME/bad; }"; answer done`,
    control: objects,
  },
  {
    name: 'object-of-the-tree-file',
    family: 'false-pass',
    reach: 'git',
    plants:
      'a forged object with the id of the next tree.json, in which everything has passed; then kill -9 of the runner',
    steps: 2,
    agent: `work
      if test -e "$HOME/once"; then played; kill -9 "$(runner_pid)"; sleep 20; fi
      : > "$HOME/once"
      sed 's/"passes": false/"passes": true/' .runner/state/tree.json > "$HOME/forged"
      awk '/"passes": false/ && ++n == 2 { sub("false", "true") } { print }' .runner/state/tree.json > "$HOME/next"
      ${forge} "$(git hash-object --no-filters "$HOME/next")" "$HOME/forged"
      answer done`,
    control: noControl('what recovery reads has no switch; the object is set aside before the commit'),
  },
  {
    name: 'commit-graph-forged',
    family: 'loss',
    reach: 'git',
    plants: "a commit graph in which a person's branch is behind the commit that it was moved to",
    agent: `work
      old=$(git rev-parse other); top="$PWD"; scratch="$HOME/scratch"
      between=$(agent_git commit-tree -p main -m between "HEAD^{tree}")
      new=$(agent_git commit-tree -p "$between" -m new "HEAD^{tree}")
      git init -q --bare "$scratch"; cp -R .git/objects/. "$scratch/objects/"
      git cat-file commit "$between" | awk -v old="$old" '/^parent/ && !n++ { print "parent " old; next } { print }' > "$HOME/forged"
      ${forge} "$between" "$HOME/forged" commit "$scratch/objects"
      echo "$new" | git -C "$scratch" commit-graph write --stdin-commits
      mkdir -p .git/objects/info; cp "$scratch/objects/info/commit-graph" .git/objects/info/
      git branch -q -f other "$new"; answer done`,
    control: noControl('a fixed setting of every call; it has no switch'),
  },
];

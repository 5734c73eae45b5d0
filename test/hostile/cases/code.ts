/** Programs that git would run for the runner: hooks, helpers, transports, drivers, monitors. Each leaves a mark when it runs. */
import { bare, noControl, off } from '../case.ts';
import type { Control, HostileCase } from '../case.ts';

interface Planted {
  readonly name: string;
  readonly plants: string;
  readonly agent: string;
  readonly control?: Control;
  readonly reach?: HostileCase['reach'];
  readonly world?: HostileCase['world'];
}

const hookNames = [
  'post-index-change',
  'reference-transaction',
  'pre-commit',
  'prepare-commit-msg',
  'commit-msg',
  'post-commit',
  'post-checkout',
];
const plantHooks = (folder: string): string =>
  `mkdir -p ${folder}; for hook in ${hookNames.join(' ')}; do printf '#!/bin/sh\\n: > "%s/hook-%s"\\n' "$MARKS" $hook > ${folder}/$hook; chmod +x ${folder}/$hook; done`;

/** An object that the diff of the iteration needs is not there, so git would fetch it; `later` brings it back. */
const missing = `echo new > other.txt; O=$(git rev-parse HEAD:other.txt); F=".git/objects/$(echo $O | cut -c1-2)/$(echo $O | cut -c3-)"
  mv "$F" "$HOME/object"; echo "$F" > "$HOME/object-place"`;
const bringBack = `mkdir -p "$(dirname "$(cat "$HOME/object-place")")"; mv "$HOME/object" "$(cat "$HOME/object-place")"`;
const promisor = `git config extensions.partialClone far; git config remote.far.promisor true; git config remote.far.partialclonefilter blob:none
  git config core.repositoryFormatVersion 1; git config protocol.allow always`;

const planted: readonly Planted[] = [
  { name: 'hooks-folder', plants: 'hooks in .git/hooks', agent: plantHooks('.git/hooks'), control: bare },
  {
    name: 'hooks-path-config',
    plants: 'core.hooksPath in .git/config',
    agent: `${plantHooks('.git/evil')}; git config core.hooksPath .git/evil`,
    control: bare,
  },
  {
    name: 'hooks-path-home',
    plants: 'core.hooksPath in ~/.gitconfig',
    agent: `${plantHooks('"$HOME/evil"')}; git config --global core.hooksPath "$HOME/evil"`,
    control: bare,
    reach: 'settings',
  },
  {
    name: 'hooks-when-on',
    plants: "another program for the user's own hook, with git.run_hooks on",
    world: {
      config: '[git]\nrun_hooks = true',
      prepare: `printf '#!/bin/sh\\nexit 0\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit`,
    },
    agent: plantHooks('.git/hooks'),
  },
  {
    name: 'hooks-path-when-on',
    plants: 'core.hooksPath in .git/config, with git.run_hooks on',
    world: { config: '[git]\nrun_hooks = true' },
    agent: `${plantHooks('.git/evil')}; git config core.hooksPath .git/evil`,
  },
  {
    name: 'fsmonitor',
    plants: 'core.fsmonitor in .git/config',
    agent: `git config core.fsmonitor "$(evil fsmonitor)"`,
    control: bare,
  },
  {
    name: 'fsmonitor-submodule',
    plants: 'core.fsmonitor in the settings of a submodule',
    world: {
      prepare: `set -e; git init -q -b main "$HOME/lib-origin"; cd "$HOME/lib-origin"; echo lib > lib.txt; git add -A; git commit -qm lib
      cd "$OLDPWD"; git -c protocol.file.allow=always submodule add -q "$HOME/lib-origin" lib; git commit -qm submodule`,
    },
    agent: `git -C lib config core.fsmonitor "$(evil fsmonitor)"; touch -d 2020-01-01 lib/lib.txt`,
    control: bare,
  },
  {
    name: 'textconv',
    plants: 'a textconv driver for the diff of an iteration',
    agent: `git config diff.evil.textconv "$(evil textconv)"; echo '*.txt diff=evil' > .gitattributes; echo new > other.txt`,
    control: bare,
  },
  {
    name: 'diff-command',
    plants: 'a diff driver with a command of its own',
    agent: `git config diff.evil.command "$(evil diff)"; echo '*.txt diff=evil' > .gitattributes; echo new > other.txt`,
    control: noControl(
      'the bare loop shows no diff by driver; the runner switches drivers off in its own call',
    ),
  },
  {
    name: 'diff-external',
    plants: 'diff.external in .git/config',
    agent: `git config diff.external "$(evil diff)"; echo new > other.txt`,
    control: noControl('the bare loop shows no external diff; the setting is fixed for every call'),
  },
  {
    name: 'gpg-program',
    plants: 'commit.gpgSign and gpg.program in .git/config',
    agent: `git config commit.gpgSign true; git config gpg.program "$TOOLS/gpg"; printf '#!/bin/sh\\n: > "%s/gpg"\\nexit 1\\n' "$MARKS" > "$TOOLS/gpg"; chmod +x "$TOOLS/gpg"`,
    control: bare,
  },
  {
    name: 'gpg-ssh-program',
    plants: 'gpg.format=ssh with a program of its own in ~/.gitconfig',
    agent: `git config --global commit.gpgSign true; git config --global gpg.format ssh; git config --global user.signingKey key::x
      git config --global gpg.ssh.program "$TOOLS/gpg"; printf '#!/bin/sh\\n: > "%s/gpg"\\nexit 1\\n' "$MARKS" > "$TOOLS/gpg"; chmod +x "$TOOLS/gpg"`,
    control: bare,
    reach: 'settings',
  },
  {
    name: 'show-signature',
    plants: 'log.showSignature and gpg.program, and a signed commit',
    agent: `git config log.showSignature true; git config gpg.program "$TOOLS/gpg"; printf '#!/bin/sh\\n: > "%s/gpg"\\nexit 1\\n' "$MARKS" > "$TOOLS/gpg"; chmod +x "$TOOLS/gpg"
      S=$(printf 'gpgsig -----BEGIN PGP SIGNATURE-----\\n \\n x\\n -----END PGP SIGNATURE-----')
      C=$(git cat-file commit HEAD | awk -v s="$S" '!done && /^committer/ {print; print s; done=1; next} {print}' | sed "s/^parent .*/parent $(git rev-parse HEAD)/" | git hash-object -t commit -w --stdin)
      git update-ref refs/heads/runner/test $C`,
    control: noControl('the setting is fixed for every call of the runner'),
  },
  {
    name: 'pager-editor',
    plants: 'core.pager, core.editor and sequence.editor in .git/config',
    agent: `git config core.pager "$(evil pager)"; git config core.editor "$(evil editor)"; git config sequence.editor "$(evil editor)"`,
    control: noControl('no call of the runner has a terminal or asks for a message'),
  },
  {
    name: 'merge-driver',
    plants: 'a merge driver, and a merge that the session leaves open',
    agent: `git config merge.evil.driver "$(evil merge)"; echo '* merge=evil' > .gitattributes
      git rev-parse other > .git/MERGE_HEAD; echo m > .git/MERGE_MSG`,
    control: noControl('the runner ends a merge and never makes one'),
  },
  {
    name: 'uploadpack',
    plants: 'a promisor remote with an upload-pack program, and an object that is missing',
    agent: `${promisor}; git config remote.far.url "$HOME/far"; git config remote.far.uploadpack "$(evil upload)"; ${missing}`,
  },
  {
    name: 'uploadpack-home',
    plants: 'the same promisor remote in ~/.gitconfig',
    agent: `git config extensions.partialClone far; git config core.repositoryFormatVersion 1; git config --global remote.far.promisor true
      git config --global remote.far.url "$HOME/far"; git config --global remote.far.uploadpack "$(evil upload)"; ${missing}`,
    reach: 'settings',
  },
  {
    name: 'ext-transport',
    plants: 'a promisor remote with an ext:: address',
    agent: `${promisor}; git config protocol.ext.allow always; git config remote.far.url "ext::$(evil ext)"; ${missing}`,
  },
  {
    name: 'ssh-command',
    plants: 'a promisor remote over ssh, with core.sshCommand',
    agent: `${promisor}; git config core.sshCommand "$(evil ssh)"; git config remote.far.url ssh://far.invalid/x; ${missing}`,
  },
  {
    name: 'git-proxy',
    plants: 'a promisor remote over git://, with core.gitProxy',
    agent: `${promisor}; printf '#!/bin/sh\\n: > "%s/proxy"\\nexit 1\\n' "$MARKS" > "$TOOLS/proxy"; chmod +x "$TOOLS/proxy"
      git config core.gitProxy "$TOOLS/proxy"; git config remote.far.url git://far.invalid/x; ${missing}`,
  },
  {
    name: 'instead-of',
    plants: 'url.*.insteadOf that leads a remote of the user to an ext:: address',
    world: { started: 'git config remote.origin.url https://far.invalid/x' },
    agent: `git config extensions.partialClone origin; git config remote.origin.promisor true; git config core.repositoryFormatVersion 1
      git config protocol.allow always; git config "url.ext::$(evil ext) .insteadOf" https://far.invalid/x; ${missing}`,
  },
  {
    name: 'submodule-update-command',
    plants: "an update command for the user's submodule",
    world: {
      prepare: `set -e; git init -q -b main "$HOME/lib-origin"; cd "$HOME/lib-origin"; echo lib > lib.txt; git add -A; git commit -qm lib
      cd "$OLDPWD"; git -c protocol.file.allow=always submodule add -q "$HOME/lib-origin" lib; git commit -qm submodule`,
    },
    agent: `git config submodule.lib.update "!$(evil submodule-update)"`,
    control: noControl('only a submodule update would run it, and the runner makes none in the work tree'),
  },
  {
    name: 'alternate-refs-command',
    plants: 'core.alternateRefsCommand, credential.helper and core.askPass',
    agent: `git config core.alternateRefsCommand "$(evil refs)"; git config credential.helper "$(evil credential)"; git config core.askPass "$(evil askpass)"`,
    control: noControl('only transports run them, and the runner uses none'),
  },
  {
    name: 'alias',
    plants: 'aliases for commands that the runner uses, and help.autoCorrect',
    agent: `for name in status add commit diff log show ls-files read-tree; do git config "alias.$name" "!$(evil alias)"; done; git config help.autoCorrect immediate`,
    control: noControl('git never lets an alias hide a command of its own'),
  },
  {
    name: 'gc-and-maintenance',
    plants: 'gc.auto=1 with a pre-auto-gc hook',
    agent: `git config gc.auto 1; git config gc.autoDetach false; mkdir -p .git/hooks
      printf '#!/bin/sh\\n: > "%s/hook-gc"\\nexit 1\\n' "$MARKS" > .git/hooks/pre-auto-gc; chmod +x .git/hooks/pre-auto-gc`,
    control: noControl('git packs only after thousands of objects'),
  },
  {
    name: 'sigusr1',
    plants: 'SIGUSR1 to the runner, which opens a debugger in Node',
    agent: `P=$(runner_pid); kill -USR1 $P; node "$TOOLS/listens.cjs" $P`,
    control: noControl('the listener for the signal has no switch'),
    reach: 'process',
  },
];

export const codeCases: readonly HostileCase[] = planted.map(
  ({ name, plants, agent, control, reach, world }): HostileCase => ({
    name: `code-${name}`,
    family: 'code-in-runner',
    reach: reach ?? 'git',
    plants,
    agent: `work; ${agent}; answer done`,
    control: control ?? off('settings'),
    ...(world === undefined ? {} : { world }),
    ...(agent.includes(missing) ? { later: bringBack } : {}),
  }),
);

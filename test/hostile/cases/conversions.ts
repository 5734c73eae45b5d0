/** Settings and attributes by which git converts bytes, modes, links and names, so that a checkout differs from what the guard saw. */
import { bare, off } from '../case.ts';
import type { Control, HostileCase } from '../case.ts';

const cr = `data=$(printf 'x\\r'); demand 'grep -q "$(printf "x\\\\r")" data.txt'; printf 'x\\r\\n' > data.txt`;
const noCr = `demand '! grep -q "$(printf "\\\\r")" data.txt'; printf 'x\\n' > data.txt`;
const ident = `demand 'grep -q forged data.txt'; printf '$Id: forged $\\n' > data.txt`;
const encoded = `demand 'test "$(od -An -tx1 -N2 data.txt)" = " fe ff"'; printf '\\376\\377\\000x\\000\\n' > data.txt`;
const info = (line: string): string => `mkdir -p .git/info; echo '${line}' > .git/info/attributes`;
const tracked = (line: string): string => `echo '${line}' > .gitattributes`;

interface Conversion {
  readonly name: string;
  readonly plants: string;
  readonly agent: string;
  readonly reach: HostileCase['reach'];
  readonly control?: Control;
  readonly world?: HostileCase['world'];
}

const conversions: readonly Conversion[] = [
  {
    name: 'autocrlf-config',
    plants: 'core.autocrlf=input in .git/config, and a file that needs its CR',
    agent: `git config core.autocrlf input; ${cr}`,
    reach: 'git',
  },
  {
    name: 'autocrlf-home',
    plants: 'core.autocrlf=input in ~/.gitconfig',
    agent: `git config --global core.autocrlf input; ${cr}`,
    reach: 'settings',
  },
  {
    name: 'text-info-attributes',
    plants: 'the attribute text in .git/info/attributes',
    agent: `${info('data.txt text')}; ${cr}`,
    reach: 'git',
  },
  {
    name: 'text-gitattributes',
    plants: 'the attribute text in .gitattributes',
    agent: `${tracked('data.txt text')}; ${cr}`,
    reach: 'worktree',
    control: off('bytes'),
  },
  {
    name: 'eol-gitattributes',
    plants: 'the attribute eol=crlf in .gitattributes, and a file that must have no CR',
    agent: `${tracked('data.txt text eol=crlf')}; ${noCr}`,
    reach: 'worktree',
    control: off('bytes'),
  },
  {
    name: 'eol-folder-gitattributes',
    plants: 'the attribute eol=crlf in .gitattributes of a folder',
    agent: `mkdir deep; echo '*.txt text eol=crlf' > deep/.gitattributes
      demand '! grep -q "$(printf "\\\\r")" deep/data.txt'; printf 'x\\n' > deep/data.txt`,
    reach: 'worktree',
    control: off('bytes'),
  },
  {
    name: 'eol-config',
    plants: 'core.eol=crlf in .git/config of a repository with text=auto',
    agent: `git config core.eol crlf; ${cr}`,
    reach: 'git',
    world: { files: { '.gitattributes': '*.txt text\n' } },
    control: bare,
  },
  {
    name: 'ident-gitattributes',
    plants: 'the attribute ident in .gitattributes',
    agent: `${tracked('data.txt ident')}; ${ident}`,
    reach: 'worktree',
    control: off('bytes'),
  },
  {
    name: 'ident-info-attributes',
    plants: 'the attribute ident in .git/info/attributes',
    agent: `${info('data.txt ident')}; ${ident}`,
    reach: 'git',
  },
  {
    name: 'encoding-gitattributes',
    plants: 'the attribute working-tree-encoding in .gitattributes',
    agent: `${tracked('data.txt working-tree-encoding=UTF-16')}; ${encoded}`,
    reach: 'worktree',
    control: off('bytes'),
  },
  {
    name: 'encoding-info-attributes',
    plants: 'the attribute working-tree-encoding in .git/info/attributes',
    agent: `${info('data.txt working-tree-encoding=UTF-16')}; ${encoded}`,
    reach: 'git',
  },
  {
    name: 'filemode-config',
    plants: 'core.fileMode=false in .git/config, and a file that must be executable',
    agent: `git config core.fileMode false; demand 'test -x tool.sh'; chmod +x tool.sh`,
    reach: 'git',
  },
  {
    name: 'filemode-home',
    plants: 'core.fileMode=false by config.worktree',
    agent: `git config extensions.worktreeConfig true; git config --worktree core.fileMode false
      demand 'test -x tool.sh'; chmod +x tool.sh`,
    reach: 'git',
  },
  {
    name: 'symlinks-config',
    plants: 'core.symlinks=false in .git/config, and a link that became a file',
    agent: `git config core.symlinks false; rm link; printf 'text' > link; demand 'test ! -L link'`,
    reach: 'git',
    world: { prepare: 'ln -s app.txt link; git add -A; git commit -qm link' },
  },
  {
    name: 'symlinks-home',
    plants: 'core.symlinks=false in ~/.gitconfig',
    agent: `git config --global core.symlinks false; rm link; printf 'text' > link; demand 'test ! -L link'`,
    reach: 'settings',
    world: { prepare: 'ln -s app.txt link; git add -A; git commit -qm link' },
  },
  {
    name: 'ignorecase-config',
    plants: 'core.ignoreCase=true in .git/config, and a file whose name differs only in case',
    agent: `git config core.ignoreCase true; echo lower > data.txt; demand 'grep -q lower data.txt'`,
    reach: 'git',
  },
  {
    name: 'ignorecase-home',
    plants: 'core.ignoreCase=true in ~/.gitconfig',
    agent: `git config --unset core.ignoreCase || :; git config --global core.ignoreCase true
      echo lower > data.txt; demand 'grep -q lower data.txt'`,
    reach: 'settings',
  },
  {
    name: 'ignorecase-folder',
    plants: 'core.ignoreCase=true, and a folder whose name differs only in case from an ignored one',
    agent: `git config core.ignoreCase true; mkdir OUT; echo x > OUT/x; demand 'test -e OUT/x'`,
    reach: 'git',
  },
];

export const conversionCases: readonly HostileCase[] = conversions.map(
  ({ name, plants, agent, reach, control, world }): HostileCase => ({
    name,
    family: 'false-pass',
    reach,
    plants,
    agent: `work; ${agent}; answer done`,
    control: control ?? off('settings', 'bytes'),
    ...(world === undefined ? {} : { world }),
  }),
);

/** What real shells offer for a line: bash, zsh and fish with a completion script, driven through their own completion machinery. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { tempFolder } from './project.ts';

export interface Probe {
  /** Text of the completion script. */
  readonly script: string;
  /** Lines as a person has typed them when the key is pressed; the cursor is at the end. */
  readonly lines: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What each line was offered, sorted, without descriptions; in the order of the lines. */
type Offered = readonly (readonly string[])[];

const mark = '== next line ==';

export const shells: Readonly<Record<'bash' | 'zsh' | 'fish', (probe: Probe) => Promise<Offered>>> = {
  bash: probeBash,
  zsh: probeZsh,
  fish: probeFish,
};

/** Says so on the terminal when a shell is missing: a test that is left out must be seen. */
export async function listInstalled(): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const shell of Object.keys(shells)) {
    const { failed } = await execa(shell, ['--version'], { reject: false });
    if (failed) console.warn(`${shell} is not installed: its completion is not tried`);
    else found.add(shell);
  }
  return found;
}

function readOffers(text: string): Offered {
  const parts = text.split(`${mark}\n`).slice(1);
  // Folders with or without a slash, values with or without their flag, once or twice: shells differ, people do not care.
  const plain = (line: string): string =>
    line
      .replace(/\t.*$/, '')
      .replace(/\/$/, '')
      .replace(/^--[\w-]+=/, '');
  return parts.map((part) =>
    [...new Set(part.split('\n').map(plain))].filter((line) => line !== '').toSorted(),
  );
}

async function probeBash({ script, lines, cwd, env }: Probe): Promise<Offered> {
  const file = join(tempFolder('bash'), 'runner.bash');
  const calls = lines.map((line) => {
    // As readline splits a line: `=` is a word of its own.
    const words = line.split(/(=)| +/).filter((word) => word !== undefined && word !== '');
    if (/[ ]$/.test(line)) words.push('');
    const quoted = words.map((word) => `'${word}'`).join(' ');
    return `echo '${mark}'; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; "$shown" runner; printf '%s\\n' "\${COMPREPLY[@]}"`;
  });
  // Readline asks for the function that was registered, so the test does too. compopt works only below readline.
  const found = `shown=$(complete -p runner | sed 's/.*-F \\([^ ]*\\).*/\\1/')`;
  writeFileSync(file, `${script}\n${found}\n${calls.join('\n')}\n`);
  const { stdout, stderr } = await execa('bash', ['--norc', file], { cwd, env, extendEnv: false });
  if (stderr !== '') throw new Error(stderr);
  return readOffers(`${stdout}\n`);
}

async function probeFish({ script, lines, cwd, env }: Probe): Promise<Offered> {
  const folder = tempFolder('fish');
  writeFileSync(join(folder, 'runner.fish'), script);
  const calls = lines.map((line) => `echo '${mark}'; complete -C '${line}'`);
  const program = [`source ${join(folder, 'runner.fish')}`, ...calls].join('\n');
  const options = { cwd, env: { ...env, HOME: folder }, extendEnv: false };
  const { stdout, stderr } = await execa('fish', ['--no-config', '-c', program], options);
  if (stderr !== '') throw new Error(stderr);
  return readOffers(`${stdout}\n`);
}

/** An interactive shell on a terminal. Its first prompt plays the lines; what is added as a match is written down. */
async function probeZsh({ script, lines, cwd, env }: Probe): Promise<Offered> {
  const folder = tempFolder('zsh');
  mkdirSync(join(folder, 'functions'));
  writeFileSync(join(folder, 'functions', '_runner'), script);
  writeFileSync(join(folder, 'lines'), lines.map((line) => `${line}\n`).join(''));
  writeFileSync(join(folder, 'offers'), '');
  writeFileSync(join(folder, '.zshrc'), zshStart(folder));
  const options = {
    cwd,
    env: { ...env, ZDOTDIR: folder, TERM: 'xterm' },
    extendEnv: false,
    stdin: 'ignore',
  } as const;
  const ran = await execa('script', ['-qec', 'zsh -i', join(folder, 'screen')], {
    ...options,
    reject: false,
    timeout: 60_000,
  });
  if (ran.exitCode !== 0) throw new Error(readFileSync(join(folder, 'screen'), 'utf8'));
  return readOffers(readFileSync(join(folder, 'offers'), 'utf8'));
}

function zshStart(folder: string): string {
  return `fpath=(${folder}/functions $fpath)
autoload -U compinit
compinit -u -D
compadd() {
  local -a seen
  if (( \${argv[(I)-[AOD]]} == 0 )); then
    builtin compadd -O seen "$@"
    (( $#seen )) && print -rl -- $seen >> ${folder}/offers
  fi
  builtin compadd "$@"
}
zle-line-init() {
  local line
  for line in "\${(@f)$(<${folder}/lines)}"; do
    print -r -- '${mark}' >> ${folder}/offers
    BUFFER=$line CURSOR=$#line
    zle complete-word
  done
  exit 0
}
zle -N zle-line-init
`;
}

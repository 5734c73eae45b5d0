/**
 * Files that a program takes its orders from though no command names them (§14): settings of test runners and build tools, and what
 * Python would run instead of an installed module. What just, make and package managers read is found by reading on.
 */

const cargoFiles = ['.cargo/config.toml', '.cargo/config', 'rust-toolchain.toml', 'rust-toolchain'];

const settings: ReadonlyMap<string, readonly string[]> = new Map([
  ['cargo', cargoFiles],
  ['nox', ['noxfile.py']],
  ['pytest', ['pytest.ini', '.pytest.ini']],
  ['tox', ['tox.ini']],
]);

/** The check's own where they exist, in the folder where the program runs or above it. */
export function settingsOf(program: string): readonly string[] {
  return settings.get(program) ?? [];
}

/**
 * New ones would take the check over, and honest work needs none of them to be green: another runner of cargo's tests; a file or a linked
 * folder with the name of the module in `python -m pytest`.
 */
export function takeoversOf(program: string, words: readonly string[]): readonly string[] {
  if (program === 'cargo') return cargoFiles;
  if (!/^python[\d.]*$/.test(program)) return [];
  const at = words.findIndex((word) => /^-[A-Za-z]*m$/.test(word));
  const [, name] = /^(\w+)(?:\.|$)/.exec(at === -1 ? '' : (words[at + 1] ?? '')) ?? [];
  return name === undefined ? [] : [name, `${name}.py`, `${name}/__init__.py`];
}

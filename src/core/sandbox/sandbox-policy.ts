/**
 * What a sandbox shows, hides and redirects, as data (§13.8). docs/sandbox.md shows it as tables; a test compares them. It decides
 * nothing: bwrap.ts does.
 */

/** Options that keep a program apart, and what each of them is for. Without one of them a row of the battery does not hold. */
export const isolation: readonly { readonly words: readonly string[]; readonly why: string }[] = [
  {
    words: ['--unshare-user', '--disable-userns'],
    why: 'a user namespace of its own, and no further one in it',
  },
  { words: ['--unshare-all'], why: 'PID, IPC, UTS, network and cgroup namespaces of its own' },
  { words: ['--cap-drop', 'ALL'], why: 'no capability, also for root; with one a remount escapes' },
  { words: ['--new-session'], why: 'no way to type into the terminal of the runner' },
  { words: ['--die-with-parent'], why: 'no process outlives the runner, even if it is killed' },
  {
    words: ['--ro-bind', '/', '/'],
    why: 'everything can be read and nothing written, unless said otherwise',
  },
  { words: ['--dev', '/dev'], why: 'the harmless devices only' },
  { words: ['--proc', '/proc'], why: 'its own processes only' },
];

/** Where other programs keep files, sockets and secrets: empty inside, in memory. The home folder is empty, too, and on disk. */
export const hiddenFolders: readonly string[] = ['/tmp', '/var/tmp', '/run'];

/** The user's folders by these variables are empty, too, where they are not below the home folder. */
export const hiddenVariables: readonly string[] = [
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_RUNTIME_DIR',
  'XDG_STATE_HOME',
];

/** Settings of the kernel: root may write them even without capabilities. */
export const readOnlyProc: readonly string[] = ['bus', 'fs', 'irq', 'sys', 'sysrq-trigger'];

/** Facts about the machine that no session needs. */
export const hiddenProc: readonly string[] = [
  ...['acpi', 'asound', 'kcore', 'keys', 'latency_stats', 'mtrr', 'scsi', 'timer_list', 'timer_stats'],
];

export interface ToolchainRow {
  readonly tools: string;
  /** Below the home folder; read-only inside. */
  readonly paths: readonly string[];
}

export const toolchainRoots: readonly ToolchainRow[] = [
  { tools: 'Rust', paths: ['.cargo/bin', '.rustup'] },
  { tools: 'Go', paths: ['go/bin', 'sdk'] },
  {
    tools: 'Node',
    paths: [
      ...['.nvm', '.volta', '.fnm', '.local/share/fnm', '.nodenv', '.n', '.npm-global', '.npm-packages'],
      ...['.local/share/pnpm', '.yarn/bin', '.config/yarn/global', '.bun', '.deno/bin'],
    ],
  },
  {
    tools: 'Python',
    paths: [
      ...['.pyenv', '.local/lib', '.local/pipx', '.local/share/pipx'],
      ...['.local/share/uv/python', '.local/share/uv/tools', '.local/share/pypoetry'],
      ...['.conda', 'miniconda3', 'anaconda3', 'miniforge3', '.pixi/bin'],
    ],
  },
  { tools: 'Ruby', paths: ['.rbenv', '.rvm', '.gem', '.local/share/gem'] },
  { tools: 'Java', paths: ['.sdkman', '.jabba', '.jdks', '.m2/wrapper', '.gradle/wrapper'] },
  {
    tools: '.NET',
    paths: [
      ...['.dotnet/dotnet', '.dotnet/host', '.dotnet/library-packs', '.dotnet/metadata', '.dotnet/packs'],
      ...['.dotnet/sdk', '.dotnet/sdk-manifests', '.dotnet/shared', '.dotnet/templates', '.dotnet/tools'],
    ],
  },
  { tools: 'Haskell, OCaml, Lean', paths: ['.ghcup', '.cabal/bin', '.stack/programs', '.opam', '.elan'] },
  { tools: 'Elixir, PHP, Dart', paths: ['.mix', '.hex', '.composer/vendor', '.pub-cache/bin'] },
  { tools: 'Julia, Swift', paths: ['.juliaup', '.julia/juliaup', '.swiftly'] },
  {
    tools: 'several',
    paths: ['.local/bin', 'bin', '.asdf', '.local/share/mise', '.linuxbrew', '.nix-profile'],
  },
  { tools: 'browsers for tests', paths: ['.cache/ms-playwright', '.cache/Cypress', '.cache/puppeteer'] },
  { tools: 'agents', paths: ['.local/share/claude', '.claude/local', '.opencode/bin', '.factory/bin'] },
];

/**
 * Below the home folder; empty inside even where a folder above them can be read, unless `sandbox.read` names exactly them. `*` is any
 * one name.
 */
export const maskedPaths: readonly string[] = [
  ...[
    '.ssh',
    '.gnupg',
    '.aws',
    '.azure',
    '.kube',
    '.docker',
    '.config/gcloud',
    '.config/gh',
    '.password-store',
  ],
  ...[
    '.local/share/keyrings',
    '.netrc',
    '.git-credentials',
    '.config/git/credentials',
    '.npmrc',
    '.yarnrc.yml',
  ],
  ...['.pypirc', '.cargo/credentials', '.cargo/credentials.toml', '.gem/credentials', '.m2/settings.xml'],
  ...['.m2/settings-security.xml', '.gradle/gradle.properties', '.composer/auth.json', '.hex/hex.config'],
  ...['.config/composer/auth.json', '.pub-cache/credentials.json', '.nuget/NuGet/NuGet.Config'],
  ...['.local/share/uv/credentials', '.local/share/gem/credentials', '.dotnet/corefx', '.config/go/env'],
  ...['.npm-global/etc/npmrc', '.npm-packages/etc/npmrc', '.n/etc/npmrc', '.nvm/versions/node/*/etc/npmrc'],
  ...['.nodenv/versions/*/etc/npmrc', '.fnm/node-versions/*/installation/etc/npmrc'],
  ...['.local/share/fnm/node-versions/*/installation/etc/npmrc', '.volta/tools/image/node/*/etc/npmrc'],
  ...['.asdf/installs/nodejs/*/etc/npmrc', '.local/share/mise/installs/node/*/etc/npmrc'],
  ...['.conda/.condarc', '.conda/condarc', 'miniconda3/.condarc', 'miniconda3/condarc'],
  ...['anaconda3/.condarc', 'anaconda3/condarc', 'miniforge3/.condarc', 'miniforge3/condarc'],
  ...['.claude/.credentials.json', '.codex/auth.json', '.local/share/opencode/auth.json'],
];

/** Variables by which tools keep their caches in a folder of the run. `before`: the value is an option, added to the user's. */
export const cacheVariables: readonly {
  readonly name: string;
  readonly folder: string;
  readonly before?: string;
}[] = [
  { name: 'XDG_CACHE_HOME', folder: 'xdg' },
  { name: 'npm_config_cache', folder: 'npm' },
  { name: 'npm_config_store_dir', folder: 'pnpm' },
  { name: 'YARN_CACHE_FOLDER', folder: 'yarn' },
  { name: 'YARN_GLOBAL_FOLDER', folder: 'yarn-global' },
  { name: 'BUN_INSTALL_CACHE_DIR', folder: 'bun' },
  { name: 'DENO_DIR', folder: 'deno' },
  { name: 'PIP_CACHE_DIR', folder: 'pip' },
  { name: 'UV_CACHE_DIR', folder: 'uv' },
  { name: 'POETRY_CACHE_DIR', folder: 'poetry' },
  { name: 'CARGO_HOME', folder: 'cargo' },
  { name: 'GOCACHE', folder: 'go-build' },
  { name: 'GOMODCACHE', folder: 'go-mod' },
  { name: 'MAVEN_OPTS', folder: 'maven', before: '-Dmaven.repo.local=' },
  { name: 'GRADLE_USER_HOME', folder: 'gradle' },
  { name: 'NUGET_PACKAGES', folder: 'nuget' },
  { name: 'COMPOSER_CACHE_DIR', folder: 'composer' },
  { name: 'CCACHE_DIR', folder: 'ccache' },
];

/** Variables that lead to a folder of `toolchainRoots`, which the moved cache folder would hide. Set where it exists. */
export const readVariables: Readonly<Record<string, string>> = {
  PLAYWRIGHT_BROWSERS_PATH: '.cache/ms-playwright',
  CYPRESS_CACHE_FOLDER: '.cache/Cypress',
  PUPPETEER_CACHE_DIR: '.cache/puppeteer',
};

/** Settings of tools whose folder `cacheVariables` moves: copied from the home folder to the new place. */
export const movedSettings: readonly { readonly from: string; readonly to: string }[] = [
  { from: '.cargo/config.toml', to: 'cargo/config.toml' },
  { from: '.cargo/config', to: 'cargo/config' },
  { from: '.gradle/init.gradle', to: 'gradle/init.gradle' },
];

/** Keys of cargo's settings that are left out of the copy, in whichever table. */
export const tokenKeys: readonly string[] = ['token', 'secret-key'];

/**
 * Decides which commands `init` proposes to make a fresh clone ready for the check (§14), by the files of the project folder. It
 * reads nothing itself and never says that a program is installed.
 */

export interface DetectedSetup {
  readonly command: string;
  /** The file that asks for it. */
  readonly file: string;
}

/** One list for each kind of project; of a list the first that is there counts. */
const known: readonly (readonly (readonly [file: string, command: string])[])[] = [
  [
    ['package-lock.json', 'npm ci'],
    ['npm-shrinkwrap.json', 'npm ci'],
    ['pnpm-lock.yaml', 'pnpm install --frozen-lockfile'],
    ['yarn.lock', 'yarn install --frozen-lockfile'],
    ['bun.lock', 'bun install --frozen-lockfile'],
    ['bun.lockb', 'bun install --frozen-lockfile'],
  ],
  [
    ['uv.lock', 'uv sync'],
    ['poetry.lock', 'poetry install'],
    ['requirements.txt', 'python3 -m venv .venv && .venv/bin/pip install -r requirements.txt'],
  ],
  [['Cargo.lock', 'cargo fetch']],
  [['go.sum', 'go mod download']],
  [['Gemfile.lock', 'bundle install']],
  [['composer.lock', 'composer install']],
];

/** `names`: entries of the project folder. */
export function detectSetup(names: readonly string[]): readonly DetectedSetup[] {
  return known.flatMap((kind) => {
    const found = kind.find(([file]) => names.includes(file));
    if (found === undefined) return [];
    const [file, command] = found;
    const isNewYarn = file === 'yarn.lock' && names.includes('.yarnrc.yml');
    return [{ file, command: isNewYarn ? 'yarn install --immutable' : command }];
  });
}

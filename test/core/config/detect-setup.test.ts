/** What `init` proposes for `automation.setup`. */
import { expect, test } from 'vitest';
import { detectSetup } from '../../../src/core/config/detect-setup.ts';

test.each([
  [[], []],
  [['package.json', 'src'], []],
  [['package-lock.json', 'yarn.lock'], ['npm ci']],
  [['npm-shrinkwrap.json'], ['npm ci']],
  [['pnpm-lock.yaml'], ['pnpm install --frozen-lockfile']],
  [['yarn.lock'], ['yarn install --frozen-lockfile']],
  [['.yarnrc.yml', 'yarn.lock'], ['yarn install --immutable']],
  [['bun.lock'], ['bun install --frozen-lockfile']],
  [['uv.lock', 'requirements.txt'], ['uv sync']],
  [['poetry.lock'], ['poetry install']],
  [['requirements.txt'], ['python3 -m venv .venv && .venv/bin/pip install -r requirements.txt']],
  [
    ['Cargo.lock', 'go.sum', 'Gemfile.lock', 'composer.lock'],
    ['cargo fetch', 'go mod download', 'bundle install', 'composer install'],
  ],
  [
    ['package-lock.json', 'Cargo.lock'],
    ['npm ci', 'cargo fetch'],
  ],
] as const)('%j: %j', (names, commands) => {
  expect(detectSetup(names).map(({ command }) => command)).toEqual(commands);
});

test('the file that asks for it is named', () => {
  expect(detectSetup(['uv.lock'])).toEqual([{ file: 'uv.lock', command: 'uv sync' }]);
});

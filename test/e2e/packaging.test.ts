/** What is in `packaging/`, as far as it can be tried without Homebrew, Docker and a registry: syntax, rules, and the install script for real. */
import { mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { defaultConfig } from '../../src/core/config/default-config.ts';
import { cleanEnv, repositoryRoot, tempFolder } from '../support/project.ts';

const folder = join(repositoryRoot, 'packaging');
const read = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8');
const { version } = JSON.parse(read('package.json')) as { version: string };
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(repositoryRoot.length));

/** Whether a checker could look at a file; one that is not installed is told on the terminal. */
async function isFine(checker: string, ...args: readonly string[]): Promise<boolean> {
  const ran = await execa(checker, args, { cwd: repositoryRoot, reject: false });
  if (ran.code === 'ENOENT') console.warn(`${checker} is not installed: ${args.at(-1)} is not checked by it`);
  return ran.code === 'ENOENT' || ran.exitCode === 0;
}

test.each(files)('%s holds no address, no path of a machine, no secret', (file) => {
  const text = read(file);
  const hosts = [...text.matchAll(/https?:\/\/([^/\s"']+)/g)].map((match) => match[1]);
  expect(hosts.filter((host) => host !== 'example.invalid')).toEqual([]);
  expect(text).not.toMatch(/\/(?:home|root|Users|work)\/|ghcr\.io|token|password|_authToken/i);
});

describe('homebrew', () => {
  test('the formula is Ruby, of this version, and tests itself', async () => {
    const text = read('packaging/homebrew/runner.rb');
    expect(text).toContain(`/runner-cli-${version}.tgz"`);
    expect(text).toContain('generate_completions_from_executable(bin/"runner", "completion")');
    expect(text).toContain('demo --quiet');
    expect(await isFine('ruby', '-c', 'packaging/homebrew/runner.rb')).toBe(true);
  });
});

describe('docker', () => {
  test('the image is built from the checkout and runs as a plain user', () => {
    const lines = read('packaging/docker/Dockerfile').split('\n');
    const words = lines.map((line) => line.split(' ')[0]).filter((word) => /^[A-Z]+$/.test(word ?? ''));
    expect(words.filter((word) => word === 'FROM')).toHaveLength(2);
    expect(words.lastIndexOf('USER')).toBeGreaterThan(words.lastIndexOf('RUN'));
    expect(lines).toContain('ENTRYPOINT ["runner"]');
    expect(read('packaging/docker/Dockerfile.dockerignore').split('\n')).toEqual(
      expect.arrayContaining(['.git', 'node_modules']),
    );
  });

  test('the compose file builds the image of docker mode and runs as whoever calls it', () => {
    const { services } = parse(read('packaging/docker/compose.yaml')) as {
      services: { runner: Record<string, unknown> };
    };
    expect(services.runner).toMatchObject({
      image: defaultConfig.sandbox.image,
      build: { context: '../..', dockerfile: 'packaging/docker/Dockerfile' },
      user: '${UID:-1000}:${GID:-1000}',
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges'],
    });
  });
});

const optionRules = {
  oneOf: ['string', 'boolean'].map((type) => ({
    type: 'object',
    additionalProperties: false,
    required: ['type', 'default', 'description'],
    properties: { type: { const: type }, default: { type }, description: { type: 'string' } },
  })),
};
const featureRules = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'version', 'name', 'description', 'options'],
  properties: {
    // The id must be the name of the folder.
    id: { const: 'runner' },
    version: { const: version },
    name: { type: 'string' },
    description: { type: 'string' },
    options: { type: 'object', additionalProperties: optionRules },
  },
};

describe('devcontainer', () => {
  const script = join(folder, 'devcontainer/src/runner/install.sh');

  test('the feature keeps the rules of its format', async () => {
    const validate = new Ajv2020({ allErrors: true }).compile(featureRules);
    validate(JSON.parse(read('packaging/devcontainer/src/runner/devcontainer-feature.json')));
    expect(validate.errors).toBeNull();
    expect(await isFine('shellcheck', script)).toBe(true);
  });

  test('its script installs a tarball and the completions of the shells that are there', async () => {
    const home = tempFolder('devcontainer');
    const env = { ...cleanEnv(home), npm_config_offline: 'true', npm_config_prefix: join(home, 'prefix') };
    const options = { env, extendEnv: false, stdin: 'ignore', cwd: home } as const;
    const packed = await execa('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', home], {
      ...options,
      cwd: repositoryRoot,
    });
    const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }];
    const root = join(home, 'root');
    const shown = ['usr/share/bash-completion/completions', 'usr/share/fish/vendor_completions.d'];
    for (const path of shown) mkdirSync(join(root, path), { recursive: true });
    const wanted = { PACKAGE: join(home, filename), RUNNER_ROOT: root };
    const ran = await execa('sh', [script], { ...options, env: { ...env, ...wanted } });
    expect(ran.stdout.split('\n').at(-1)).toBe(version);
    const runner = join(home, 'prefix/bin/runner');
    for (const [shell, file] of [
      ['bash', join(root, shown[0] ?? '', 'runner')],
      ['fish', join(root, shown[1] ?? '', 'runner.fish')],
    ] as const) {
      expect(readFileSync(file, 'utf8').trimEnd()).toBe(
        (await execa(runner, ['completion', shell], options)).stdout,
      );
    }
    expect(readdirSync(join(root, 'usr/share'))).toEqual(['bash-completion', 'fish']);
  });

  test('without Node it says what is missing', async () => {
    const programs = tempFolder('programs');
    const { stdout } = await execa('sh', ['-c', 'command -v sh']);
    symlinkSync(stdout, join(programs, 'sh'));
    const ran = await execa('sh', [script], { env: { PATH: programs }, extendEnv: false, reject: false });
    expect(ran).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ran.stderr).toContain('runner needs node in the image');
  });
});

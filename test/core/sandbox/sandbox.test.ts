import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  dockerArguments,
  findStartError,
  isBelow,
  isEngineVariable,
  isInside,
  isWalledOff,
  listInside,
  networkOf,
  pathInside,
  planMounts,
} from '../../../src/core/sandbox/sandbox.ts';
import type { InnerProgram, Mount, SandboxPlace, SandboxPolicy } from '../../../src/core/sandbox/sandbox.ts';
import { defaultConfig } from '../../../src/core/config/default-config.ts';

const place: SandboxPlace = {
  top: '/h/u/p',
  gitPaths: ['/h/u/p/.git'],
  folder: '/h/u/s/io',
  replaced: [{ path: '/h/u', source: '/h/u/s/home' }],
  read: ['/opt/x'],
  write: ['/h/u/.cache'],
};
const policy: SandboxPolicy = {
  image: 'img',
  user: '1:2',
  network: true,
  memoryMb: 64,
  processesMax: 16,
  mounts: [],
};
const program: InnerProgram = {
  argv: ['sh', '-c', 'x'],
  cwd: '/w',
  variables: ['A', 'B'],
  path: '/bin',
  name: 'runner-1',
  labels: { 'runner.run': 'r' },
  hasInput: false,
};

test('mounts lie in those before them, and a git folder is never written', () => {
  expect(planMounts(place).map(({ path, isWritable }) => `${isWritable ? 'w' : 'r'} ${path}`)).toEqual([
    'w /h/u',
    'w /h/u/.cache',
    'w /h/u/p',
    'r /h/u/p/.git',
    'w /h/u/s/io',
    'r /opt/x',
  ]);
  const names = fc.array(fc.constantFrom<string>('/a', '/a/b', '/a/b/c', '/d'));
  fc.assert(
    fc.property(names, names, names, (gitPaths, read, write) => {
      const mounts = planMounts({ ...place, gitPaths, read, write });
      const paths = mounts.map(({ path }) => path);
      expect(new Set(paths).size).toBe(paths.length);
      for (const [at, path] of paths.entries())
        expect(paths.slice(at).filter((later) => later !== path && isBelow(path, later))).toEqual([]);
      for (const mount of mounts) if (gitPaths.includes(mount.path)) expect(mount.isWritable).toBe(false);
    }),
  );
});

test('the person who names home itself gets it', () => {
  expect(planMounts({ ...place, write: ['/h/u'] })[0]).toEqual({
    path: '/h/u',
    source: '/h/u',
    isWritable: true,
  });
});

test('below means below', () => {
  expect([isBelow('/a', '/a'), isBelow('/a/b', '/a'), isBelow('/ab', '/a'), isBelow('/ab', '/')]).toEqual([
    true,
    true,
    false,
    true,
  ]);
  const closed = { sandbox: { ...defaultConfig.sandbox, guard_network: false } };
  expect([networkOf(closed, 'agent'), networkOf(closed, 'guard')]).toEqual([true, false]);
});

test('who runs inside', () => {
  const roles = ['agent', 'review', 'setup', 'guard'] as const;
  const inside = (sandbox: Partial<typeof defaultConfig.sandbox>) =>
    roles.filter((role) => isInside({ sandbox: { ...defaultConfig.sandbox, ...sandbox } }, role));
  expect(inside({ kind: 'bwrap' })).toEqual(roles);
  expect(inside({ kind: 'docker', guard: true })).toEqual(roles);
  expect(inside({ kind: 'bwrap', guard: false })).toEqual(['agent', 'review', 'setup']);
  expect(inside({ kind: 'none' })).toEqual([]);
  expect(inside({ kind: 'auto' })).toEqual([]);
});

test('whether everything that a session wrote runs where the git folder cannot be written', () => {
  const walled = (sandbox: Partial<typeof defaultConfig.sandbox>, run_hooks = false) =>
    isWalledOff({
      sandbox: { ...defaultConfig.sandbox, ...sandbox },
      git: { ...defaultConfig.git, run_hooks },
    });
  expect([walled({ kind: 'bwrap' }), walled({ kind: 'docker', guard: true })]).toEqual([true, true]);
  expect([walled({ kind: 'none' }), walled({ kind: 'auto' })]).toEqual([false, false]);
  expect([walled({ kind: 'bwrap', guard: false }), walled({ kind: 'bwrap' }, true)]).toEqual([false, false]);
});

test('the command line of a container', () => {
  const mounts: readonly Mount[] = [
    { path: '/w', source: '/w', isWritable: true },
    { path: '/g,"', source: '/g,"', isWritable: false },
  ];
  const args = dockerArguments({ ...policy, mounts, network: false }, { ...program, hasInput: true });
  const text = args.join(' ');
  for (const wanted of [
    'run --rm --init --pull never --name runner-1 --label runner.run=r --user 1:2 --read-only --cap-drop ALL',
    '--security-opt no-new-privileges --memory 64m --pids-limit 16 --network none',
    '--mount type=bind,source=/w,target=/w --mount type=bind,"source=/g,""","target=/g,""",readonly --workdir /w',
    '--interactive --env A --env B --env PATH=/bin --entrypoint sh img -c x',
  ])
    expect(text).toContain(wanted);
  expect(dockerArguments(policy, program).join(' ')).not.toMatch(/--network|--interactive/);
  expect(dockerArguments(policy, { ...program, argv: [] }).at(-2)).toBe('');
});

test('the network is that of the role', () => {
  const config = { sandbox: { ...defaultConfig.sandbox, network: false } };
  expect((['agent', 'review', 'setup', 'guard'] as const).map((role) => networkOf(config, role))).toEqual([
    false,
    false,
    false,
    true,
  ]);
});

test('which variables are for the inside, and which for the engine', () => {
  expect(listInside(['SHELL', 'LANG', 'DOCKER_HOST', 'HOME', 'PATH', 'CI'])).toEqual(['CI', 'HOME', 'LANG']);
  expect(['DOCKER_HOST', 'HOME', 'LANG'].filter(isEngineVariable)).toEqual(['DOCKER_HOST', 'HOME']);
});

test('PATH has the folders that are there inside', () => {
  const mounts = planMounts(place);
  const path = '/h/u/p/node_modules/.bin:/h/u/bin:/opt/x/bin:/usr/bin';
  const kept = '/h/u/p/node_modules/.bin:/opt/x/bin';
  expect(pathInside(path, { mounts, imageEnv: ['A=1', 'PATH=/img'] })).toBe(`${kept}:/img`);
  expect(pathInside(path, { mounts, imageEnv: null })).toBe(
    `${kept}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
  );
});

test('what did not start is told from what failed', () => {
  const missing = 'x\ndocker: Error response from daemon: No such image: a\n\nRun docker';
  expect(findStartError(125, missing)).toBe('No such image: a');
  expect(findStartError(127, '[FATAL tini (7)] exec nope failed: No such file')).toBe(
    '[FATAL tini (7)] exec nope failed: No such file',
  );
  expect(findStartError(1, missing)).toBeNull();
  expect(findStartError(null, missing)).toBeNull();
  expect(findStartError(127, 'sh: 1: nope: not found')).toBeNull();
});

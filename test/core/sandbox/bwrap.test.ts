import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  bwrapArguments,
  bwrapEnvironment,
  findBwrapError,
  planViews,
} from '../../../src/core/sandbox/bwrap.ts';
import type { BwrapPlace, View } from '../../../src/core/sandbox/bwrap.ts';
import { cacheVariables, isolation } from '../../../src/core/sandbox/sandbox-policy.ts';
import { isBelow } from '../../../src/core/sandbox/sandbox.ts';

const folders = [
  '/tmp',
  '/run',
  '/proc/sys',
  '/h/u',
  '/h/u/p',
  '/h/u/p/.git',
  '/h/u/.rustup',
  '/s/io',
  '/s/cache',
];

function placeWith(
  change: Partial<BwrapPlace> = {},
  more: Readonly<Record<string, 'file' | 'folder'>> = {},
): BwrapPlace {
  return {
    home: '/h/u',
    ownerHome: null,
    top: '/h/u/p',
    gitPaths: ['/h/u/p/.git'],
    io: '/s/io',
    cache: '/s/cache',
    replaced: [{ path: '/h/u', source: '/s/home' }],
    read: [],
    write: [],
    hidden: [],
    masked: ['/h/u/.ssh', '/h/u/.npmrc', '/h/u/.gem/credentials', '/w/.ssh'],
    settings: '/s/settings',
    sockets: [],
    path: [],
    network: false,
    resolver: '/run/resolve/stub.conf',
    kindOf: (path) => more[path] ?? (folders.includes(path) ? 'folder' : null),
    ...change,
  };
}

function render(views: readonly View[]): readonly string[] {
  return views.map((view) =>
    view.kind === 'hidden'
      ? `hidden ${view.isFolder ? 'folder' : 'file'} ${view.path}`
      : `${view.kind} ${view.path}${view.source === view.path ? '' : ` from ${view.source}`}`,
  );
}

test('the home folder is empty but for toolchains; the git folder is read-only in a writable work tree', () => {
  expect(render(planViews(placeWith()))).toEqual([
    'write /h/u from /s/home',
    'read /h/u/.rustup',
    'write /h/u/p',
    'read /h/u/p/.git',
    'read /proc/sys',
    'hidden folder /run',
    'write /s/cache',
    'write /s/io',
    'hidden folder /tmp',
  ]);
});

test('folders of PATH below the home folder are seen, the home folder itself never', () => {
  const views = render(
    planViews(
      placeWith(
        { path: ['/h/u', '/h/u/tools', '/tmp/bin', '/usr/bin'] },
        { '/h/u/tools': 'folder', '/usr/bin': 'folder', '/tmp/bin': 'folder' },
      ),
    ),
  );
  expect(views).toContain('read /h/u/tools');
  expect(views).toContain('read /tmp/bin');
  expect(views).toContain('write /h/u from /s/home');
  expect(views.join()).not.toContain('/usr/bin');
});

test('a secret below a folder that is seen is empty, unless the settings name exactly it', () => {
  const there = {
    '/h/u/.gem': 'folder',
    '/h/u/.gem/credentials': 'file',
    '/h/u/.ssh': 'folder',
    '/h/u/.npmrc': 'file',
  } as const;
  const views = render(planViews(placeWith({}, there)));
  expect(views).toContain('hidden file /h/u/.gem/credentials');
  // What is hidden with the home folder needs nothing more.
  expect(views.join()).not.toMatch(/npmrc|ssh/);
  const named = render(planViews(placeWith({ read: ['/h/u/.gem/credentials', '/h/u/.npmrc'] }, there)));
  expect(named).toEqual(expect.arrayContaining(['read /h/u/.gem/credentials', 'read /h/u/.npmrc']));
  const inWorkTree = placeWith(
    { home: '/w', top: '/w', replaced: [], gitPaths: [] },
    { '/w': 'folder', '/w/.ssh': 'folder' },
  );
  expect(render(planViews(inWorkTree))).toContain('hidden folder /w/.ssh');
});

test('sockets of other programs are empty files where they could be seen', () => {
  const there = { '/var/db/sock': 'file', '/tmp/sock': 'file', '/h/u/p/sock': 'file' } as const;
  const views = render(planViews(placeWith({ sockets: Object.keys(there) }, there)));
  expect(views).toEqual(expect.arrayContaining(['hidden file /var/db/sock', 'hidden file /h/u/p/sock']));
  expect(views.join()).not.toContain('/tmp/sock');
});

test('the file that names the resolver is seen only with a network, and only where it would be hidden', () => {
  const seen = (change: Partial<BwrapPlace>): boolean =>
    render(planViews(placeWith(change)))
      .join()
      .includes('stub.conf');
  expect(seen({ network: true })).toBe(true);
  expect(seen({ network: false })).toBe(false);
  expect(seen({ network: true, resolver: '/etc/resolv.conf' })).toBe(false);
  expect(seen({ network: true, resolver: null })).toBe(false);
});

test('settings of tools whose folder moves go with it, and what no session needs is hidden', () => {
  const there = {
    '/s/settings/cargo/config.toml': 'file',
    '/proc/keys': 'file',
    '/proc/acpi': 'folder',
  } as const;
  expect(render(planViews(placeWith({}, there)))).toEqual(
    expect.arrayContaining([
      'read /s/cache/cargo/config.toml from /s/settings/cargo/config.toml',
      'hidden file /proc/keys',
      'hidden folder /proc/acpi',
    ]),
  );
});

test('the home folder of the user that programs run as is empty, too, but for toolchains', () => {
  const there = { '/o': 'folder', '/o/.rustup': 'folder', '/o/.rustup/.ssh': 'folder' } as const;
  const views = render(
    planViews(placeWith({ ownerHome: '/o', masked: ['/o/.rustup/.ssh', '/o/.npmrc'] }, there)),
  );
  expect(views.filter((view) => view.includes('/o'))).toEqual([
    'hidden folder /o',
    'read /o/.rustup',
    'hidden folder /o/.rustup/.ssh',
  ]);
});

test('further hidden folders, but never /', () => {
  const views = render(
    planViews(placeWith({ hidden: ['/', '/x', '/gone'] }, { '/': 'folder', '/x': 'folder' })),
  );
  expect(views).toContain('hidden folder /x');
  expect(views.filter((view) => view.startsWith('hidden'))).toHaveLength(3);
});

const paths = fc.array(
  fc.constantFrom('/h/u', '/h/u/p', '/h/u/p/.git', '/h/u/p/.git/x', '/h/u/.rustup', '/tmp', '/tmp/a', '/o'),
);

test('whatever the settings say: parents come first, each path once, and nothing but what may be written is', () => {
  fc.assert(
    fc.property(paths, paths, fc.boolean(), (read, write, network) => {
      const place = placeWith({ read, write, network, kindOf: () => 'folder' });
      const views = planViews(place);
      const order = views.map(({ path }) => path);
      expect(new Set(order).size).toBe(order.length);
      for (const [at, path] of order.entries())
        expect(order.slice(at + 1).filter((later) => isBelow(path, later))).toEqual([]);
      const open = [place.top, place.io, place.cache, place.home, ...write];
      for (const view of views) if (view.kind === 'write') expect(open).toContain(view.path);
      expect(views.find(({ path }) => path === '/h/u/p/.git')?.kind).toBe('read');
      const argv = bwrapArguments(
        { views, network, emptyFile: '/e' },
        { argv: ['--bind', '/', '/'], cwd: '/h/u/p' },
      );
      const own = argv.slice(0, argv.indexOf('--'));
      for (const { words } of isolation) expect(own.join(' ')).toContain(words.join(' '));
      expect(own.includes('--share-net')).toBe(network);
      // What the program is called never becomes an option.
      expect(argv.slice(-4)).toEqual(['--', '--bind', '/', '/']);
    }),
  );
});

test('each view as an argument', () => {
  const views: readonly View[] = [
    { path: '/a', source: '/b', kind: 'read' },
    { path: '/c', source: '/c', kind: 'write' },
    { path: '/d', kind: 'hidden', isFolder: true },
    { path: '/e', kind: 'hidden', isFolder: false },
  ];
  const argv = bwrapArguments({ views, network: false, emptyFile: '/x' }, { argv: ['true'], cwd: '/c' });
  expect(argv.slice(argv.lastIndexOf('/proc') + 1)).toEqual(
    '--ro-bind /b /a --bind /c /c --perms 1777 --tmpfs /d --ro-bind /x /e --chdir /c -- true'.split(' '),
  );
});

test('the environment: caches and temporary files of the run, nothing that leads outside', () => {
  const given = { PATH: '/bin', TMPDIR: '/t', SSH_AUTH_SOCK: '/s', MAVEN_OPTS: '-Xmx1g', HOME: '/h/u' };
  const place = placeWith({}, { '/h/u/.cache/ms-playwright': 'folder', '/h/u/.cache/Cypress': 'folder' });
  const env = bwrapEnvironment({ ...given, CYPRESS_CACHE_FOLDER: '/mine' }, place);
  expect(env).toMatchObject({
    PATH: '/bin',
    HOME: '/h/u',
    TMPDIR: '/s/io/tmp',
    CARGO_HOME: '/s/cache/cargo',
    MAVEN_OPTS: '-Xmx1g -Dmaven.repo.local=/s/cache/maven',
    PLAYWRIGHT_BROWSERS_PATH: '/h/u/.cache/ms-playwright',
    CYPRESS_CACHE_FOLDER: '/mine',
  });
  expect(env).not.toHaveProperty('SSH_AUTH_SOCK');
  expect(env).not.toHaveProperty('PUPPETEER_CACHE_DIR');
  expect(bwrapEnvironment({}, place)['MAVEN_OPTS']).toBe('-Dmaven.repo.local=/s/cache/maven');
  for (const { name, folder } of cacheVariables) expect(env[name]).toMatch(new RegExp(`/s/cache/${folder}$`));
});

test('why it did not start', () => {
  expect(findBwrapError(1, 'x\nbwrap: execvp gone: No such file or directory\n')).toBe(
    'execvp gone: No such file or directory',
  );
  expect(findBwrapError(1, 'bwrap: x\nred\n')).toBeNull();
  expect(findBwrapError(2, 'bwrap: x\n')).toBeNull();
  expect(findBwrapError(1, '')).toBeNull();
});

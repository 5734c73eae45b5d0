/** §14: which files a guard is made of, by its command and the texts of what it reads. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { guardFiles } from '../../../src/core/guard/guard-files.ts';
import type { KnownFile } from '../../../src/core/guard/guard-files.ts';
import { joinPath } from '../../../src/core/guard/guard-words.ts';

type Files = Readonly<Record<string, string | { readonly link: string }>>;

function knownOf(file: Files[string] | undefined): KnownFile | null {
  if (file === undefined) return null;
  return typeof file === 'string' ? { kind: 'text', text: file } : { kind: 'link', target: file.link };
}

/** Reads what is asked for until nothing is left, as the app does. */
function find(command: readonly string[], files: Files, prefix = '') {
  const known = new Map<string, KnownFile | null>();
  const given = new Map(Object.entries(files));
  for (;;) {
    const found = guardFiles({ command, prefix, known });
    if (found.unread.length === 0) return found;
    for (const path of found.unread) known.set(path, knownOf(given.get(path)));
  }
}

/** `package.json:a,b` where only scripts count. */
function paths(command: readonly string[], files: Files, prefix = ''): readonly string[] {
  return find(command, files, prefix).files.map(({ path, scripts }) =>
    scripts === null ? path : `${path}:${scripts.join(',')}`,
  );
}

describe('files the command names', () => {
  const files = { 'ci/check.sh': '', check: '', 'sub/check': '', 'a.just': '' };
  test.each<readonly [readonly string[], string, readonly string[]]>([
    [['./ci/check.sh'], '', ['ci/check.sh']],
    [['bash', 'ci//check.sh', '--fast'], '', ['ci/check.sh']],
    [['env', 'A=check', 'x'], '', ['check']],
    [['tool', '--file=ci/check.sh'], '', ['ci/check.sh']],
    [['check'], 'sub/', ['sub/check']],
    [['../check'], 'sub/', ['check']],
    [['../../check'], 'sub/', []],
    [['/check', '~/check', '\0', ''], '', []],
    [['sh', '-c', 'set -e; ./ci/check.sh && echo "done: check"'], '', ['ci/check.sh']],
    [['sh', '-ec', 'cd sub; ./check'], '', ['sub/check']],
    [['sh', '-c', 'grep -q x ci/check.sh; check; test -f check'], '', []],
    [['sh', '-c', 'A=1 timeout 5 ./ci/check.sh a.just'], '', ['ci/check.sh']],
    [['sh', '-c', 'env python3.11 -u ci/check.sh a.just; . check'], '', ['check', 'ci/check.sh']],
    [['sh', '-c', 'A=1'], '', []],
    [['sh', '-c', 'cd ..; cd sub && cd .. && ./check'], '', ['check']],
    [['sh', '-c'], '', []],
    [['bash', '-c', `bash -c 'sh ci/check.sh'`], '', ['ci/check.sh']],
    [['true'], '', []],
    [[], '', []],
  ])('%j in %j', (command, prefix, wanted) => {
    expect(paths(command, files, prefix)).toEqual(wanted);
  });

  test('a link and what it leads to, also in a circle and out of the work tree', () => {
    const links = {
      check: { link: 'real/check' },
      'real/check': { link: '../last' },
      last: 'x',
      loop: { link: 'loop' },
      out: { link: '../../etc/passwd' },
    };
    expect(paths(['./check', 'loop', 'out'], links)).toEqual(['check', 'last', 'loop', 'out', 'real/check']);
  });
});

describe('just', () => {
  test('its justfile, imports and modules, at any depth', () => {
    const files = {
      justfile: `import 'ci/a.just'\nimport? "none.just"\nmod tools\nmod? web 'web/x.just'\nmod lib 'libs'\nci:\n  true\n`,
      'ci/a.just': `import '../b.just'\nimport 'a.just'\n`,
      'b.just': `import x'~/own.just'\n`,
      'tools.just': 'mod deep\n',
      'deep/mod.just': '',
      'web/x.just': '',
      'libs/justfile': '',
      'other.just': '',
    };
    expect(paths(['just', 'ci'], files)).toEqual([
      'b.just',
      'ci/a.just',
      'deep/mod.just',
      'justfile',
      'libs/justfile',
      'tools.just',
      'web/x.just',
    ]);
  });

  test.each<readonly [readonly string[], string]>([
    [['just', 'ci'], 'Justfile'],
    [['just', 'ci'], '.justfile'],
    [['/usr/bin/just', '--justfile', 'ci/x.just', 'ci'], 'ci/x.just'],
    [['just', '-f', 'ci/x.just'], 'ci/x.just'],
    [['just', '--justfile=ci/x.just'], 'ci/x.just'],
    [['just', 'sub/ci'], 'sub/justfile'],
    [['npx', '--yes', 'rust-just', 'just', 'ci'], 'justfile'],
    [['sh', '-c', 'npm ci && just ci'], 'justfile'],
    [['timeout', '60', 'just'], 'justfile'],
  ])('%j: %s', (command, path) => {
    expect(paths(command, { [path]: 'ci:\n  true\n' })).toEqual([path]);
  });

  test('from the project folder upwards; a nearer one would be taken instead', () => {
    const found = find(['just', 'ci'], { justfile: 'ci:\n' }, 'apps/one/');
    expect(found.files.map(({ path }) => path)).toEqual(['justfile']);
    expect(found.absent).toContain('apps/one/justfile');
    expect(found.absent).toContain('apps/.justfile');
    expect(found.absent).not.toContain('justfile');
    expect(find(['just', '../../../ci'], { justfile: 'ci:\n' }, 'apps/').files).toEqual([]);
    expect(find(['just'], {}, 'apps/')).toMatchObject({ files: [], absent: [] });
  });

  test('what may be imported would change what it does', () => {
    const files = { 'sub/justfile': `import? "a.just"\nimport? '../../b.just'\nimport 'c.just'\nci:\n` };
    const { absent } = find(['just', '-f', 'sub/justfile', 'ci'], files);
    expect(absent).toEqual(['sub/a.just']);
  });

  test('what recipes run, but not the files they name', () => {
    const files = {
      justfile: 'ci:\n  @npm run lint\n  cd web && make all\n  node check.js\n  sh -c ./check.js\n',
      'package.json': '{"scripts": {"lint": "eslint ."}}',
      'web/Makefile': 'all:\n\ttrue\n',
      'check.js': '',
    };
    expect(paths(['just', 'ci'], files)).toEqual([
      'justfile',
      'package.json:lint,postlint,prelint',
      'web/Makefile',
    ]);
  });
});

describe('make', () => {
  test('the first of its names; one before it would be taken instead', () => {
    expect(find(['make', 'test'], { Makefile: '', makefile: '' })).toEqual({
      files: [{ path: 'makefile', scripts: null }],
      absent: ['GNUmakefile'],
      unread: [],
    });
    expect(find(['make', 'test'], {}).files).toEqual([]);
  });

  test.each<readonly [readonly string[], string]>([
    [['make', '-f', 'ci.mk'], 'ci.mk'],
    [['gmake', '-fci.mk'], 'ci.mk'],
    [['make', '--file=ci.mk'], 'ci.mk'],
    [['make', '--makefile', 'ci.mk'], 'ci.mk'],
    [['make', '-C', 'sub'], 'sub/Makefile'],
    [['make', '-Csub', '-f', 'x'], 'sub/x'],
    [['make', '--directory=sub', 'test'], 'sub/GNUmakefile'],
    [['make', '-f'], 'Makefile'],
  ])('%j: %s', (command, path) => {
    expect(paths(command, { [path]: '' })).toEqual([path]);
  });

  test('plain includes and further calls of make; nothing outside the work tree', () => {
    const files = {
      Makefile:
        'include a.mk b.mk $(wildcard *.x)\n-include c.mk # why\nsinclude *.y\nci:\n\t$(MAKE) -C sub\n\t${MAKE} -C ../..\n',
      'a.mk': 'include a.mk\n',
      'b.mk': '',
      'c.mk': '',
      'sub/Makefile': 'include d.mk\n',
      'sub/d.mk': '',
    };
    const wanted = ['Makefile', 'a.mk', 'b.mk', 'c.mk', 'sub/Makefile', 'sub/d.mk'];
    expect(paths(['make'], files)).toEqual(wanted);
  });

  test('what may be included, and files of the name of a target, would change what it does', () => {
    const files = {
      'sub/Makefile': `-include a.mk ../b.mk ../../c.mk there.mk\ninclude d.mk\nci: lint out there.mk\n`,
      'sub/there.mk': '.PHONY: lint\nlint:\n\ttrue\nthere:\n',
      'sub/out': 'made by make, and held as it is',
    };
    const found = find(['make', '-C', 'sub'], files);
    const wanted = ['b.mk', 'sub/GNUmakefile', 'sub/a.mk', 'sub/ci', 'sub/makefile', 'sub/there'];
    expect(found.absent).toEqual(wanted);
    expect(find(['make', 'ci'], { Makefile: 'ci:\n', ci: '' }).absent).not.toContain('ci');
  });
});

describe('scripts of package.json', () => {
  const scripts = {
    pretest: 'npm run build',
    test: 'run-s unit "npm:lint" && node test.js',
    unit: 'yarn e2e',
    lint: 'eslint',
    e2e: 'make e2e',
    build: 'tsc',
    deploy: 'x',
    odd: 7,
  };
  const files = { 'package.json': JSON.stringify({ name: 'x', scripts }), 'test.js': '', Makefile: '' };
  const whole =
    'build,e2e,lint,postbuild,poste2e,postlint,posttest,postunit,prebuild,pree2e,prelint,pretest,preunit,test,unit';

  test.each<readonly [readonly string[], string]>([
    [['npm', 'test'], whole],
    [['npm', '--silent', 't'], whole],
    [['npm', 'run', 'build'], 'build,postbuild,prebuild'],
    [['pnpm', 'run-script', 'lint'], 'lint,postlint,prelint'],
    [['yarn', 'lint'], 'lint,postlint,prelint'],
    [['bun', 'run', 'none'], 'none,postnone,prenone'],
  ])('%j: %s', (command, names) => {
    expect(paths(command, files)).toContain(`package.json:${names}`);
  });

  test('and what they run', () => {
    expect(paths(['npm', 'test'], files)).toEqual(['Makefile', `package.json:${whole}`]);
    expect(paths(['npm', 'test', 'test.js'], files)).toContain('test.js');
  });

  test.each<readonly [readonly string[], Files]>([
    [['npm', 'ci'], files],
    [['npm'], files],
    [['npm', 'run'], files],
    [['yarn', 'install'], files],
    [['npm', 'start'], files],
    [['npm', 'test'], {}],
    [['npm', 'test', '--prefix', '../..'], files],
    [['npm', 'test'], { 'package.json': 'no json' }],
    [['npm', 'test'], { 'package.json': '[]' }],
    [['npm', 'test'], { 'package.json': { link: 'elsewhere' } }],
  ])('none: %j', (command, given) => {
    expect(paths(command, given)).toEqual([]);
  });

  test('of the nearest package.json upwards, or of the folder it is told', () => {
    const found = find(['npm', 'test'], files, 'apps/one/');
    expect(found.files.map(({ path }) => path)).toEqual(['Makefile', 'package.json']);
    expect(found.absent).toEqual(
      expect.arrayContaining(['GNUmakefile', 'apps/one/package.json', 'apps/package.json', 'makefile']),
    );
    expect(paths(['npm', 'test', '--prefix', 'web'], { 'web/package.json': '{}' })).toEqual([
      'web/package.json:posttest,pretest,test',
    ]);
    expect(paths(['npm', 'run', 'test', '--prefix=web'], { 'web/package.json': '{"scripts": []}' })).toEqual([
      'web/package.json:posttest,pretest,test',
    ]);
  });

  const installed = ['node_modules', 'node_modules/.bin', 'node_modules/.bin/sh'];

  test.each<readonly [string, readonly string[], readonly string[]]>([
    ['npm', ['.npmrc'], []],
    ['pnpm', [], ['.npmrc']],
    ['yarn', ['.yarnrc'], ['.yarnrc.yml']],
    ['bun', ['bunfig.toml'], []],
  ])('settings of %s that name a shell or another program: %j, not yet %j', (program, there, absent) => {
    const given = {
      'package.json': '{"scripts": {"x": "true"}}',
      ...Object.fromEntries(there.map((name) => [name, ''])),
    };
    const found = find([program, 'run', 'x'], given);
    expect(found.files.map(({ path }) => path)).toEqual([...there, 'package.json']);
    expect(found.absent).toEqual([...absent, ...installed].toSorted());
  });

  test('programs that scripts would find in node_modules instead, where git ignores that', () => {
    const script = '{"scripts": {"test": "A=1 verify app && timeout 5 ./x.sh; node -e 1; cd web"}}';
    const given = { 'web/package.json': script, '.gitignore': 'out/\n/node_modules/\n' };
    const { absent } = find(['npm', 'test'], given, 'web/');
    const programs = [
      ...installed,
      'node_modules/.bin/cd',
      'node_modules/.bin/node',
      'node_modules/.bin/verify',
    ];
    const both = ['.npmrc', ...programs].flatMap((path) => [path, `web/${path}`]);
    expect(absent).toEqual(both.toSorted());
    const { absent: open } = find(['npm', 'test'], { ...given, '.gitignore': 'out/\n' }, 'web/');
    expect(open).toEqual(['.npmrc', ...installed].flatMap((path) => [path, `web/${path}`]).toSorted());
    const link = { ...given, '.gitignore': { link: 'x' } };
    expect(find(['npm', 'test'], link, 'web/').absent).toEqual(open);
  });

  test('the whole file counts when the command names it', () => {
    expect(paths(['npm', 'test', 'package.json'], files)).toContain('package.json');
  });
});

describe('what programs read though nobody names it', () => {
  const cargo = ['.cargo/config', '.cargo/config.toml', 'rust-toolchain', 'rust-toolchain.toml'];

  test.each<readonly [readonly string[], Files, readonly string[], readonly string[]]>([
    [['tox', '-q'], { 'tox.ini': '' }, ['tox.ini'], []],
    [['nox'], { 'noxfile.py': '' }, ['noxfile.py'], []],
    [['pytest'], { '.pytest.ini': '' }, ['.pytest.ini'], []],
    [['pytest'], {}, [], []],
    [['uv', 'run', 'pytest'], { 'pytest.ini': '' }, ['pytest.ini'], []],
    [['cargo', 'test'], {}, [], cargo],
    [
      ['cargo', 'test'],
      { 'rust-toolchain': '' },
      ['rust-toolchain'],
      [...cargo.slice(0, 2), 'rust-toolchain.toml'],
    ],
    [
      ['sh', '-c', 'cargo test'],
      { '.cargo/config': { link: '../real' }, real: '' },
      ['.cargo/config', 'real'],
      cargo.slice(1),
    ],
    [
      ['python3', '-m', 'pytest'],
      { 'pytest.ini': '' },
      ['pytest.ini'],
      ['pytest', 'pytest.py', 'pytest/__init__.py'],
    ],
    [['/usr/bin/python3.12', '-Bm', 'tools.check'], { 'tools/__init__.py': '' }, [], ['tools', 'tools.py']],
    [
      ['make'],
      { Makefile: 'x:\n\tpython -B -m nose2\n' },
      ['Makefile'],
      ['GNUmakefile', 'makefile', 'nose2', 'nose2.py', 'nose2/__init__.py', 'x'],
    ],
    [['python3', 'check.py'], { 'check.py': '' }, ['check.py'], []],
  ])('%j', (command, given, wanted, absent) => {
    expect(paths(command, given)).toEqual(wanted);
    expect(find(command, given).absent).toEqual(absent);
  });

  test('upwards from the folder where it runs', () => {
    const found = find(['sh', '-c', 'cd two && cargo test'], { '.cargo/config.toml': '' }, 'one/');
    expect(found.files.map(({ path }) => path)).toEqual(['.cargo/config.toml']);
    expect(found.absent).toEqual(
      expect.arrayContaining(['one/two/rust-toolchain', 'one/.cargo/config.toml']),
    );
  });
});

describe('for any command and any files', () => {
  const name = fc.constantFrom(
    'justfile',
    'Makefile',
    'package.json',
    'check.sh',
    'sub/justfile',
    'tox.ini',
    'run.py',
    'x.just',
    'sub/x',
  );
  const word = fc.oneof(
    name,
    fc.constantFrom(
      'just',
      'make',
      'npm',
      'yarn',
      'cargo',
      'tox',
      'python3',
      '-m',
      'run',
      'test',
      'sh',
      '-c',
      '-C',
      '-f',
      'sub',
      '..',
      'cd sub && just',
    ),
    fc.string({ maxLength: 5 }),
  );
  const text = fc.oneof(
    fc.constantFrom(
      `import 'x.just'\nmod sub\nci:\n  make\n`,
      'include x.just justfile\nci:\n\t$(MAKE) -C sub\n',
      '{"scripts": {"test": "just ci; npm run test", "pretest": "cd sub; make -C .."}}',
      `import '../../up.just'\n`,
    ),
    fc.string({ maxLength: 40 }),
  );
  const file = fc.oneof(
    text,
    fc.record({ link: fc.oneof(name, fc.constant('../..'), fc.string({ maxLength: 4 })) }),
  );
  const world = fc.record({
    command: fc.array(word, { maxLength: 6 }),
    files: fc.dictionary(name, file),
    prefix: fc.constantFrom('', 'sub/', 'sub/deep/'),
  });

  test('it ends; it names only files that are there, and places inside the work tree where none is', () => {
    fc.assert(
      fc.property(world, ({ command, files, prefix }) => {
        const found = find(command, files, prefix);
        const named = found.files.map(({ path }) => path);
        expect(named).toEqual([...new Set(named)].toSorted());
        for (const path of named) expect(Object.hasOwn(files, path)).toBe(true);
        for (const path of found.absent) {
          expect(Object.hasOwn(files, path)).toBe(false);
          expect(joinPath('', path)).toBe(path);
        }
      }),
    );
  });

  test('reading more than was asked for changes nothing', () => {
    fc.assert(
      fc.property(world, ({ command, files, prefix }) => {
        const all = new Map<string, KnownFile | null>(
          Object.entries(files).map(([path, given]) => [path, knownOf(given)]),
        );
        for (;;) {
          const found = guardFiles({ command, prefix, known: all });
          if (found.unread.length === 0) {
            expect(found).toEqual(find(command, files, prefix));
            return;
          }
          for (const path of found.unread) {
            expect(all.has(path)).toBe(false);
            all.set(path, null);
          }
        }
      }),
    );
  });
});

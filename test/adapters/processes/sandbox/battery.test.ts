/** §13.8: every way out of bubblewrap is held, and each row of the battery can fail: with looser arguments it does. */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runBattery } from '../../../../src/adapters/processes/sandbox/battery.ts';
import { sandbox } from '../../../../src/adapters/processes/sandbox/sandbox.ts';
import { escapeNames } from '../../../../src/core/sandbox/sandbox-battery.ts';
import type { EscapeName } from '../../../../src/core/sandbox/sandbox-battery.ts';
import { bwrapName, hasBwrap, isRoot } from '../../../support/bwrap.ts';
import { cleanEnv, entryFile, tempFolder } from '../../../support/project.ts';

type Loosen = (argv: readonly string[]) => readonly string[];

function battery(names: readonly EscapeName[], loosen?: Loosen) {
  const home = join(tempFolder('battery'), 'home');
  mkdirSync(home);
  const sandboxOf = loosen === undefined ? sandbox : looserBox(loosen);
  return runBattery({ env: cleanEnv(home), entryFile, names, sandboxOf });
}

/** The same sandbox, but for the arguments it starts programs with. */
function looserBox(loosen: Loosen): typeof sandbox {
  return (options) => {
    const box = sandbox(options);
    return {
      ...box,
      open: async (request) => {
        const opened = await box.open(request);
        return {
          ...opened,
          enclose: (spec) => {
            const enclosed = opened.enclose(spec);
            return { ...enclosed, argv: loosen(enclosed.argv) };
          },
        };
      },
    };
  };
}

/** Without these options; those of two words go with both. */
function without(...options: readonly string[]): Loosen {
  return (argv) => {
    const text = argv.join('\0');
    return options
      .reduce((left, option) => left.replace(`${option.replaceAll(' ', '\0')}\0`, ''), text)
      .split('\0');
  };
}

/** With another kind of mount where the path ends like this. */
function mountedAs(option: string, ending: string): Loosen {
  return (argv) =>
    argv.map((word, at) => (word === '--ro-bind' && (argv[at + 2] ?? '').endsWith(ending) ? option : word));
}

/** Without the mount at a path that ends like this. */
function unmounted(ending: string): Loosen {
  return (argv) => {
    const at = argv.findIndex(
      (word, index) => /^--(?:ro-)?bind$/.test(word) && (argv[index + 2] ?? '').endsWith(ending),
    );
    return at === -1 ? argv : argv.toSpliced(at, 3);
  };
}

const allShared = '--unshare-user --disable-userns --unshare-all';
/** As a program without any namespace of its own but for mounts. */
const noNamespaces: Loosen = (argv) =>
  without(allShared, '--proc /proc')(argv).filter((word) => word !== '--share-net');

/** For each row the arguments with which it fails. Root can do more, so some rows can fail for root only. */
const looser: Readonly<Record<EscapeName, { readonly loosen: Loosen; readonly rootOnly?: true }>> = {
  write_outside: { loosen: mountedAs('--bind', '/outside') },
  remount: { loosen: without('--cap-drop ALL', '--disable-userns'), rootOnly: true },
  user_namespace: { loosen: without('--disable-userns') },
  capabilities: { loosen: without('--cap-drop ALL'), rootOnly: true },
  signals: { loosen: noNamespaces, rootOnly: true },
  ptrace: { loosen: (argv) => without('--cap-drop ALL')(noNamespaces(argv)), rootOnly: true },
  processes: { loosen: noNamespaces, rootOnly: true },
  kernel: { loosen: unmounted('/proc/sys'), rootOnly: true },
  git_folder: { loosen: mountedAs('--bind', '/.git') },
  home: {
    loosen: (argv) =>
      argv.map((word, at) =>
        argv[at - 1] === '--bind' && (argv[at + 1] ?? '').endsWith('/home') ? (argv[at + 1] ?? '') : word,
      ),
  },
  network: { loosen: (argv) => argv.toSpliced(argv.indexOf('--chdir'), 0, '--share-net') },
  sockets: { loosen: unmounted('/outside/socket') },
  devices: {
    // Folders that other tests keep in /dev/shm for another user cannot be mounted over.
    loosen: (argv) =>
      argv
        .map((word) => (word === '--dev' ? '--dev-bind' : word))
        .flatMap((word, at, all) =>
          all[at - 1] === '--dev-bind' ? [word, word, '--tmpfs', '/dev/shm'] : [word],
        ),
    rootOnly: true,
  },
  // A number that was left open when the runner was started.
  descriptors: { loosen: (argv) => ['sh', '-c', 'exec 9< "$HOME"; exec "$@"', 'sh', ...argv] },
  caches: {
    loosen: (argv) =>
      argv.map((word, at) =>
        [argv[at - 1], argv[at - 2]].includes('--bind') && word.endsWith('/session') ? dirname(word) : word,
      ),
  },
  keyrings: { loosen: without('--seccomp 4') },
  left_behind: { loosen: noNamespaces, rootOnly: true },
};

describe.skipIf(!hasBwrap)(`in ${bwrapName}`, () => {
  test('every way out is held', async () => {
    const results = await battery(escapeNames);
    expect(results.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual(
      escapeNames.map((name) => `${name} held`),
    );
  });

  test.each(escapeNames)('looser arguments let it out: %s', async (name) => {
    const { loosen, rootOnly = false } = looser[name];
    if (rootOnly && !isRoot) return;
    const [result] = await battery([name], loosen);
    expect(result).toMatchObject({ name, outcome: 'escaped' });
  });
});

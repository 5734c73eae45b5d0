/** Whether a program is the same inside: looked up there for real, with the arguments of a session. Leaves nothing behind. */
import { closeSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { bwrapArguments } from '../../../core/sandbox/bwrap.ts';
import type { BwrapPlace, BwrapPolicy } from '../../../core/sandbox/bwrap.ts';
import type { Env } from '../../../core/types.ts';
import { realPath } from '../../files/look-at.ts';
import { askInside } from './ask-inside.ts';
import type { Owner } from '../../files/owner.ts';
import type { OuterProgram } from './sandbox.ts';

export interface Difference {
  /** Where the name leads inside; null: nowhere, or to something that cannot be run. */
  readonly inside: string | null;
  /** What would have to be seen inside. */
  readonly needs: readonly string[];
}

/** The first line is where the name leads; the others say which files can be run, and which are links that lead to none. */
const words = `
IFS=:
found=
case "$1" in
  */*) [ -f "$1" ] && [ -x "$1" ] && found=$1 ;;
  *) for folder in $PATH; do
       if [ -f "$folder/$1" ] && [ -x "$folder/$1" ]; then found=$folder/$1; break; fi
     done ;;
esac
printf '%s\\n' "$found"
shift
for file do if [ -x "$file" ]; then echo yes; elif [ -L "$file" ]; then echo link; else echo no; fi; done
`;

export async function findDifference(
  ground: {
    readonly place: BwrapPlace;
    readonly policy: BwrapPolicy;
    readonly user: Owner | null;
    readonly env: Env;
  },
  { name, path }: OuterProgram,
): Promise<Difference | null> {
  const files = [...new Set([realPath(path), path, ...interpreterOf(path)])];
  const wanted = name.includes('/') ? path : name;
  const printed = await askInside(ground, (policy) =>
    bwrapArguments(policy, { argv: ['/bin/sh', '-c', words, 'sh', wanted, ...files], cwd: '/' }),
  );
  const [inside = '', ...answers] = printed.split('\n');
  const blocked = files.filter((_file, index) => answers[index] !== 'yes');
  if (inside === path && blocked.length === 0) return null;
  // A link that is seen is not what is hidden.
  const hidden = files.filter((_file, index) => answers[index] === 'no');
  const needed = [hidden, blocked].find((some) => some.length > 0) ?? [path];
  return {
    inside: inside === '' || inside === path ? null : inside,
    needs: [...new Set(needed.map((file) => folderOf(file, ground.place.home)))],
  };
}

/** The program behind a script's first line, by its full path; what `env` finds is found by PATH as ever. */
function interpreterOf(path: string): readonly string[] {
  const start = loadStart(path);
  const found = /^#!\s*(\/\S+)/.exec(start)?.[1];
  return found === undefined ? [] : [found, realPath(found)];
}

const startBytes = 256;

function loadStart(path: string): string {
  try {
    const fd = openSync(path, 'r');
    const bytes = Buffer.alloc(startBytes);
    const length = readSync(fd, bytes, 0, startBytes, 0);
    closeSync(fd);
    return bytes.toString('latin1', 0, length);
  } catch {
    return '';
  }
}

/** The folder to open: that of the program, or the one above its `bin`. */
function folderOf(file: string, home: string): string {
  const folder = dirname(file);
  const whole = folder.endsWith('/bin') && dirname(folder) !== home ? dirname(folder) : folder;
  return whole === home ? file : whole;
}

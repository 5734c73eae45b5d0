/**
 * What the runner itself was started with besides the usual three descriptors. Node keeps its own to itself and passes those on, also
 * into a sandbox, where such a number leads to the file outside. Reads only.
 */
import { readFileSync, readdirSync } from 'node:fs';

const folder = '/proc/self/fdinfo';
const closeOnExec = 0o2000000;

/** For the descriptors of a program from number `first` on: `nothing` in place of each that would be passed on. */
export function coverInherited(first: number, nothing: number): readonly (number | 'ignore')[] {
  const inherited = new Set(listInherited());
  const length = Math.max(first, ...[...inherited].map((fd) => fd + 1)) - first;
  return Array.from({ length }, (_, index) => (inherited.has(first + index) ? nothing : 'ignore'));
}

function listInherited(): readonly number[] {
  return readdirSync(folder).map(Number).filter(isInherited);
}

function isInherited(fd: number): boolean {
  try {
    const [, flags = ''] = /^flags:\s*(\d+)$/mu.exec(readFileSync(`${folder}/${fd}`, 'latin1')) ?? [];
    return (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    // The one that listed them is closed by now.
    return false;
  }
}

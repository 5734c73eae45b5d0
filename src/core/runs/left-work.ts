/** What sessions left of nodes that a person dropped (§12): it stays, and a person is told which files to look at. Pure. */
import { dirtyPathsShownMax } from '../limits.ts';
import { shellWord } from '../text/shell-word.ts';

export interface LeftWork {
  readonly node: string;
  /** Tree of the files before the first session on the node. */
  readonly base: string;
  /** Changed since, relative to the top. */
  readonly files: readonly string[];
}

/** `isTop`: whether the project is the whole repository; git reads paths from the folder it runs in. */
export function renderLeftWork({ node, base, files }: LeftWork, isTop: boolean): string {
  const shown = files.slice(0, dirtyPathsShownMax).map((path) => shellWord(isTop ? path : `:/${path}`));
  const more = files.length - shown.length;
  const count = `${files.length} ${files.length === 1 ? 'file' : 'files'}`;
  return `what sessions wrote stays: ${count} changed since ${node} began${more > 0 ? `, ${more} of them not named here` : ''}; to look: git diff ${base.slice(0, 12)} -- ${shown.join(' ')}`;
}

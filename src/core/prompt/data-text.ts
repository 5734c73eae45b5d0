/**
 * Marks what agents, guards and tools wrote as data (§6): a tag that says who speaks and whose name carries a hash of the text, so
 * that nothing in the text can close it. People's texts are never tagged.
 */

export type Speaker = 'agent' | 'guard' | 'runner' | 'tree';
export type Sha256 = (text: string) => string;

/** Enough that nobody finds a text which holds its own. */
const hashLength = 16;

/** Empty stays empty. */
export function tagData(text: string, { from, sha256 }: { from: Speaker; sha256: Sha256 }): string {
  if (text === '') return '';
  const name = tagName(text, sha256);
  return `<${name} from="${from}">\n${text}\n</${name}>`;
}

function tagName(text: string, sha256: Sha256): string {
  let hash = sha256(text);
  while (text.includes(hash.slice(0, hashLength))) hash = sha256(hash);
  return `data-${hash.slice(0, hashLength)}`;
}

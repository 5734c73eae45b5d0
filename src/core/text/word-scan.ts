/**
 * Finds many words in one pass over a text (Aho and Corasick), whatever their number and the case of their letters. A hit costs a
 * call, every other character one step in a table.
 */

/** Called for each occurrence: which word, and where it begins. */
export type OnWord = (word: number, start: number) => void;

interface Trie {
  /** Child of a state by class; -1: none. */
  readonly children: number[][];
  /** Words that end in a state. */
  readonly ends: number[][];
}

/** Contract: words are not empty. Characters beyond Latin-1 are all alike; a caller that needs them compares the text again. */
export function wordScanner(words: readonly string[]): (text: string, onWord: OnWord) => void {
  const { classOf, classes } = charClasses(words);
  const { children, ends } = buildTrie(words, classOf);
  const next = connect({ children, ends }, classes);
  const lengths = words.map((word) => word.length);
  return (text, onWord) => {
    let state = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      // The table has no holes: a state and a class always give a state; a negative one is the end of a word.
      state = next[state + (code < 256 ? (classOf[code] as number) : 0)] as number;
      if (state < 0) {
        state = -state;
        for (const word of ends[state / classes] as number[])
          onWord(word, at + 1 - (lengths[word] as number));
      }
    }
  };
}

/** Class 0 is every character that no word has, and those beyond Latin-1. */
function charClasses(words: readonly string[]): { readonly classOf: Uint8Array; readonly classes: number } {
  const classOf = new Uint8Array(256);
  let classes = 1;
  for (const char of new Set(words.join('').toLowerCase())) {
    const code = char.charCodeAt(0);
    if (code >= 256) continue;

    classOf[code] = classes;
    if (code < 128) classOf[char.toUpperCase().charCodeAt(0)] = classes;
    classes += 1;
  }
  return { classOf, classes };
}

function buildTrie(words: readonly string[], classOf: Uint8Array): Trie {
  const children: number[][] = [[]];
  const ends: number[][] = [[]];
  for (const [index, word] of words.entries()) {
    let state = 0;
    for (let at = 0; at < word.length; at += 1) {
      const code = word.charCodeAt(at);
      const group = code < 256 ? (classOf[code] as number) : 0;
      const row = children[state] as number[];
      row[group] ??= children.push([]) - 1;
      state = row[group];
      ends[state] ??= [];
    }
    (ends[state] as number[]).push(index);
  }
  return { children, ends };
}

/** Rows of `classes` numbers: the row to go on with, negative where a word ends. `ends` gets the words that end inside others. */
function connect({ children, ends }: Trie, classes: number): Int32Array {
  const rows = new Int32Array(children.length * classes);
  const fallback = new Int32Array(children.length);
  const queue = [0];
  for (let head = 0; head < queue.length; head += 1) {
    const state = queue[head] as number;
    for (let group = 0; group < classes; group += 1) {
      const child = (children[state] as number[])[group];
      const other = rows[(fallback[state] as number) * classes + group] as number;
      if (child === undefined) {
        rows[state * classes + group] = state === 0 ? 0 : other;
        continue;
      }
      queue.push(child);
      const back = state === 0 ? 0 : Math.abs(other) / classes;
      fallback[child] = back;
      (ends[child] as number[]).push(...(ends[back] as number[]));
      const row = child * classes;
      rows[state * classes + group] = (ends[child] as number[]).length === 0 ? row : -row;
    }
  }
  return rows;
}

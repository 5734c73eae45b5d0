/** Finds the line of a program's output that tells of an error, by the usual words. A guess for people; nothing is decided by it. */

const words =
  /\b(?:error|errors|failed|failure|failures|fail|panic|panicked|exception|traceback|fatal|not ok)\b|[✗✘✖×]/iu;
/** `TypeError`, `AssertionError`. */
const named = /\b[A-Z][A-Za-z]*Error\b/u;
/** `0 failed`, `no errors`: these are no errors. */
const noError = /\b(?:0|no)\s+(?:errors?|fail(?:ed|ures?)?)\b|\bfail(?:ed|ures?)?[:\s]+0\b/giu;
const likely = /\b(?:not found|no such|cannot|denied|missing)\b/iu;

/** `==== FAILURES ====`: it says that errors follow, and none of them. */
const headline = /^\s*([=_-])\1{2,}.*\1{3,}\s*$/u;
/** pytest quotes the code that failed first; what was wrong with it follows as `E   assert 1 == 2`. */
const pytestHeadline = /^=+ (?:FAILURES|ERRORS) =+$/u;
const pytestError = /^E {2,}\S/u;

/** Enough of a line to tell. */
const lengthMax = 4096;

export function isErrorLine(line: string): boolean {
  const text = line.slice(0, lengthMax).replace(noError, '');
  if (headline.test(text)) return false;
  return words.test(text) || named.test(text) || pytestError.test(text);
}

export interface ErrorSearch {
  readonly add: (line: string) => void;
  /** The first line that tells of an error, else the first that may; null: none. `isSure`: no later line can be better. */
  readonly found: () => { readonly line: number; readonly text: string; readonly isSure: boolean } | null;
}

/** Line by line, so that a long log need not be held. Lines count from 1. */
export function searchError(): ErrorSearch {
  let count = 0;
  let isQuoted = false;
  let found: ReturnType<ErrorSearch['found']> = null;
  return {
    add: (text) => {
      count += 1;
      if (found?.isSure === true) return;
      const start = text.slice(0, lengthMax);
      if (start.startsWith('=') && headline.test(start)) isQuoted = pytestHeadline.test(start);
      const isError = isErrorLine(text);
      const isSure = isError && (!isQuoted || pytestError.test(start));
      if (isSure || (found === null && (isError || likely.test(start))))
        found = { line: count, text, isSure };
    },
    found: () => found,
  };
}

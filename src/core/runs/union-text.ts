/** Two versions of a text that only grows, as one (§12): what the target has, then what the run added. Pure; it takes no line away. */

export interface Versions {
  /** Where both began; empty: there was none. */
  readonly base: string;
  readonly target: string;
  readonly run: string;
}

export function unionText(versions: Versions): string {
  const [base, target, run] = [versions.base, versions.target, versions.run].map(endLine) as [
    string,
    string,
    string,
  ];
  if (hasLines(target, run)) return target;
  if (run.startsWith(target)) return run;
  if (!run.startsWith(base)) return withEntries(target, run);
  const added = run.slice(base.length);
  return hasLines(target, added) ? target : `${target}${added}`;
}

/** Whole lines, one after the other. */
function hasLines(text: string, part: string): boolean {
  return `\n${text}`.includes(`\n${part}`);
}

/** Somebody rewrote the text: every entry of the run that the target lacks. */
function withEntries(target: string, run: string): string {
  const known = new Set(entriesOf(target));
  const added = entriesOf(run).filter((entry) => !known.has(entry));
  return added.length === 0 ? target : `${target}${added.join('\n')}\n`;
}

/** A list item, a heading or a paragraph, each with the lines that belong to it. */
function entriesOf(text: string): readonly string[] {
  const entries: string[] = [];
  let entry = '';
  for (const line of [...text.split('\n').map((one) => one.trimEnd()), '']) {
    const isPart = entry !== '' && line !== '' && !/^(?:[-*+#]|\d+[.)])/u.test(line);
    if (!isPart && entry !== '') entries.push(entry);
    entry = isPart ? `${entry}\n${line}` : line;
  }
  return entries;
}

function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

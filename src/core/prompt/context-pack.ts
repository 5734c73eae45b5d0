/**
 * What a session is told about its node: task, last session, last failed check. One source for `.runner/context/*.md` (§2) and the
 * prompt (§6). It only renders; whose record it is, the caller decides.
 */
import { cleanLine, cleanText, renderTerminal } from '../text/terminal-text.ts';
import type { LastRecord, SelectedLeaf, TreeNode } from '../types.ts';
import { tagData } from './data-text.ts';
import type { Sha256 } from './data-text.ts';

interface ContextInput {
  /** Null in a repair, which works on no leaf. */
  readonly leaf: SelectedLeaf | null;
  readonly last: LastRecord | null;
  readonly sha256: Sha256;
}

interface ContextFiles {
  readonly goal: string;
  readonly history: string;
  readonly failure: string;
}

export function renderContext({ leaf, last, sha256 }: ContextInput): ContextFiles {
  const history = tagData(renderHistory(last), { from: 'agent', sha256 });
  const failure = tagData(renderFailure(last), { from: 'guard', sha256 });
  return {
    goal: renderFile('Goal', leaf === null ? '' : renderNode(leaf.node)),
    history: renderFile('History (previous attempt)', history),
    failure: renderFile('Failure (guard output)', failure),
  };
}

/** The task of a node. Further lines of the goal are indented: nothing in them can pass for a heading of ours. */
export function renderNode(node: TreeNode): string {
  const acceptance = node.acceptance.map((item) => `- ${cleanLine(item)}`);
  return [
    `title: ${cleanLine(node.title)}`,
    `goal: ${cleanText(node.goal).trim().replaceAll('\n', '\n    ')}`,
    ...(acceptance.length > 0 ? ['', 'acceptance:', ...acceptance] : []),
  ].join('\n');
}

/** Summary and error of the last judged session on the node; empty when there is nothing to tell. */
export function renderHistory(last: LastRecord | null): string {
  const summary = cleanText(last?.summary ?? '').trim();
  const error = cleanText(last?.error ?? '').trim();
  const parts = [
    ...(summary === '' ? [] : [`Summary of the last session:\n${summary}`]),
    ...(error === '' ? [] : [`Why the last session was not accepted:\n${error}`]),
  ];
  return parts.join('\n\n');
}

/** Output of the last failed check, as plain lines. */
export function renderFailure(last: LastRecord | null): string {
  return trimBlankLines(renderTerminal(last?.guard_output ?? ''));
}

function renderFile(title: string, body: string): string {
  return `# ${title}\n\n${body === '' ? 'None.' : body}\n`;
}

/** Indentation of the first line can matter in compiler output, so only whole blank lines go. */
function trimBlankLines(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/u, '').trimEnd();
}

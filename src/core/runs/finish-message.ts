/** The message of the commit that a finished run becomes (§12): a Conventional subject from the goal, what passed, and trailers. */
import { cutToWidth } from '../text/display-width.ts';
import { cleanLine } from '../text/terminal-text.ts';
import { walkTree } from '../tree/tree-walk.ts';
import type { RunState, TreeNode } from '../types.ts';

export interface FinishFacts {
  readonly run_id: string;
  readonly title: string;
  readonly tree: TreeNode;
  readonly state: RunState;
  /** The run's last commit, and the ref that keeps it. */
  readonly tip: string;
  readonly archive: string;
}

const conventional =
  /^(build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test)((?:\([^()]+\))?!?: \S.*)$/iu;
const subjectWidthMax = 72;
const leavesMax = 200;

export function renderFinishMessage(facts: FinishFacts): string {
  const { run_id, tree, state, tip, archive } = facts;
  const leaves = walkTree(tree).filter(({ node }) => node.children.length === 0);
  const passed = leaves.filter(({ node }) => node.passes);
  const more = passed.length - leavesMax;
  const { tokens, cost_usd } = state.totals;
  const body = [
    ...passed.slice(0, leavesMax).map(({ node }) => `- ${cleanLine(node.title).trim()} (${node.id})`),
    ...(more > 0 ? [`- and ${more} more`] : []),
  ];
  const trailers = [
    `Runner-Run: ${run_id}`,
    `Runner-Iterations: ${state.next_iter - 1}`,
    `Runner-Passes: ${passed.length}/${leaves.length}`,
    ...(tokens === null ? [] : [`Runner-Tokens: ${tokens}`]),
    ...(cost_usd === null ? [] : [`Runner-Cost-USD: ${cost_usd}`]),
    `Runner-Archive: ${archive}`,
    `Runner-Tip: ${tip}`,
  ];
  const parts = [renderSubject(facts), ...(body.length === 0 ? [] : [body.join('\n')]), trailers.join('\n')];
  return `${parts.join('\n\n')}\n`;
}

/** `Add a page.` becomes `feat: add a page`; a title that is Conventional already stays. */
export function renderSubject({ run_id, title }: Pick<FinishFacts, 'run_id' | 'title'>): string {
  const plain = cleanLine(title)
    .trim()
    .replace(/[.\s]+$/u, '');
  const said = plain === '' ? `run ${run_id}` : plain;
  const [, type, rest] = conventional.exec(said) ?? [];
  const subject = type === undefined ? `feat: ${lowerFirst(said)}` : `${type.toLowerCase()}${rest}`;
  return cutToWidth(subject, subjectWidthMax);
}

/** Names (`API`, `GitHub`) keep their letters. */
function lowerFirst(text: string): string {
  const isWord = /^\p{Lu}\p{Ll}*(?:\P{L}|$)/u.test(text);
  return isWord ? `${text.slice(0, 1).toLowerCase()}${text.slice(1)}` : text;
}

/** A person's commit that brings the base branch into a run. */
export function renderUpdateMessage({
  base,
  branch,
}: {
  readonly base: string;
  readonly branch: string;
}): string {
  return `Merge branch '${base}' into ${branch}\n\nRunner-Person: update\n`;
}

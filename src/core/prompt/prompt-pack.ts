/**
 * Builds the prompt of a session from tracked inputs only (§6): fixed sections in a fixed order, never more bytes than the
 * budget. People's texts are plain; what agents and guards wrote is tagged as data.
 */
import { renderTree } from '../tree/canonical-json.ts';
import { renderFailure, renderHistory, renderNode } from './context-pack.ts';
import { assert, RunnerError } from '../errors.ts';
import { violationsShownMax } from '../limits.ts';
import { contractText } from './contract-text.ts';
import { tagData } from './data-text.ts';
import type { Sha256, Speaker } from './data-text.ts';
import { goalFloorBytes, goalText } from './goal-share.ts';
import { outputText } from './output-text.ts';
import { fitSections } from './prompt-fit.ts';
import type { CutStep, PromptSection } from './prompt-fit.ts';
import type { SessionTerms } from './session-terms.ts';
import { byteLength } from '../text/shorten.ts';
import { cleanText } from '../text/terminal-text.ts';
import { walkTree } from '../tree/tree-walk.ts';
import { renderTreeSummary } from './tree-summary.ts';
import type { LastRecord, Purpose, RunState, SelectedLeaf, TreeNode } from '../types.ts';

export interface PromptInput {
  readonly purpose: Purpose;
  readonly budgetBytes: number;
  readonly goalBody: string;
  readonly tree: TreeNode;
  /** Null only in a repair. */
  readonly leaf: SelectedLeaf | null;
  /** The node's context sidecar, empty when there is none. */
  readonly nodeContext: string;
  readonly last: LastRecord | null;
  readonly memory: {
    readonly assumptions: string;
    readonly questions: string;
    /** A person's word. */
    readonly answers: string;
    readonly feedback: string;
    readonly improvements: string;
  };
  readonly terms: SessionTerms;
  /** Project folder inside the repository, `''` or ending in `/`. */
  readonly projectPrefix: string;
  /** Only in a repair; `rejected` is null when the text was too large to keep. */
  readonly repair: { readonly violations: string; readonly rejected: string | null } | null;
  readonly confirmEmptyChange: boolean;
  readonly guardBaseline: RunState['guard_baseline'];
  readonly sha256: Sha256;
}

interface Section {
  readonly title: string;
  readonly text: string;
  /** Fixed words in front of the text. */
  readonly lead?: string;
  /** Whose words the text is, if they are data. */
  readonly from?: Speaker;
}

/** What of the guard's output is always shown: a retry without it would repeat the mistake. */
const failureFloorBytes = 1000;

function drop(title: string): CutStep {
  return { title, floorBytes: null };
}

/** What gives way first, by title (§6). Sections not named are never cut. */
const nodeCuts: readonly CutStep[] = [
  ...['Tree summary', 'Improvements', 'Feedback', 'Assumptions', 'Questions', 'Node context'].map(drop),
  { title: 'Project goal', floorBytes: goalFloorBytes },
  { title: 'Path', floorBytes: 4000 },
  { title: 'History', floorBytes: 2000 },
  { title: 'Failure', floorBytes: 6000 },
  ...['Project goal', 'Path', 'History', 'Answers'].map(drop),
  { title: 'Failure', floorBytes: failureFloorBytes },
];
/** In a repair: from the last tree up (§5). */
const repairCuts: readonly CutStep[] = ['Current tree', 'Rejected tree', 'Violations'].map(drop);

export const leads = {
  path: 'The nodes above yours, from the root down. Yours is one part of them; the other parts have nodes of their own.',
  nodeContext: 'Notes of a person for this node:',
  answers:
    "A person's word: answers to questions and standing instructions. Follow them. Lines with `>` quote what sessions asked.",
  history: 'What the last session on this node reported, and why it did not end the node:',
  failure: 'The guard failed after the last session on this node. Its output:',
  treeSummary: '`[x]` has passed, `[ ]` is open:',
  violations: 'Why the tree was rejected:',
  rejectedTree: 'The rejected text:',
  currentTree: 'The valid tree that is in `.runner/state/tree.json` now:',
} as const;

export const confirmText = [
  'The last session answered `done`, but no file outside `.runner/` has changed since work on this node began.',
  'If work is missing, do it now. If the node truly needs no change, confirm that by answering `done` again:',
  'the guard then decides.',
].join('\n');

/** The prompt is these texts, one after the other. */
export function joinSections(sections: readonly PromptSection[]): string {
  return sections.map(({ text }) => text).join('');
}

export function renderSections(input: PromptInput): readonly PromptSection[] {
  const isRepair = input.purpose === 'repair';
  const sections = isRepair ? repairSections(input) : nodeSections(input);
  const steps = isRepair ? repairCuts : nodeCuts;
  const used = sections.filter((section) => section.text !== '');
  const render = (section: Section): string => renderSection(section, input.sha256);
  const fixed = used.filter(({ title }) => !steps.some((step) => step.title === title));
  checkBudget([...fixed, ...(isRepair ? [] : [leastFailure])].map(render), input.budgetBytes);
  return fitSections({ sections: used, steps, budgetBytes: input.budgetBytes, render });
}

function nodeSections(input: PromptInput): Section[] {
  const { leaf, last, memory, tree } = input;
  assert(leaf !== null, 'a prompt that is no repair has a selected leaf');
  const remembered = (title: string, text: string): Section => ({
    title,
    text: memoryText(text),
    from: 'agent',
  });
  return [
    contractSection(input),
    { title: 'Project goal', text: goalText(input.goalBody) },
    { title: 'Path', text: renderPath(tree, leaf), lead: leads.path },
    { title: 'Current node', text: currentNode(leaf, input.confirmEmptyChange) },
    { title: 'Node context', text: cleanText(input.nodeContext).trim(), lead: leads.nodeContext },
    { title: 'Answers', text: memoryText(memory.answers), lead: leads.answers },
    { title: 'History', text: renderHistory(last), lead: leads.history, from: 'agent' },
    failureSection(renderFailure(last)),
    {
      title: 'Tree summary',
      text: renderTreeSummary({ tree, selectedId: leaf.node.id }),
      lead: leads.treeSummary,
      from: 'tree',
    },
    remembered('Assumptions', memory.assumptions),
    remembered('Questions', memory.questions),
    remembered('Feedback', memory.feedback),
    remembered('Improvements', memory.improvements),
    outputSection(input),
  ];
}

function failureSection(text: string): Section {
  return { title: 'Failure', text, lead: leads.failure, from: 'guard' };
}

/** Its room is kept from the first session on: a budget that is large enough then is so after a failure, too. */
const leastFailure = failureSection('x'.repeat(failureFloorBytes));

function repairSections(input: PromptInput): Section[] {
  const { repair } = input;
  assert(repair !== null, 'a repair prompt has the rejected tree and its violations');
  return [
    contractSection(input),
    { title: 'Violations', text: firstViolations(repair.violations), lead: leads.violations, from: 'runner' },
    {
      title: 'Rejected tree',
      text: cleanText(repair.rejected ?? '').trim(),
      lead: leads.rejectedTree,
      from: 'agent',
    },
    {
      title: 'Current tree',
      text: cleanText(renderTree(input.tree)).trim(),
      lead: leads.currentTree,
      from: 'tree',
    },
    outputSection(input),
  ];
}

function contractSection(input: PromptInput): Section {
  const { purpose, tree, leaf, terms, projectPrefix, guardBaseline } = input;
  // A node that has passed proves that the guard has succeeded since.
  const hasPassed = walkTree(tree).some(({ node }) => node.passes);
  const text = contractText({
    purpose,
    terms,
    isRoot: leaf?.node.id === tree.id,
    projectPrefix: cleanText(projectPrefix),
    guardBaseline: hasPassed ? null : guardBaseline,
  });
  return { title: 'Contract', text };
}

function outputSection({ purpose, terms }: PromptInput): Section {
  return { title: 'Output contract', text: outputText(purpose, terms.answer) };
}

/** Every ancestor, from the root down. */
function renderPath(tree: TreeNode, leaf: SelectedLeaf): string {
  return walkTree(tree)
    .filter(({ path }) => leaf.path.startsWith(`${path}/`))
    .map(({ path, node }) => `path: ${path}\n${renderNode(node)}`)
    .join('\n\n');
}

function currentNode({ node, path }: SelectedLeaf, confirmEmptyChange: boolean): string {
  return [
    `path: ${path}`,
    `attempts: ${node.attempts} of ${node.max_attempts} used`,
    renderNode(node),
    ...(confirmEmptyChange ? ['', confirmText] : []),
  ].join('\n');
}

/** A memory file that holds only its headings is empty. */
function memoryText(text: string): string {
  const clean = cleanText(text).trim();
  return clean.split('\n').every((line) => line.trim() === '' || line.startsWith('#')) ? '' : clean;
}

/** The first 50 and the lines around them: a heading before, "and more" after. */
function firstViolations(text: string): string {
  const lines = cleanText(text).trim().split('\n');
  const shown = lines.slice(0, violationsShownMax + 2);
  const more = lines.length - shown.length;
  return [...shown, ...(more > 0 ? [`[… ${more} more lines left out …]`] : [])].join('\n');
}

function renderSection({ title, lead, text, from }: Section, sha256: Sha256): string {
  const body = from === undefined ? text : tagData(text, { from, sha256 });
  return `## ${title}\n\n${lead === undefined ? '' : `${lead}\n\n`}${body}\n\n`;
}

function checkBudget(required: readonly string[], budgetBytes: number): void {
  const bytes = required.reduce((sum, text) => sum + byteLength(text), 0);
  if (bytes <= budgetBytes) return;
  throw new RunnerError({
    code: 'CONFIG_INVALID',
    message: `prompt_budget_bytes is ${budgetBytes}, but the parts of the prompt that are never cut need ${bytes} bytes`,
    hint: `runner config set prompt_budget_bytes ${bytes} (or more)`,
  });
}

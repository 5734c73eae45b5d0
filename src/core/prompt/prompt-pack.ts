/**
 * Builds the prompt of a session from tracked inputs only (§6): fixed sections in a fixed order, never more bytes than the
 * budget. Text from files, agents and guards stands between fences as data.
 */
import { renderArgv } from '../text/argv-text.ts';
import { renderTree } from '../tree/canonical-json.ts';
import { fenceText, renderFailure, renderHistory, renderNode } from './context-pack.ts';
import { assert, RunnerError } from '../errors.ts';
import { violationsShownMax } from '../limits.ts';
import { confirmText, contractText, leads, outputText } from './prompt-texts.ts';
import { byteLength, shortenMiddle } from '../text/shorten.ts';
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
  readonly guardCommand: readonly string[];
  /** Project folder inside the repository, `''` or ending in `/`. */
  readonly projectPrefix: string;
  /** Only in a repair; `rejected` is null when the text was too large to keep. */
  readonly repair: { readonly violations: string; readonly rejected: string | null } | null;
  readonly confirmEmptyChange: boolean;
  readonly guardBaseline: RunState['guard_baseline'];
}

interface Section {
  readonly title: string;
  readonly text: string;
  /** Fixed words in front of the text. */
  readonly lead?: string;
  readonly fenced?: boolean;
}

/** Less than this is not worth reading: the section is dropped instead. */
const shortenedBytesMin = 256;

/** What gives way first, by title (§6). Sections not named are never cut. */
const dropOrder: readonly string[] = [
  'Tree summary',
  'Improvements',
  'Feedback',
  'Assumptions',
  'Questions',
  'History',
  'Failure',
  'Node context',
  'Selected subtree',
  'Project goal',
  'Answers',
];
/** In a repair: from the last tree up (§5). */
const repairDropOrder: readonly string[] = ['Current tree', 'Rejected tree', 'Violations'];

/** One section as it stands in the prompt; `text` is empty for one that had to be dropped. */
export interface PromptSection {
  readonly title: string;
  readonly text: string;
  /** What it would take without a budget. */
  readonly whole_bytes: number;
}

export function renderPrompt(input: PromptInput): string {
  return renderSections(input)
    .map(({ text }) => text)
    .join('');
}

/** The prompt is these texts, one after the other. */
export function renderSections(input: PromptInput): readonly PromptSection[] {
  const isRepair = input.purpose === 'repair';
  const sections = isRepair ? repairSections(input) : nodeSections(input);
  const order = isRepair ? repairDropOrder : dropOrder;
  const used = sections.filter((section) => section.text !== '');
  checkBudget(
    used.filter((section) => !order.includes(section.title)),
    input.budgetBytes,
  );
  const fitted = new Map(
    fitSections({ sections: used, order, budgetBytes: input.budgetBytes }).map((section) => [
      section.title,
      renderSection(section),
    ]),
  );
  return used.map((section) => ({
    title: section.title,
    text: fitted.get(section.title) ?? '',
    whole_bytes: byteLength(renderSection(section)),
  }));
}

function nodeSections(input: PromptInput): Section[] {
  const { leaf, last, memory } = input;
  assert(leaf !== null, 'a prompt that is no repair has a selected leaf');
  const data = (title: string, text: string): Section => ({ title, text, fenced: true });
  return [
    contractSection(input),
    { title: 'Project goal', text: cleanText(input.goalBody).trim() },
    { title: 'Current node', text: currentNode(leaf, input.confirmEmptyChange) },
    { ...data('Node context', cleanText(input.nodeContext).trim()), lead: leads.nodeContext },
    { title: 'Answers', text: memoryText(memory.answers), lead: leads.answers },
    { ...data('History', renderHistory(last)), lead: leads.history },
    { ...data('Failure', renderFailure(last)), lead: leads.failure },
    { ...data('Selected subtree', treeText(leaf.node)), lead: leads.subtree },
    {
      ...data('Tree summary', renderTreeSummary({ tree: input.tree, selectedId: leaf.node.id })),
      lead: leads.treeSummary,
    },
    data('Assumptions', memoryText(memory.assumptions)),
    data('Questions', memoryText(memory.questions)),
    data('Feedback', memoryText(memory.feedback)),
    data('Improvements', memoryText(memory.improvements)),
    outputSection(input),
  ];
}

function repairSections(input: PromptInput): Section[] {
  const { repair } = input;
  assert(repair !== null, 'a repair prompt has the rejected tree and its violations');
  return [
    contractSection(input),
    { title: 'Violations', text: firstViolations(repair.violations), lead: leads.violations, fenced: true },
    {
      title: 'Rejected tree',
      text: cleanText(repair.rejected ?? '').trim(),
      lead: leads.rejectedTree,
      fenced: true,
    },
    { title: 'Current tree', text: treeText(input.tree), lead: leads.currentTree, fenced: true },
    outputSection(input),
  ];
}

function contractSection(input: PromptInput): Section {
  // A node that has passed proves that the guard has succeeded since.
  const hasPassed = walkTree(input.tree).some(({ node }) => node.passes);
  const text = contractText({
    purpose: input.purpose,
    guardCommand: renderArgv(input.guardCommand),
    projectPrefix: cleanText(input.projectPrefix),
    guardBaseline: hasPassed ? null : input.guardBaseline,
  });
  return { title: 'Contract', text };
}

function outputSection({ purpose }: PromptInput): Section {
  return { title: 'Output contract', text: outputText(purpose) };
}

function currentNode({ node, path }: SelectedLeaf, confirmEmptyChange: boolean): string {
  return [`path: ${path}`, renderNode(node), ...(confirmEmptyChange ? ['', confirmText] : [])].join('\n');
}

function treeText(tree: TreeNode): string {
  return cleanText(renderTree(tree)).trim();
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

function renderSection({ title, lead, text, fenced }: Section): string {
  const body = fenced === true ? fenceText(text) : text;
  return `## ${title}\n\n${lead === undefined ? '' : `${lead}\n\n`}${body}\n\n`;
}

function countBytes(sections: readonly Section[]): number {
  return sections.reduce((sum, section) => sum + byteLength(renderSection(section)), 0);
}

function checkBudget(required: readonly Section[], budgetBytes: number): void {
  const bytes = countBytes(required);
  if (bytes <= budgetBytes) return;
  throw new RunnerError({
    code: 'CONFIG_INVALID',
    message: `prompt_budget_bytes is ${budgetBytes}, but the parts of the prompt that are never cut need ${bytes} bytes`,
    hint: `runner config set prompt_budget_bytes ${bytes} (or more)`,
  });
}

interface FitInput {
  readonly sections: readonly Section[];
  readonly order: readonly string[];
  readonly budgetBytes: number;
}

function fitSections({ sections, order, budgetBytes }: FitInput): readonly Section[] {
  let fitted = sections;
  for (const title of order) {
    const over = countBytes(fitted) - budgetBytes;
    if (over <= 0) break;
    fitted = fitted.flatMap((section) =>
      section.title === title ? shortenSection(section, over) : [section],
    );
  }
  return fitted;
}

/** A shorter text never needs a longer fence, so the section shrinks by at least what is asked. */
function shortenSection(section: Section, overBytes: number): Section[] {
  const room = byteLength(section.text) - overBytes;
  return room < shortenedBytesMin ? [] : [{ ...section, text: shortenMiddle(section.text, room) }];
}

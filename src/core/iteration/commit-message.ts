/**
 * The message of an iteration's commit (§5): a fixed subject and trailers in a fixed order. Holds no time, and no value can add
 * a line of its own. The title of a node is an agent's text, so it is the value of a trailer, too.
 */
import { renderArgv } from '../text/argv-text.ts';
import type { AgentIdentity, IterationMeta } from '../agents/session.ts';
import { cleanLine } from '../text/terminal-text.ts';
import { compareCodePoints } from '../tree/tree-walk.ts';
import type { AgentStatus, GuardStatus, Mode } from '../types.ts';
import type { Spent } from '../agents/usage.ts';
import type { OutcomeName } from './outcome-row.ts';

export interface CommitFacts {
  readonly run_id: string;
  readonly iter: number;
  readonly node_id: string;
  /** Of the node; null: it is not in the tree any more. */
  readonly title: string | null;
  readonly status: AgentStatus;
  readonly guard: GuardStatus;
  /** B: the commit the iteration started from. */
  readonly baseline: string;
  /** The commit whose files of the runner count: B, or what a person committed on top of it (§7). */
  readonly control: string;
  readonly outcome: OutcomeName;
  readonly agent: AgentIdentity;
  readonly mode: Mode;
  readonly prompt_sha256: string;
  /** Of the answer as it was read; null when there was none. */
  readonly answer_sha256: string | null;
  readonly tree_sha256: { readonly before: string; readonly after: string };
  readonly guard_command: readonly string[];
  /** Null when the guard did not run to an end. */
  readonly guard_exit: number | null;
  readonly guard_log_sha256: string | null;
  /** What the guard said without the change; null: it was not asked. */
  readonly counterfactual: IterationMeta['counterfactual'];
  /** Who reviewed the work, and how it came out; null without a review. */
  readonly review: { readonly agent: AgentIdentity; readonly verdict: 'pass' | 'fail' | null } | null;
  /** Which rings were on (`renderRings`). */
  readonly rings: string;
  /** Overrides by flag or environment that decide verdicts, `key=value`. */
  readonly settings: readonly string[];
  /** Tree id of everything outside `.runner/`, which the guard saw. */
  readonly work_tree: string;
  readonly changed_files: number;
  readonly tool_files: readonly string[];
  readonly spent: { readonly iteration: Spent; readonly node: Spent; readonly run: Spent };
  readonly marks: readonly string[];
}

export interface IterationSubject {
  readonly run_id: string;
  readonly iter: number;
  readonly node_id: string;
  readonly status: AgentStatus;
  readonly guard: GuardStatus;
}

const subjectPattern =
  /^chore\(loop\): run ([A-Za-z0-9._-]+) iter ([1-9][0-9]{0,14}) node ([A-Za-z0-9._-]+) status=(done|retry|decomposed) guard=(pass|fail|skipped)$/u;

/** More paths than this are only counted: a message is for reading. */
const toolFilesMax = 20;

/** `Proof`: every iteration of a run that begins with it has the trailers of this version of the proof (§15). */
export function startCommitMessage(runId: string): string {
  return `chore(loop): start run ${runId}\n\nRunner-Run: ${runId}\nRunner-Proof: 2\n`;
}

export function renderCommitMessage(facts: CommitFacts): string {
  const { run_id, iter, node_id, status, guard } = facts;
  const subject = `chore(loop): run ${run_id} iter ${iter} node ${node_id} status=${status} guard=${guard}`;
  const trailers = listTrailers(facts).map(([name, value]) => `Runner-${name}: ${cleanLine(value)}`);
  return `${subject}\n\n${trailers.join('\n')}\n`;
}

export function parseIterationSubject(subject: string): IterationSubject | null {
  const match = subjectPattern.exec(subject);
  if (match === null) return null;
  // The pattern has exactly these five groups, none optional.
  const [, run_id, iter, node_id, status, guard] = match as unknown as readonly [
    string,
    string,
    string,
    string,
    AgentStatus,
    GuardStatus,
  ];
  return { run_id, iter: Number(iter), node_id, status, guard };
}

function listTrailers(facts: CommitFacts): readonly (readonly [name: string, value: string])[] {
  return [
    ['Run', facts.run_id],
    // As a value and not as a line of its own: what an agent wrote must not look like a trailer.
    ...whenKnown('Title', facts.title),
    ['Baseline', facts.baseline],
    ...whenKnown('Control', facts.control === facts.baseline ? null : facts.control),
    ['Outcome', facts.outcome],
    ['Agent', renderAgent(facts.agent)],
    ['Mode', facts.mode],
    ['Prompt-SHA256', facts.prompt_sha256],
    ...whenKnown('Answer-SHA256', facts.answer_sha256),
    ['Tree-Before-SHA256', facts.tree_sha256.before],
    ['Tree-After-SHA256', facts.tree_sha256.after],
    ['Guard-Command', renderArgv(facts.guard_command)],
    ...whenKnown('Guard-Exit', facts.guard_exit),
    ...whenKnown('Guard-Log-SHA256', facts.guard_log_sha256),
    ...whenKnown('Counterfactual', facts.counterfactual),
    ...(facts.review === null ? [] : [['Review', renderReview(facts.review)] as const]),
    ['Rings', facts.rings],
    ...facts.settings.map((setting) => ['Setting', setting] as const),
    ['Work', facts.work_tree],
    ['Changed-Files', String(facts.changed_files)],
    ...listToolFiles(facts.tool_files).map((path) => ['Tool-File', path] as const),
    ...whenKnown('Tokens', facts.spent.iteration.tokens),
    ...whenKnown('Node-Tokens', facts.spent.node.tokens),
    ...whenKnown('Run-Tokens', facts.spent.run.tokens),
    ...whenKnown('Cost-USD', facts.spent.iteration.cost_usd),
    ...whenKnown('Node-Cost-USD', facts.spent.node.cost_usd),
    ...whenKnown('Run-Cost-USD', facts.spent.run.cost_usd),
    ...facts.marks.toSorted(compareCodePoints).map((mark) => ['Mark', mark] as const),
  ];
}

function listToolFiles(paths: readonly string[]): readonly string[] {
  const more = paths.length - toolFilesMax;
  return [...paths.slice(0, toolFilesMax), ...(more > 0 ? [`(and ${more} more)`] : [])];
}

function renderAgent({ name, version, model, effort }: CommitFacts['agent']): string {
  const words = [
    name,
    version,
    model === null ? null : `model=${model}`,
    effort === null ? null : `effort=${effort}`,
  ];
  return words.filter((word) => word !== null).join(' ');
}

function renderReview({ agent, verdict }: NonNullable<CommitFacts['review']>): string {
  return `${renderAgent(agent)} verdict=${verdict ?? 'none'}`;
}

function whenKnown(name: string, value: number | string | null): (readonly [string, string])[] {
  return value === null ? [] : [[name, String(value)]];
}

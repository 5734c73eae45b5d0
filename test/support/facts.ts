/** Builders of the facts that core decides on, each with harmless defaults; a test names only what it cares about. */
import { createHash } from 'node:crypto';
import { renderTree } from '../../src/core/tree/canonical-json.ts';
import { defaultConfig } from '../../src/core/config/default-config.ts';
import { configInForce } from '../../src/core/config/in-force.ts';
import type { OutcomeInput } from '../../src/core/iteration/outcome-row.ts';
import type { Review } from '../../src/core/types.ts';
import { defaultRunState, newNodeRecord } from '../../src/core/iteration/run-state.ts';
import type {
  GuardEnd,
  GuardRun,
  JournalBase,
  ReviewRun,
  SessionFacts,
  Usage,
} from '../../src/core/agents/session.ts';
import type {
  AgentChild,
  AgentOutput,
  AgentStatus,
  Config,
  NodeRecord,
  RunState,
  SourceText,
  TreeNode,
} from '../../src/core/types.ts';
import { unknownUsage } from '../../src/core/agents/usage.ts';
import type { Judgement, JudgeInput } from '../../src/core/iteration/verdict.ts';
import { node } from './trees.ts';

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Sections may be given in part. */
export type ConfigFields = {
  readonly [K in keyof Config]?: Config[K] extends readonly unknown[] ? Config[K] : Partial<Config[K]>;
};

export function configWith(fields: ConfigFields = {}): Config {
  const merged = Object.entries(fields).map(([key, value]) => {
    const old = defaultConfig[key as keyof Config];
    return [key, typeof value === 'object' && typeof old === 'object' ? { ...old, ...value } : value];
  });
  return { ...defaultConfig, ...(Object.fromEntries(merged) as Partial<Config>) };
}

/** As a run has them where no sandbox holds: nothing is left to the machine. */
export function configOutside(fields: ConfigFields = {}): Config {
  return configInForce(configWith(fields), null);
}

export function runStateWith(fields: Partial<RunState> = {}): RunState {
  return { ...defaultRunState, run_id: 'demo', ...fields };
}

/** Every field set, ids in no order. */
export const fullRunState: RunState = {
  run_id: 'r1',
  next_iter: 7,
  last_status: 'done',
  last_summary: 'ünï "x"\n',
  last_guard: 'fail',
  failures_in_a_row: 2,
  judged_sessions: 5,
  totals: { tokens: 12, cost_usd: 0.25, seconds: 3.5 },
  guard_baseline: 'red',
  guard_checkout: { mode: 'off', reason: 'red there', sha256: 'ee' },
  base_branch: 'main',
  base_commit: 'dd',
  goal_sha256: 'gg',
  resolved: { permissions: 'workspace', sandbox: 'bwrap', guard: true, guard_network: false },
  repair: { node_id: 'a', count: 1, sha256: 'ff' },
  ratchet: {
    guard_sha256: 'aa',
    files: [
      { path: 'justfile', mode: '100644', oid: 'bb', scripts: null },
      { path: 'sub/justfile', mode: null, oid: null, scripts: null },
      { path: 'package.json', mode: '100644', oid: 'cc', scripts: ['test'] },
    ],
  },
  nodes: {
    b: { ...newNodeRecord, decompose_used: true },
    a: {
      base: 'abc',
      invalid_trees: 2,
      confirm_asked: true,
      decompose_used: false,
      tokens: 7,
      cost_usd: 0.5,
    },
    '10': { ...newNodeRecord, base: 'x', tokens: 0 },
    '9': { ...newNodeRecord, base: 'y', cost_usd: 0 },
  },
};

export function recordWith(fields: Partial<NodeRecord> = {}): NodeRecord {
  return { ...newNodeRecord, base: 'base-tree', ...fields };
}

export function usageWith(fields: Partial<Usage> = {}): Usage {
  return { ...unknownUsage, ...fields };
}

export function textSource(text: string): SourceText {
  return { kind: 'text', text };
}

export function treeSource(tree: TreeNode): SourceText {
  return textSource(renderTree(tree));
}

export function outputWith(status: AgentStatus, fields: Partial<AgentOutput> = {}): AgentOutput {
  return { status, summary: `${status} summary`, children: null, ...fields };
}

export function answerSource(status: AgentStatus, fields: Partial<AgentOutput> = {}): SourceText {
  return textSource(JSON.stringify(outputWith(status, fields)));
}

export function child(title: string, fields: Partial<AgentChild> = {}): AgentChild {
  return { title, goal: `${title} goal`, acceptance: [], ...fields };
}

export function sessionWith(fields: Partial<SessionFacts> = {}): SessionFacts {
  return {
    end: { kind: 'exited' },
    answer: { kind: 'missing' },
    exit_code: 0,
    duration_ms: 1000,
    usage: unknownUsage,
    denials: [],
    leftovers: [],
    head: 'head-commit',
    notes: [],
    protected_paths: [],
    dirty_submodules: [],
    agent_tree: { kind: 'missing' },
    sessions: 1,
    waited_secs: 0,
    ...fields,
  };
}

/** A review session that ended by itself; without a verdict unless one is given. */
export function reviewWith(review: Review | null, fields: Partial<ReviewRun> = {}): ReviewRun {
  return {
    end: { kind: 'exited' },
    answer: review === null ? { kind: 'missing' } : textSource(JSON.stringify(review)),
    exit_code: 0,
    duration_ms: 500,
    usage: unknownUsage,
    denials: [],
    agent: { name: 'claude', version: '2.1.325', model: null, effort: null },
    waited_secs: 0,
    ...fields,
  };
}

export function guardWith(end: GuardEnd, fields: Partial<GuardRun> = {}): GuardRun {
  const exit_code = end.kind === 'passed' ? 0 : 1;
  return { end, exit_code, duration_ms: 1000, output: '', log_sha256: 'log-sha', ...fields };
}

/** `root` with the open leaves `a` (selected in most tests) and `b`, and the passed leaf `p` between them. */
export function smallTree(fields: Partial<TreeNode> = {}): TreeNode {
  return node('root', {
    children: [
      node('a', { order: 1, ...fields }),
      node('p', { order: 2, passes: true, attempts: 1 }),
      node('b', { order: 3 }),
    ],
  });
}

/** The tree with one node replaced by what `change` makes of it; null takes it out. */
export function edited(tree: TreeNode, id: string, change: (old: TreeNode) => TreeNode | null): TreeNode {
  const visit = (at: TreeNode): readonly TreeNode[] => {
    const now = at.id === id ? change(at) : at;
    return now === null ? [] : [{ ...now, children: now.children.flatMap(visit) }];
  };
  const [top] = visit(tree);
  if (top === undefined) throw new Error('the root was taken out');
  return top;
}

export function judgeInput(fields: Partial<JudgeInput> = {}): JudgeInput {
  const before = fields.before ?? smallTree();
  return {
    purpose: 'execute',
    before,
    nodeId: 'a',
    agentTree: treeSource(before),
    answer: answerSource('done'),
    allowRemoval: false,
    maxAttemptsDefault: 3,
    takenIds: [],
    sha256,
    ...fields,
  };
}

export function accepted(status: AgentStatus, fields: Partial<Judgement> = {}): Judgement {
  return {
    kind: 'accepted',
    output: outputWith(status),
    tree: smallTree(),
    textChanged: false,
    ...fields,
  } as Judgement;
}

export function outcomeInput(fields: Partial<OutcomeInput> = {}): OutcomeInput {
  return {
    purpose: 'execute',
    iter: 7,
    nodeId: 'a',
    before: smallTree(),
    runState: runStateWith({ next_iter: 7, failures_in_a_row: 2, judged_sessions: 4 }),
    last: null,
    config: configWith(),
    session: sessionWith(),
    judgement: null,
    record: recordWith(),
    workTree: 'work-tree',
    guard: null,
    review: null,
    seconds: 12,
    sha256,
    ...fields,
  };
}

/** An iteration in the journal, at the top of the work tree. */
export const journalBase: JournalBase = {
  version: 1,
  kind: 'iteration',
  run_id: 'r',
  iter: 1,
  node_id: 'root',
  node_path: 'root',
  purpose: 'execute',
  branch: 'runner/r',
  baseline: 'b',
  baseline_tree: 't',
  prefix: '',
  cookie: 'c',
  config: defaultConfig,
  run_state: defaultRunState,
  agent: { name: 'codex', version: null, model: null, effort: null },
  started_at: 's',
  prompt_sha256: 'p',
  task_sha256: 't',
  prompt_cut: [],
  dirty_submodules_before: [],
};

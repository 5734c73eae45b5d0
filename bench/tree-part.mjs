// What one iteration does with its tree, in the order of `step` and with its code: read, check, select, prompt, text for the log, what
// the agent left, judgement, outcome, new text, hashes. Bundled by bench/scale.mjs; prints the milliseconds as JSON.
import { renderTree } from '../src/core/tree/canonical-json.ts';
import { isSameShape } from '../src/core/iteration/classifier.ts';
import { nodeRecord } from '../src/core/iteration/guard-plan.ts';
import { decide } from '../src/core/iteration/outcome.ts';
import { progressOf } from '../src/core/tree/progress.ts';
import { joinSections, renderSections } from '../src/core/prompt/prompt-pack.ts';
import { reachOf, sessionTerms } from '../src/core/prompt/session-terms.ts';
import { defaultConfig } from '../src/core/config/default-config.ts';
import { defaultRunState } from '../src/core/iteration/run-state.ts';
import { unknownUsage } from '../src/core/agents/usage.ts';
import { judge } from '../src/core/iteration/verdict.ts';
import { planNext } from '../src/app/plan.ts';
import { systemHasher } from '../src/adapters/files/hasher.ts';
import { layout } from '../src/adapters/files/layout.ts';
import { treeStore } from '../src/adapters/project/tree-store.ts';

const answer = { kind: 'text', text: '{"status":"done","summary":"made it","children":null}' };
const guard = { end: { kind: 'passed' }, exit_code: 0, duration_ms: 0, output: '', log_sha256: null };
const memory = { assumptions: '', questions: '', answers: '', feedback: '', improvements: '' };
const config = defaultConfig;
const runState = { ...defaultRunState, run_id: 'bench' };
const hasher = systemHasher();
const sha256 = (text) => hasher.sha256(text);
const [, , folder, agentFile] = process.argv;

const startedMs = performance.now();
const trees = treeStore(layout(folder));
const before = await trees.load();
const { work } = planNext({ runId: 'bench', config, runState, tree: before });
const prompt = joinSections(
  renderSections({
    purpose: work.purpose,
    budgetBytes: config.prompt_budget_bytes,
    goalBody: 'Measure.',
    tree: before,
    leaf: work.leaf,
    nodeContext: '',
    last: null,
    memory,
    terms: sessionTerms(config, { reach: reachOf(config), checkout: 'off', ratchet: null }),
    projectPrefix: '',
    repair: null,
    confirmEmptyChange: false,
    guardBaseline: null,
    sha256,
  }),
);
const texts = [prompt, renderTree(before)];
const shown = [progressOf(before)];
const agentTree = await treeStore({ ...layout(folder), tree: agentFile }).loadSource();
const judgement = judge({
  purpose: work.purpose,
  before,
  nodeId: work.nodeId,
  agentTree,
  answer,
  allowRemoval: false,
  maxAttemptsDefault: config.max_attempts_default,
  takenIds: [],
  sha256,
});
const record = nodeRecord({ runState, nodeId: work.nodeId, baselineTree: 'b' });
const session = { end: { kind: 'exited' }, answer, agent_tree: agentTree, usage: unknownUsage };
const facts = { purpose: work.purpose, iter: 1, nodeId: work.nodeId, before, runState, config, judgement };
const { tree: after } = decide({
  ...facts,
  last: null,
  session: { ...session, denials: [], protected_paths: [] },
  record,
  workTree: 'w',
  guard,
  review: null,
  seconds: 1,
  sha256,
});
texts.push(renderTree(after), sha256(renderTree(before)), sha256(renderTree(after)));
shown.push(progressOf(after), isSameShape({ before, after }));
const ms = performance.now() - startedMs;

if (after === before || judgement.kind !== 'accepted') throw new Error('nothing passed');
process.stdout.write(JSON.stringify({ ms, peak_bytes: process.resourceUsage().maxRSS * 1024 }));

/** What the code says about itself, in the form the documents show it: help texts, lines, tables. Starts nothing. */
import { executorTable } from '../../src/adapters/agents/executors/table.ts';
import { noUserLogin } from '../../src/adapters/agents/executors/spec.ts';
import type { ExecutorSpec } from '../../src/adapters/agents/executors/spec.ts';
import { githubReporter, renderErrorNote } from '../../src/cli/output/github.ts';
import { parseCommandLine } from '../../src/cli/program.ts';
import {
  printLine,
  printLoopEnd,
  printLoopStep,
  printSelection,
  printStep,
  printValidation,
} from '../../src/cli/output/report.ts';
import { renderDetailLines, renderEntryLine } from '../../src/cli/output/log-text.ts';
import { renderStatusLines, statusValue } from '../../src/cli/output/status-text.ts';
import type { Settings, Streams } from '../../src/cli/output/streams.ts';
import { nodeValue, renderNodeLine, renderTreeEnd, treeEndValue } from '../../src/cli/output/tree-text.ts';
import { defaultRunState } from '../../src/core/iteration/run-state.ts';
import { renderFinishMessage } from '../../src/core/runs/finish-message.ts';
import { renderCommitMessage, startCommitMessage } from '../../src/core/iteration/commit-message.ts';
import {
  answerMessage,
  configMessage,
  retryMessage,
  treeEditMessage,
} from '../../src/core/runs/person-message.ts';
import type { CommitFacts } from '../../src/core/iteration/commit-message.ts';
import { outcomeNames } from '../../src/core/iteration/outcome-row.ts';
import { toolFileRules } from '../../src/core/guard/tool-files.ts';
import { environmentRules } from '../../src/core/agents/environment-rules.ts';
import { renderRings } from '../../src/core/iteration/rings.ts';
import { escapes } from '../../src/core/sandbox/sandbox-battery.ts';
import {
  cacheVariables,
  hiddenFolders,
  hiddenProc,
  hiddenVariables,
  isolation,
  maskedPaths,
  readOnlyProc,
  readVariables,
  toolchainRoots,
} from '../../src/core/sandbox/sandbox-policy.ts';
import { configJsonSchema } from '../../src/core/config/config-schema.ts';
import { configKeys } from '../../src/core/settings.js';
import { defaultConfig } from '../../src/core/config/default-config.ts';
import { RunnerError } from '../../src/core/errors.ts';
import { failureTable } from '../../src/core/agents/failure.ts';
import * as limits from '../../src/core/limits.ts';
import { sampleDetail, sampleEntries, sampleRows, sampleStatus, sampleTree } from './sample-overview.ts';
import type { SelectedLeaf } from '../../src/core/types.ts';

type Rows = readonly (readonly string[])[];

function capture(use: (streams: Streams) => void): string {
  let out = '';
  use({
    out: (text) => (out += text),
    err: () => undefined,
    columns: () => null,
    rows: () => null,
    onResize: () => () => undefined,
    outColumns: () => null,
    send: async () => true,
  });
  return out.replace(/\n+$/, '');
}

/** What is wrong with a command line, or null. */
export function checkCommandLine(argv: readonly string[]): string | null {
  try {
    capture((streams) => parseCommandLine(argv, streams));
    return null;
  } catch (error) {
    if (error instanceof RunnerError) return error.message;
    throw error;
  }
}

const leaf: SelectedLeaf = {
  path: 'root/root.1',
  node: {
    id: 'root.1',
    order: 0,
    title: '',
    goal: '',
    acceptance: [],
    passes: false,
    attempts: 0,
    max_attempts: 3,
    children: [],
  },
};
const stuckLeaf: SelectedLeaf = { ...leaf, node: { ...leaf.node, attempts: 3 } };
const repair = { node_id: 'root.1', count: 0, sha256: '' };
const record = {
  run_id: 'demo',
  iter: 2,
  node_id: 'root.1',
  node_path: 'root/root.1',
  title: 'Make slugify right',
  status: 'done',
  guard: 'fail',
  commit: '5b9ff14a0bc31378494454600f5afd181bef097f',
  message: 'the guard ended with exit code 1',
  tokens: 15_204,
  cost_usd: null,
  failure: null,
  duration_ms: { agent: 61_402, guard: 596, review: 0 },
  waited_secs: 0,
} as const;
const counts = { run_id: 'demo', steps: 7, started_at_iter: 1 };
const agentMissing = new RunnerError({
  code: 'AGENT_MISSING',
  message: "the program 'codex' of the agent 'codex' was not found",
  hint: 'npm install -g @openai/codex, then: codex login',
});
const stop = { kind: 'error', code: 'AGENT_BLOCKED', message: '', hint: '' } as const;
const interrupted = { kind: 'interrupted', signal: 'SIGINT' } as const;

const iterationStarted = {
  type: 'iteration_started',
  run_id: 'demo',
  iter: 2,
  node_id: 'root.1',
  node_path: 'root/root.1',
  title: '',
  attempts: 0,
  max_attempts: 3,
  max_iterations: 50,
  purpose: 'execute',
  agent: { name: 'codex', version: null, model: null, effort: null },
  credential: null,
  budget_ms: 0,
  rings: { sandbox: 'none', guard: 'outside', settings: true, checkout: 'off' },
  progress: { passed: 0, total: 2 },
  totals: { tokens: null, cost_usd: null },
} as const;
/** Every way to call the printers, by the mark of the block that shows the lines. */
const prints: Readonly<Record<string, readonly ((settings: Settings) => void)[]>> = {
  validate: [
    (to) => printValidation(to, { run: { kind: 'ok', run_id: 'demo', branch: 'runner/demo' }, warnings: [] }),
    (to) => printValidation(to, { run: { kind: 'inactive', run_id: 'demo', branch: 'main' }, warnings: [] }),
    (to) => printValidation(to, { run: { kind: 'not-started' }, warnings: [] }),
  ],
  select: [
    (to) => printSelection(to, { kind: 'leaf', leaf, purpose: 'execute' }),
    (to) => printSelection(to, { kind: 'leaf', leaf: stuckLeaf, purpose: 'plan' }),
    (to) => printSelection(to, { kind: 'stuck', leaf: stuckLeaf }),
    (to) => printSelection(to, { kind: 'repair', leaf, repair }),
    (to) => printSelection(to, { kind: 'complete' }),
  ],
  step: [
    (to) => printStep(to, { kind: 'recorded', record, stop: null }),
    (to) => printStep(to, { kind: 'complete', run_id: 'demo' }),
    (to) => printStep(to, { kind: 'stuck', run_id: 'demo', leaf: stuckLeaf }),
  ],
  loop: [
    (to) => printLoopStep(to, record),
    (to) => printLoopEnd(to, { ...counts, kind: 'complete' }),
    (to) => printLoopEnd(to, { ...counts, kind: 'stuck', leaf: stuckLeaf }),
    (to) => printLoopEnd(to, { ...counts, kind: 'limit', next_iter: 51, max_iterations: 50 }),
    (to) => printLoopEnd(to, { ...counts, kind: 'run_limit', limit: 'max_run_secs', used: 3700, max: 3600 }),
    (to) =>
      printLoopEnd(to, {
        ...counts,
        kind: 'run_limit',
        limit: 'max_tokens',
        used: 1_000_204,
        max: 1_000_000,
      }),
    (to) => printLoopEnd(to, { ...counts, kind: 'run_limit', limit: 'max_cost_usd', used: 5.02, max: 5 }),
    (to) => printLoopEnd(to, { ...counts, kind: 'stopped', stop }),
    (to) => printLoopEnd(to, { ...counts, kind: 'stopped', stop: interrupted }),
  ],
  status: renderStatusLines(sampleStatus).map(
    (line) => (to) => printLine(to, line, statusValue(sampleStatus, null)),
  ),
  tree: [
    ...sampleRows.map((row) => (to: Settings) => printLine(to, renderNodeLine(row, null), nodeValue(row))),
    (to) => printLine(to, renderTreeEnd(sampleTree), treeEndValue(sampleTree)),
  ],
  log: [...sampleEntries.map(renderEntryLine), ...renderDetailLines(sampleDetail)].map(
    (line) => (to) => printLine(to, line, null),
  ),
  github: [
    (to) => githubReporter(to.streams.out, to).report(iterationStarted),
    (to) => {
      const reporter = githubReporter(to.streams.out, to);
      reporter.report(iterationStarted);
      reporter.ended();
    },
    (to) =>
      githubReporter(to.streams.out, to).report({
        type: 'iteration_ended',
        record,
        progress: { passed: 0, total: 2 },
      }),
    (to) => to.streams.out(renderErrorNote(agentMissing, to)),
  ],
};

function printed(print: (settings: Settings) => void): string {
  return capture((streams) =>
    print({
      entryFile: '',
      directory: '.',
      json: false,
      quiet: false,
      verbose: false,
      noInput: false,
      env: {},
      streams,
    }),
  );
}

const runSamples = [
  'run: id=landing-page-1 state=open status=running passed=1/4 branch=runner/landing-page-1 last=2026-11-16T06:01:02.000Z logs_bytes=48211 worktree_bytes=201334 title="Landing page"',
  'run: id=search-2 state=open status=failed(crashed) passed=0/3 branch=runner/search-2 last=2026-11-16T06:02:09.000Z logs_bytes=0 worktree_bytes=- title="Search"',
];

/** Samples of commands whose lines are printed where they are made. */
const samples: Readonly<Record<string, readonly string[]>> = {
  init: ['initialized .runner/'],
  start: ['started run=run-bb44ec10 branch=runner/run-bb44ec10'],
  retry: [
    'retry: run=demo node=root.1 attempts=3/6 commit=5b9ff14a0bc31378494454600f5afd181bef097f',
    'retry: run=demo status=queued entry=0f8e2b6a51c94c7d9e3a1b2c3d4e5f60',
  ],
  edit: [
    'edit: run=demo node=root.1 changed=goal,acceptance commit=5b9ff14a0bc31378494454600f5afd181bef097f',
    'edit: run=demo node=root.1 changed=none commit=none',
    'edit: run=demo status=queued entry=0f8e2b6a51c94c7d9e3a1b2c3d4e5f60',
  ],
  add: [
    'add: run=demo status=committed nodes=root.3 reopened=none commit=5b9ff14a0bc31378494454600f5afd181bef097f',
    'add: run=demo status=queued entry=0f8e2b6a51c94c7d9e3a1b2c3d4e5f60',
  ],
  move: [
    'move: run=demo status=committed nodes=root.3 reopened=none commit=5b9ff14a0bc31378494454600f5afd181bef097f',
  ],
  drop: [
    'drop: run=demo status=committed nodes=root.4 reopened=none commit=5b9ff14a0bc31378494454600f5afd181bef097f',
  ],
  import: [
    'import: status=planned tasks=2 left_out=1',
    'import: run=demo status=committed nodes=root.1,root.2 reopened=none commit=5b9ff14a0bc31378494454600f5afd181bef097f',
  ],
  questions: [
    'question: id=3.1 status=open Which port?',
    'question: run=search-1 id=2.1 status=open Which language?',
    'questions: open=2 answered=2',
  ],
  answer: [
    'answer: run=demo id=3.1 commit=5b9ff14a0bc31378494454600f5afd181bef097f',
    'answer: run=demo status=queued entry=0f8e2b6a51c94c7d9e3a1b2c3d4e5f60',
  ],
  pause: ['pause: run=demo status=requested'],
  'config-list': [
    'max_iterations=80 origin=file:.runner/state/config.toml:7',
    'on_stuck="defer" origin=env:RUNNER_ON_STUCK',
    'agent.name="codex" origin=default',
  ],
  'config-get': ['["npm","test"]'],
  'config-set': [
    'config: set key=max_iterations changed=true commit=5b9ff14a0bc31378494454600f5afd181bef097f',
    'config: run=demo status=queued entry=0f8e2b6a51c94c7d9e3a1b2c3d4e5f60',
  ],
  'config-unset': [
    'config: unset key=max_iterations changed=true commit=5b9ff14a0bc31378494454600f5afd181bef097f',
    'config: run=demo status=queued entry=0f8e2b6a51c94c7d9e3a1b2c3d4e5f60',
  ],
  runs: runSamples,
  'run-list': runSamples,
  'run-start': [
    'run: id=landing-page-1 status=queued reason=- branch=runner/landing-page-1 worktree=/var/tmp/runs/5b9ff14a0bc3d1e2/landing-page-1 iterations=0 passed=0/0',
  ],
  'run-show': [
    'run: id=landing-page-1 state=open status=running passed=1/4 title="Landing page"',
    'run: branch=runner/landing-page-1 remote=- commit=5b9ff14a0bc3 base=main checkout=/var/tmp/runs/5b9ff14a0bc3d1e2/landing-page-1',
    'run: last=2026-11-16T06:01:02.000Z logs_bytes=48211 worktree_bytes=201334 worktree=/var/tmp/runs/5b9ff14a0bc3d1e2/landing-page-1',
    'run: iterations=3/100 node=root.2 agent=codex model=- sandbox=none tokens=48211 cost_usd=0.42',
    'run: pid=4711 slot=0 started=2026-11-16T06:00:00.000Z updated=2026-11-16T06:01:02.000Z finished=-',
    'run: audit=start at=2026-11-16T06:00:00.000Z by=cli',
    'run: next="runner run attach landing-page-1"',
  ],
  'run-attach': ['run: id=landing-page-1 state=complete status=complete'],
  'run-cancel': ['canceled run=landing-page-1 status=canceled branch=runner/landing-page-1 processes=0'],
  'run-resume': ['resumed run=landing-page-1 status=queued branch=runner/landing-page-1 pid=4711'],
  finish: [
    'finish: run=demo into=main mode=squash commit=5b9ff14a0bc3 passed=3/3 files=7 branch=deleted archive=refs/runner/archive/demo',
  ],
  plan: [
    'plan: run=demo leaves=3 attempts=8 iterations=46 seconds=82800 tokens=- cost_usd=- expected_seconds=540 expected_tokens=45000',
  ],
  audit: [
    'audit: run=demo tip=5b9ff14a0bc3 verdict=unproven transitions=9 iterations=5 passes=2 logs=15',
    'audit: first commit=25fde4a6f4c5 kind=iteration iter=3 node=root.2 rule=Runner-Guard-Exit expected=0 found=1',
    'not proven',
  ],
  update: ['update: run=demo base=main commit=5b9ff14a0bc3 files=2'],
  abandon: [
    'abandon: run=demo branch=deleted archive=refs/runner/archive/demo back_to=main rescued=refs/runner/rescue/demo/4',
  ],
  clean: ['clean: runs=1 removed=2 bytes=48213 left=1'],
  'rescue-list': [
    'rescue: ref=demo/3 run=demo iter=3 commit=5b9ff14a0bc3 saved_at=2026-11-16T06:01:02+00:00 files=2 insertions=14 deletions=1 what="runner: work of run demo iteration 3, kept"',
  ],
  'rescue-show': [
    'rescue: ref=demo/3 run=demo iter=3 commit=5b9ff14a0bc3 saved_at=2026-11-16T06:01:02+00:00 files=2 insertions=14 deletions=1 what="runner: work of run demo iteration 3, kept"',
  ],
  'rescue-restore': ['rescue: restored=demo/3 written=2 overwritten=0 deleted_there=0'],
  ui: ['ui: address=http://127.0.0.1:3001/ port=3001'],
  export: ['export: file=/srv/slugs/run.html bytes=201334 run=demo iterations=7'],
  'eval-list': ['list: case=fix-failing-test checks=2 oracle=yes tags=js,small'],
  'eval-run': [
    'run: case=fix-failing-test eval_run_id=eval-20260131_120000-k3j9x2 variant=codex repeat=1 outcome=success results=…',
    'eval: error variant=codex why=loop_failed trials=1 results=…',
    'eval: variant=codex trials=5 success=3 fail=1 stuck=0 error=1 skipped=0 judged=4 rate=0.750 low=0.301 high=0.954',
    'eval: batch=20260131_120000-p0q8d1 trials=5 success=3 fail=1 stuck=0 error=1 skipped=0 left=0',
  ],
  'eval-report': [
    'report: batch=monday created=2026-01-31T01:00:00.000Z runner=0.1.0 complete=no planned=8 missing=2 trials=6 success=2 fail=1 stuck=0 error=1 skipped=2',
    'report: note: Incomplete: 2 of 8 planned trials have no result. Continue with: runner eval run --resume --batch monday',
    'report: note: 1 harness error in 6 trials of codex: not judged, and not in its rate.',
    'report: error variant=codex why=loop_failed trials=1 results=…',
    'report: variant=codex cases=2 trials=6 success=2 fail=1 stuck=0 error=1 skipped=2 judged=3 rate=0.667 low=0.208 high=0.939 low_cases=0.057 high_cases=0.985 cost=1.5 took_secs=180 iterations=3 attempts=1 duration_secs=30 tokens=1000 cost_usd=0.25',
    'report: failed variant=codex why=iteration_limit trials=1 results=…',
    'report: pass variant=codex k=2 pass_at=1.000 pass_hat=0.000 cases=1',
    'report: check=runner_completed case=a variant=codex passed=1/3',
    'report: flaky case=a variant=codex rate=0.500',
    'report: reason=iteration_limit trials=1',
    'report: trial=a variant=codex repeat=2 outcome=fail why=iteration_limit results=… logs=runner.loop.log,runner.start.log',
  ],
  'eval-compare': [
    'compare: a=monday trials=40 success=27 fail=13 stuck=0 error=0 skipped=0 judged=40 rate=0.675 low=0.520 high=0.799',
    'compare: case=slugs pairs=5 success_a=2 success_b=4 gained=3,4 lost=-',
    'compare: median=duration_secs a=350 b=284',
    'compare: differs=model case=- a=gpt-x b=gpt-y',
    'compare: differs=setting_max_iterations case=- a=10 b=20',
    'compare: left_out=slugs repeat=6 why=error_in_B_(loop_failed)',
    'compare: pairs=39 both=25 only_a=1 only_b=7 neither=6 p=0.07031 verdict=noise pairs_needed=12',
  ],
  'eval-import': ['import: case=hello-world file=… oracle=yes requires=bash,python3 notes=2'],
  'eval-merge': ['merge: batch=nightly trials=40 added=40 duplicates=0 missing=0'],
  'eval-fleet': ['#SBATCH --array=1-4'],
  'eval-clean': ['clean: case=fix-failing-test workspaces=2 results=2'],
  doctor: [
    'ok node: Node 22.11.0',
    'fail guard.can_fail: it cannot fail, so every "done" would pass: it ends with \'true\' -> set a real check: …',
    'doctor: ok=17 warn=1 fail=1',
  ],
};

/** The last line of what each call prints, in plain form; null for a mark that has none. */
export function linesOf(mark: string): readonly string[] | null {
  return prints[mark]?.map((print) => printed(print).split('\n').at(-1) ?? '') ?? samples[mark] ?? null;
}

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

/** Key, default, what is allowed, variable. */
export function configRows(): Rows {
  return configKeys.map(({ key, kind, variable }) => {
    const path = key.split('.');
    const schema = path.reduce<SchemaNode | undefined>(
      (node, part) => node?.properties?.[part],
      configJsonSchema() as SchemaNode,
    );
    const value = path.reduce<unknown>(
      (table, part) => (table as Readonly<Record<string, unknown>>)[part],
      defaultConfig,
    );
    const standard = value === null ? 'not set' : `\`${JSON.stringify(value).replaceAll(',', ', ')}\``;
    const allowed = {
      integer: `${schema?.minimum} to ${schema?.maximum}`,
      number: `above ${schema?.exclusiveMinimum} to ${schema?.maximum}`,
      boolean: '`true`, `false`',
      list: 'list of texts',
      text: schema?.enum?.map((choice) => `\`"${choice}"\``).join(', ') ?? 'text',
    }[kind];
    return [`\`${key}\``, standard, allowed, `\`${variable}\``];
  });
}

export function limitRows(): Rows {
  return Object.entries(limits).map(([name, value]) => [String(value), `\`${name}\``]);
}

const { command: _own, scripted: _played, ...real } = executorTable('');

/** Kind, rule, meaning, and what helps where an agent has nothing of its own to say. */
/** What agent and guard do not get. */
export function environmentRows(): Rows {
  return environmentRules.map(({ kind, means, names }) => [
    kind,
    means,
    names.map((name) => `\`${name}\``).join(', '),
  ]);
}

export function outcomeRows(): Rows {
  return outcomeNames.map((name) => [`\`${name}\``]);
}

export function toolFileRows(): Rows {
  return toolFileRules.map(({ by, globs }) => [by, globs.map((glob) => `\`${glob}\``).join(', ')]);
}

/** Of every commit the runner makes. */
export function trailerNames(): readonly string[] {
  const spent = { tokens: 1, cost_usd: 1 };
  const messages = [
    renderCommitMessage({
      ...sampleFacts,
      settings: ['x=1'],
      tool_files: ['x'],
      spent: { iteration: spent, node: spent, run: spent },
      marks: ['x'],
    }),
    startCommitMessage('demo'),
    configMessage({ key: 'x', isSet: true }, null),
    answerMessage('1.1', null),
    treeEditMessage(
      { kind: 'drop', node: 'x', why: 'x' },
      {
        ok: true,
        tree: leaf.node,
        ids: ['x'],
        reopened: ['root'],
        split: null,
        dropped: [],
        changed: [],
        files: {},
      },
      'x',
    ),
    retryMessage({ before: leaf.node, after: leaf.node }, null),
    renderCommitMessage({ ...sampleFacts, control: 'x' }),
    renderFinishMessage({
      run_id: 'demo',
      title: 'x',
      tree: leaf.node,
      state: { ...defaultRunState, totals: { ...spent, seconds: 1 } },
      archive: 'x',
      tip: 'x',
    }),
  ];
  return [...new Set(messages.flatMap((message) => message.match(/^Runner-[\w-]+(?=: )/gm) ?? []))];
}

export function failureRows(): Rows {
  return Object.entries(failureTable).map(([kind, { rule, means, fix }]) => [
    `\`${kind}\``,
    rule,
    means,
    fix,
  ]);
}

/** The agents that are programs of somebody else. */
export const agentSpecs: Readonly<Record<string, ExecutorSpec>> = real;

/** The command line of an agent with nothing set, its paths as placeholders. */
export function argvOf(name: string): string {
  const { argv } = agentSpecs[name]?.command({
    config: defaultConfig,
    role: 'agent',
    program: name,
    projectDir: '<project>',
    isContained: false,
    ownDir: '<own>',
    answerFile: '<answer>',
    schemaFile: '<schema>',
    schemaText: '{"title":"schema"}',
    session: 1,
    login: noUserLogin,
    userEnv: {},
  }) ?? { argv: [] };
  const shown = (argument: string): string => {
    if (argument === '{"title":"schema"}') return '<schema>';
    // A script of several lines is shown by its place alone.
    return argument.includes('\n') ? '<launcher>' : argument;
  };
  return argv.map(shown).join(' ');
}

/** Of the message that docs/formats.md shows. */
const sampleFacts: CommitFacts = {
  run_id: 'demo',
  iter: 6,
  node_id: 'root.1',
  title: 'Make slugify right',
  status: 'done',
  guard: 'pass',
  baseline: '5b9ff14a0bc31378494454600f5afd181bef097f',
  control: '5b9ff14a0bc31378494454600f5afd181bef097f',
  outcome: 'pass',
  agent: { name: 'codex', version: '0.98.0', model: 'gpt-5', effort: null },
  mode: 'execute',
  prompt_sha256: '7cf748b2fb195b5254c798efbbe9bc409dede251acc05b04540a02538fc13925',
  answer_sha256: '0f1d8e6bb9cbcb4a6a1e2b7df1ac6d0d1a2a7c3b5f64e9f4a1f0d3e9a7b6c5d4',
  tree_sha256: {
    before: '8aeda6f87c33f1b62bb0710e95b95f2ed6a95ede99afad48ee2b9ce3f252b4f3',
    after: '25fde4a6f4c58f2184e0df5ed40a4cfeb61b9423233b9671d2d9b5bec32fb3d0',
  },
  guard_command: ['node', '--test'],
  guard_exit: 0,
  guard_log_sha256: 'b53640307681d17b62047ffb454e5dd4ba5a915dc0a8e5c94b98fd19b67c2902',
  counterfactual: 'red',
  review: { agent: { name: 'claude', version: '2.1.325', model: null, effort: null }, verdict: 'pass' },
  rings: renderRings({ sandbox: 'none', guard: 'outside', settings: true, checkout: 'final' }),
  settings: ['agent.name="codex"'],
  work_tree: '9daeafb9864cf43055ae93beb0afd6c7d144bfa4',
  changed_files: 1,
  tool_files: [],
  spent: {
    iteration: { tokens: 15_204, cost_usd: null },
    node: { tokens: 48_110, cost_usd: null },
    run: { tokens: 61_733, cost_usd: null },
  },
  marks: ['changed-ignore-rules'],
};

export function sampleCommitMessage(): string {
  return renderCommitMessage(sampleFacts).trimEnd();
}

const quoted = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(', ');

export function isolationRows(): Rows {
  return isolation.map(({ words, why }) => [`\`${words.join(' ')}\``, why]);
}

/** What cannot be seen, or only read, beside the home folder. */
export function hiddenRows(): Rows {
  return [
    ['folders of all programs', quoted(hiddenFolders)],
    ["the user's folders by these variables", quoted(hiddenVariables)],
    ['below the home folder, even where a folder above can be read', quoted(maskedPaths)],
    ['of /proc', quoted(hiddenProc)],
    ['of /proc, read-only', quoted(readOnlyProc)],
  ];
}

export function toolchainRows(): Rows {
  return toolchainRoots.map(({ tools, paths }) => [tools, quoted(paths)]);
}

export function cacheRows(): Rows {
  return [
    ...cacheVariables.map(({ name, folder, before = '' }) => [
      `\`${name}\``,
      `\`${before}<cache>/${folder}\``,
    ]),
    ...Object.entries(readVariables).map(([name, path]) => [`\`${name}\``, `\`~/${path}\`, if it is there`]),
    ['`TMPDIR`', '`tmp` in the folder of the session'],
  ];
}

export function escapeRows(): Rows {
  return Object.entries(escapes).map(([name, what]) => [`\`${name}\``, what]);
}

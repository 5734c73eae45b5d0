/** What docs/cli.md shows of `status`, `tree` and `log`: one small run in the middle of its work. */
import type { LogDetail, LogEntry } from '../../src/app/views/log.ts';
import type { Status } from '../../src/app/views/status.ts';
import type { TreeView } from '../../src/app/views/tree.ts';
import { listRows, progressOf, workByNode } from '../../src/core/views/overview.ts';
import { describeSituation } from '../../src/core/views/situation.ts';
import { selectNext } from '../../src/core/tree/selector.ts';
import { runStateWith } from './facts.ts';
import { metaWith } from './iteration-metas.ts';
import { node } from './trees.ts';

const tree = node('root', {
  title: 'Root',
  children: [
    node('root.1', { title: 'Make slugify right', attempts: 1 }),
    node('root.2', { title: 'Unique slugs', order: 1 }),
  ],
});
const selection = selectNext({ tree, runState: runStateWith(), onStuck: 'stop' });
const progress = progressOf(tree);
const started_at = '2026-11-16T06:01:02.871Z';
const open = {
  run_id: 'demo',
  iter: 3,
  node_id: 'root.1',
  node_path: 'root/root.1',
  purpose: 'execute',
  phase: 'agent',
  started_at,
} as const;

const holder = {
  pid: 4711,
  command: 'runner loop',
  started_at: '2026-11-16T05:59:41.118Z',
  is_here: true,
} as const;

export const sampleStatus: Status = {
  run_id: 'demo',
  branch: 'runner/demo',
  agent: 'codex',
  situation: describeSituation({
    run_id: 'demo',
    hasGoal: true,
    holder,
    iteration: open,
    title: 'Make slugify right',
    note: null,
    isPausing: false,
    isClean: true,
    end: null,
    fit: (hint) => hint,
  }),
  progress,
  selection,
  last: [metaWith()],
  sandbox: { setting: 'auto', kind: 'bwrap', guard: 'offline', permissions: 'workspace' },
  limits: {
    iterations: { used: 2, max: 50 },
    seconds: { used: 81, max: 3600 },
    tokens: { used: 61_733, max: null },
    cost_usd: { used: null, max: null },
  },
  checkout: { setting: 'auto', mode: 'final', reason: 'the guard is green in a fresh clone, too' },
  questions: ['Should a slug be unique per user?'],
  changes: [
    { change: 'drop root.3', refused: null },
    { change: 'move root.9', refused: "there is no node 'root.9' in the tree" },
  ],
  tool_files: [{ path: '.vscode/tasks.json', iter: 2 }],
  holder,
  iteration: open,
  title: 'Unique slugs',
};

export const sampleRows = listRows({
  tree,
  selection,
  work: workByNode([metaWith({ iter: 1, node_id: 'root', tokens: 46_529 }), metaWith()]),
  depthMax: null,
  isOpenOnly: false,
});

export const sampleTree: TreeView = { run_id: 'demo', rows: sampleRows, progress, selection, dropped: [] };

const finished: LogEntry = { run_id: 'demo', iter: 2, meta: metaWith(), open: null, is_running: false };

export const sampleEntries: readonly LogEntry[] = [
  finished,
  { run_id: 'demo', iter: 3, meta: null, open, is_running: true },
  { run_id: 'demo', iter: 3, meta: null, open: null, is_running: false },
];

export const sampleDetail: LogDetail = {
  ...finished,
  meta: metaWith({ notes: ['put back: .runner/state/config.toml'] }),
  summary: 'slugify lower-cases and joins words.',
  error: null,
  files: [
    { name: 'guard.log', bytes: 1250, path: '/srv/slugs/.runner/iterations/demo/2/guard.log' },
    { name: 'prompt.md', bytes: 4872, path: '/srv/slugs/.runner/iterations/demo/2/prompt.md' },
  ],
};

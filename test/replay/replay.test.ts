/**
 * Recorded iterations, judged again byte for byte: the tree, the run state, what the next session is told and the commit message must
 * come out as they did. A change of behaviour shows here first; recordings are only added (record.mjs), never edited.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { renderTree } from '../../src/core/tree/canonical-json.ts';
import { parseConfig } from '../../src/core/config/config.ts';
import { parseIterationSubject, renderCommitMessage } from '../../src/core/iteration/commit-message.ts';
import { nodeRecord } from '../../src/core/iteration/guard-plan.ts';
import { parseLastRecord, renderLastFile } from '../../src/core/iteration/last-file.ts';
import { decide } from '../../src/core/iteration/outcome.ts';
import { renderRunState } from '../../src/core/iteration/run-state.ts';
import { parseRunState } from '../../src/core/iteration/run-state-schema.ts';
import type { GuardRun, IterationMeta, SessionFacts } from '../../src/core/agents/session.ts';
import { parseTree } from '../../src/core/tree/tree-schema.ts';
import { findNode } from '../../src/core/tree/tree-walk.ts';
import type { Purpose, SourceText } from '../../src/core/types.ts';
import { unknownUsage } from '../../src/core/agents/usage.ts';
import { judge } from '../../src/core/iteration/verdict.ts';

const here = fileURLToPath(new URL('.', import.meta.url));

/** Files by their names, each line by line. */
type Files = Readonly<Record<string, readonly string[]>>;

interface Recording {
  readonly 'config.toml': readonly string[];
  readonly iterations: Readonly<Record<string, Files>>;
}

const recordings = new Map(
  readdirSync(here)
    .filter((file) => file.endsWith('.json'))
    .map((file) => [
      basename(file, '.json'),
      JSON.parse(readFileSync(join(here, file), 'utf8')) as Recording,
    ]),
);
const cases = [...recordings].flatMap(([name, { iterations }]) =>
  Object.keys(iterations).map((iter) => [name, Number(iter)] as const),
);

function filesOf(name: string, iter: number) {
  const files = recordings.get(name)?.iterations[iter] ?? {};
  const text = (file: string): string => files[file]?.join('\n') ?? '';
  const source = (file: string): SourceText =>
    file in files ? { kind: 'text', text: text(file) } : { kind: 'missing' };
  return { source, text };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

interface Replayed {
  readonly tree: string;
  readonly runState: string;
  readonly last: string | null;
  readonly message: string;
}

function replay(name: string, iter: number, tamper: (text: string) => string = (text) => text): Replayed {
  const { source, text } = filesOf(name, iter);
  const config = parseConfig(parse(recordings.get(name)?.['config.toml'].join('\n') ?? ''));
  const before = parseTree(source('tree.before.json'));
  const state = parseRunState(text('run_state.before.json'));
  const meta = JSON.parse(text('meta.json')) as IterationMeta;
  if (!config.ok || !before.ok || !state.ok)
    throw new Error(`iteration ${iter} of ${name} is not a recording`);
  const answer = source('output.json');
  const session: SessionFacts = {
    end: { kind: 'exited' },
    answer: answer.kind === 'text' ? { kind: 'text', text: tamper(answer.text) } : answer,
    exit_code: 0,
    duration_ms: meta.duration_ms.agent,
    usage: unknownUsage,
    denials: [],
    sessions: 1,
    waited_secs: 0,
    leftovers: [],
    head: '',
    notes: [],
    protected_paths: [],
    dirty_submodules: [],
    agent_tree: source('tree.agent.json'),
  };
  const purpose: Purpose = state.state.repair === null ? 'execute' : 'repair';
  const judgement = judge({
    purpose,
    before: before.tree,
    nodeId: meta.node_id,
    agentTree: session.agent_tree,
    answer: session.answer,
    allowRemoval: config.config.tree.allow_removal,
    maxAttemptsDefault: config.config.max_attempts_default,
    takenIds: [],
    sha256,
  });
  const after = JSON.parse(text('run_state.after.json')) as { nodes: Record<string, { base: string }> };
  const base = after.nodes[meta.node_id]?.base ?? 'elsewhere';
  const outcome = decide({
    purpose,
    iter,
    nodeId: meta.node_id,
    before: before.tree,
    runState: state.state,
    last: source('last.before.json').kind === 'text' ? parseLastRecord(text('last.before.json')) : null,
    config: config.config,
    session,
    judgement,
    record: nodeRecord({ runState: state.state, nodeId: meta.node_id, baselineTree: base }),
    workTree: '',
    guard: guardOf(meta, source('guard.log')),
    review: null,
    seconds: Math.round(meta.duration_ms.total / 1000),
    sha256,
  });
  const tree = renderTree(outcome.tree);
  const message = renderCommitMessage({
    run_id: meta.run_id,
    iter,
    node_id: meta.node_id,
    title: findNode(before.tree, meta.node_id)?.title ?? null,
    status: outcome.status,
    guard: outcome.guard,
    baseline: trailer(text('message.txt'), 'Runner-Baseline'),
    control: trailer(text('message.txt'), 'Runner-Baseline'),
    outcome: outcome.name,
    agent: { ...meta.agent, effort: meta.agent.effort ?? null },
    mode: meta.mode,
    prompt_sha256: trailer(text('message.txt'), 'Runner-Prompt-SHA256'),
    answer_sha256: session.answer.kind === 'text' ? sha256(session.answer.text) : null,
    tree_sha256: { before: sha256(renderTree(before.tree)), after: sha256(tree) },
    guard_command: config.config.guard.command,
    guard_exit: meta.exit_codes.guard,
    guard_log_sha256: source('guard.log').kind === 'text' ? sha256(text('guard.log')) : null,
    counterfactual: null,
    review: null,
    rings: trailer(text('message.txt'), 'Runner-Rings'),
    settings: text('message.txt').match(/(?<=^Runner-Setting: ).*$/gm) ?? [],
    work_tree: trailer(text('message.txt'), 'Runner-Work'),
    changed_files: meta.changed_files,
    tool_files: text('message.txt').match(/(?<=^Runner-Tool-File: ).*$/gm) ?? [],
    spent: outcome.spent,
    marks: text('message.txt').match(/(?<=^Runner-Mark: ).*$/gm) ?? [],
  });
  const kept = source('last.before.json').kind === 'text' ? text('last.before.json') : null;
  const written = outcome.last.action === 'write' ? renderLastFile(outcome.last.record) : kept;
  return {
    tree,
    runState: renderRunState(outcome.runState),
    last: outcome.forgetLast.includes(meta.node_id) ? null : written,
    message: asFarAsRecorded(message, text('message.txt')),
  };
}

function guardOf(meta: IterationMeta, log: SourceText): GuardRun | null {
  if (meta.guard === 'skipped') return null;
  const end =
    meta.guard === 'pass'
      ? ({ kind: 'passed' } as const)
      : ({ kind: 'failed', reason: `the guard ended with exit code ${meta.exit_codes.guard}` } as const);
  return {
    end,
    exit_code: meta.exit_codes.guard,
    duration_ms: meta.duration_ms.guard,
    output: log.kind === 'text' ? log.text : '',
    log_sha256: null,
  };
}

function trailer(message: string, name: string): string {
  return new RegExp(`^${name}: (.*)$`, 'm').exec(message)?.[1] ?? '';
}

/** Older versions had no titles and no trailers for an audit; theirs are compared without. */
function asFarAsRecorded(whole: string, known: string): string {
  const message = ['Title', 'Work'].reduce(
    (text, key) =>
      trailer(known, `Runner-${key}`) === ''
        ? text.replace(new RegExp(`^Runner-${key}:.*\n`, 'm'), '')
        : text,
    whole,
  );
  const later = /^Runner-(?:Run|Baseline|Outcome|Answer-SHA256|Rings):.*\n/gm;
  return trailer(known, 'Runner-Run') === '' ? message.replaceAll(later, '') : message;
}

/** A state that an older version wrote, with the keys of today: what it has stays as it is. */
function asWrittenNow(text: string): string {
  const parsed = parseRunState(text);
  return parsed.ok ? renderRunState(parsed.state) : text;
}

function recorded(name: string, iter: number): Replayed {
  const { source, text } = filesOf(name, iter);
  return {
    tree: text('tree.after.json'),
    runState: asWrittenNow(text('run_state.after.json')),
    last: source('last.after.json').kind === 'text' ? text('last.after.json') : null,
    message: `${text('message.txt').trimEnd()}\n`,
  };
}

describe('replay', () => {
  test('there are recordings of every status', () => {
    const statuses = cases.map(([name, iter]) =>
      parseIterationSubject(recorded(name, iter).message.split('\n')[0] ?? ''),
    );
    expect(new Set(statuses.map((subject) => `${subject?.status} ${subject?.guard}`))).toEqual(
      new Set(['decomposed skipped', 'done fail', 'done pass', 'retry skipped']),
    );
  });

  test.each(cases)('%s iteration %i comes out byte for byte', (name, iter) => {
    expect(replay(name, iter)).toEqual(recorded(name, iter));
  });

  test('a tampered recording is noticed', () => {
    expect(replay('every-row', 2, (text) => text.replace('too early', 'later'))).not.toEqual(
      recorded('every-row', 2),
    );
  });
});

/** `runner status` as lines for scripts, as JSON, and as a view for people. Renders text; decides nothing. */
import type { Audit } from '../../app/runs/audit.ts';
import type { Status } from '../../app/views/status.ts';
import type { LimitUse } from '../../core/views/overview.ts';
import type { IterationMeta } from '../../core/agents/session.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import type { Selection } from '../../core/types.ts';
import { proofValue } from './audit-text.ts';
import { renderDuration } from './duration.ts';
import { metaFields, metaValue, named, word } from './fields.ts';
import { selectionFields } from './report.ts';

const questionsShownMax = 3;
const toolFilesShownMax = 5;
const barLength = 30;

export function renderStatusLines(status: Status): readonly string[] {
  const { progress, limits, checkout, sandbox, holder, iteration, questions } = status;
  const limit = (name: string, { used, max }: LimitUse): string =>
    `limit=${name} used=${word(used)} max=${max === null ? 'none' : max}`;
  const { state, code, since, until, is_pausing, sentence, hint } = status.situation;
  const lines = [
    `run=${word(status.run_id)} branch=${word(status.branch)} agent=${word(status.agent)}`,
    `state=${state} code=${word(code)} since=${word(since)} until=${word(until)} pausing=${is_pausing} reason=${word(sentence)} hint=${word(hint)}`,
    `leaves=${progress.leaves} passed=${progress.passed} retrying=${progress.retrying} stuck=${progress.stuck} nodes=${progress.nodes}`,
    `next ${selectionFields(status.selection).line}`,
    ...status.last.map((meta) => `last ${metaFields(meta)}`),
    limit('iterations', limits.iterations),
    limit('seconds', limits.seconds),
    limit('tokens', limits.tokens),
    limit('cost_usd', limits.cost_usd),
    `checkout=${word(checkout.mode)} setting=${checkout.setting} reason=${word(checkout.reason)}`,
    `sandbox=${word(sandbox.kind)} setting=${sandbox.setting} guard=${word(sandbox.guard)} permissions=${word(sandbox.permissions)}`,
    `questions=${questions.length}`,
    ...status.changes.map(
      ({ change, refused }) =>
        `change=${refused === null ? 'waiting' : 'refused'} what=${word(change)} reason=${word(refused)}`,
    ),
    ...status.tool_files.map(({ path, iter }) => `tool_file=${word(path)} iter=${iter}`),
    holder === null
      ? 'runner=none'
      : `runner=working pid=${holder.pid} command=${word(holder.command.replace(/^runner /, ''))} since=${word(holder.started_at)}`,
    ...(iteration === null
      ? []
      : [
          `iteration=${holder === null ? 'unfinished' : 'running'} run=${word(iteration.run_id)} iter=${iteration.iter} node=${word(iteration.node_id)} phase=${iteration.phase}`,
        ]),
  ];
  return lines.map((line) => `status: ${line}`);
}

export function statusValue(status: Status, proof: Audit | null): Readonly<Record<string, unknown>> {
  const { run_id, branch, agent, situation, progress, selection, last, limits, checkout, sandbox } = status;
  const { questions, tool_files, holder, iteration } = status;
  return {
    command: 'status',
    run_id,
    branch,
    agent,
    situation,
    progress,
    next: selectionFields(selection).value,
    last: last.map((meta) => ({ ...metaValue(meta), outcome: meta.outcome })),
    limits,
    checkout,
    sandbox,
    questions,
    changes: status.changes,
    tool_files,
    runner: holder,
    iteration,
    proof: proofValue(proof),
  };
}

/** For a terminal. Every text from outside is cleaned; no escape codes are used. */
export function renderStatusView(status: Status): readonly string[] {
  const { run_id, branch, progress, questions } = status;
  const isElsewhere = branch !== null && branch !== `runner/${run_id}`;
  const shown = questions.slice(-questionsShownMax);
  const counts = [
    `${progress.passed} of ${progress.leaves} ${progress.leaves === 1 ? 'task' : 'tasks'} passed`,
    ...(progress.retrying > 0 ? [`${progress.retrying} to retry`] : []),
    ...(progress.stuck > 0 ? [`${progress.stuck} stuck`] : []),
  ];
  return [
    run_id === null
      ? `no run was started here · branch ${word(branch)}`
      : `run ${word(run_id)} · branch ${word(branch)}${isElsewhere ? `, not runner/${word(run_id)}` : ''} · agent ${word(status.agent)}`,
    `${renderBar(progress.passed, progress.leaves)} ${counts.join(' · ')}`,
    `next    ${renderNext(status.selection)}`,
    `now     ${renderNow(status)}`,
    ...renderSituation(status),
    ...status.last.map((meta, index) => `${index === 0 ? 'last    ' : '        '}${renderMeta(meta)}`),
    `limits  ${renderLimits(status)}`,
    `clone   ${renderCheckout(status)}`,
    `sandbox ${renderSandbox(status)}`,
    ...(questions.length === 0 ? [] : [`asked   ${questions.length} waiting: runner questions`]),
    ...shown.map((question) => `        ${cleanLine(question)}`),
    ...status.changes.map(renderChange),
    ...renderToolFiles(status.tool_files),
  ];
}

/** Why nobody is at work and what helps; who is at work is told by `now`. */
function renderSituation({ situation, holder }: Status): readonly string[] {
  const { state, sentence, hint, until, details, is_pausing } = situation;
  const todo = hint === '' ? [] : [`do      ${cleanLine(hint)}`];
  // The lines beside it say why.
  if (state === 'ready') return [];
  if (state === 'fresh') return todo;
  if (holder !== null && state !== 'waiting' && !is_pausing) return [];
  return [
    `why     ${cleanLine(sentence)}${until === null ? '' : `; next try at ${renderTimeOfDay(until)}`}`,
    ...details.map((line) => `        ${cleanLine(line)}`),
    ...todo,
  ];
}

/** In the time of the person who looks. */
function renderTimeOfDay(at: string): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':');
}

function renderChange({ change, refused }: Status['changes'][number]): string {
  const state = refused === null ? 'waits for the next iteration' : `not applied: ${cleanLine(refused)}`;
  return `change  ${cleanLine(change)} (${state})`;
}

/** Editors, agents, hooks and pipelines run them without asking. */
function renderToolFiles(files: Status['tool_files']): readonly string[] {
  if (files.length === 0) return [];
  const more = files.length - toolFilesShownMax;
  return [
    'check   before you open or push this checkout: other programs run these files, and sessions changed them',
    ...files
      .slice(0, toolFilesShownMax)
      .map(({ path, iter }) => `        ${cleanLine(path)} (iteration ${iter})`),
    ...(more > 0 ? [`        and ${more} more: runner status --json`] : []),
  ];
}

/** Full only when everything has passed. */
function renderBar(passed: number, total: number): string {
  const filled = Math.floor((passed / Math.max(1, total)) * barLength);
  return `[${'#'.repeat(filled)}${'.'.repeat(barLength - filled)}]`;
}

function renderNext(selection: Selection): string {
  switch (selection.kind) {
    case 'complete':
      return 'nothing: the tree is complete';
    case 'repair':
      return `repair the tree that a session on ${word(selection.repair.node_id)} broke`;
    case 'stuck':
    case 'leaf': {
      const { node } = selection.leaf;
      const what =
        selection.kind === 'stuck' ? 'stuck: ' : selection.purpose === 'plan' ? 'to be split: ' : '';
      return `${what}${word(node.id)} ${cleanLine(node.title)} (attempts ${node.attempts}/${node.max_attempts})`;
    }
  }
}

function renderNow({ holder, iteration, title }: Status): string {
  const what =
    iteration === null
      ? ''
      : `iteration ${iteration.iter}, ${named(iteration.node_path, title)}, ${iteration.phase}`;
  if (holder === null)
    return iteration === null ? 'no runner is working' : `${what}: unfinished; runner step finishes it`;

  const where = holder.is_here ? '' : ' on another host or in another container';
  const who = `${cleanLine(holder.command)}, pid ${holder.pid}${where}, since ${cleanLine(holder.started_at)}`;
  return what === '' ? who : `${what} (${who})`;
}

function renderMeta(meta: IterationMeta): string {
  const { duration_ms, tokens, cost_usd } = meta;
  return [
    `iter ${meta.iter}  ${named(meta.node_id, meta.title)}  ${meta.status}/${meta.guard}`,
    `agent ${renderDuration(duration_ms.agent)}`,
    `guard ${renderDuration(duration_ms.guard)}`,
    ...(tokens === null ? [] : [`${count(tokens)} tokens`]),
    ...(cost_usd === null ? [] : [dollars(cost_usd)]),
  ].join('  ');
}

function renderLimits({ limits }: Status): string {
  const used = ({ used: value, max }: LimitUse, show: (amount: number) => string): string => {
    const known = value === null ? 'not reported' : show(value);
    return max === null ? known : `${known} of ${show(max)}`;
  };
  return [
    `${used(limits.iterations, count)} iterations`,
    `time ${used(limits.seconds, (secs) => renderDuration(secs * 1000))}`,
    `tokens ${used(limits.tokens, count)}`,
    `cost ${used(limits.cost_usd, dollars)}`,
  ].join(' · ');
}

function renderCheckout({ checkout: { setting, mode, reason } }: Status): string {
  const what = {
    off: 'the guard does not run in a fresh clone',
    final: 'the guard also runs in a fresh clone before the root passes',
    every: 'the guard also runs in a fresh clone for every done',
  };
  if (mode === null) return 'the first green guard decides whether it also runs in a fresh clone (auto)';
  return reason === null ? `${what[mode]} (${setting})` : `${what[mode]} (${setting}: ${cleanLine(reason)})`;
}

function renderSandbox({ sandbox: { setting, kind, guard } }: Status): string {
  if (kind === null) return 'decided when a run starts (auto)';
  if (kind === 'none') return `none: agent and guard run with your rights (${setting})`;
  const where = {
    offline: 'the guard, too, without a network',
    online: 'the guard, too, with a network',
    outside: 'the guard outside',
  };
  return `${kind}: agent, reviewer and setup; ${where[guard ?? 'outside']} (${setting})`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

function dollars(value: number): string {
  return `$${value.toFixed(2)}`;
}

/** `runner audit` as lines and as JSON. Renders text; decides nothing. */
import type { Audit } from '../../app/runs/audit.ts';
import type { WrongTransition } from '../../core/proof/replay.ts';
import type { Rerun } from '../../app/runs/rerun-guard.ts';
import { word } from './fields.ts';

/** A red guard proves the opposite of a pass, whatever the history says. */
function redOf(reruns: readonly Rerun[] | null): Rerun | null {
  return reruns?.find(({ verdict }) => verdict === 'fail') ?? null;
}

function renderVerdict({ verdict, unprovable, is_shallow: isShallow }: Audit): string {
  switch (verdict) {
    case 'proven':
      return 'proven (unsigned)';
    case 'unproven':
      return 'not proven';
    case 'not_provable':
      if (isShallow) return 'not provable: the history is shallow';
      return `not provable: ${unprovable?.slice(0, 12)} was recorded by a version whose commits do not say enough`;
  }
}

/** `reruns`: null where the guard was not run again. */
export function renderAudit(audit: Audit, reruns: readonly Rerun[] | null): readonly string[] {
  const { run_id, tip, transitions, iterations, passes, first } = audit;
  const counts = `transitions=${transitions} iterations=${iterations} passes=${passes.length} logs=${audit.log_files}`;
  const red = redOf(reruns);
  const verdict = red === null ? audit.verdict : 'unproven';
  const lines = [
    `run=${word(run_id)} tip=${tip.slice(0, 12)} verdict=${verdict} ${counts}`,
    ...(first === null ? [] : [`first ${renderWrong(first)}`]),
    ...audit.by_hand.map((wrong) => `by_hand ${renderWrong(wrong)}`),
    ...(reruns ?? []).map(
      ({ commit, iter, node_id, verdict: guard, reason }) =>
        `rerun commit=${commit.slice(0, 12)} iter=${iter} node=${word(node_id)} guard=${guard} reason=${word(reason)}`,
    ),
  ];
  const last =
    red === null ? renderVerdict(audit) : `not proven: the guard is red on ${red.commit.slice(0, 12)}`;
  return [...lines.map((line) => `audit: ${line}`), last];
}

function renderWrong({ commit, kind, iter, node_id, rule, expected, found }: WrongTransition): string {
  const which = iter === null ? '' : ` iter=${iter} node=${word(node_id)}`;
  return `commit=${commit.slice(0, 12)} kind=${kind}${which} rule=${word(rule)} expected=${word(expected)} found=${word(found)}`;
}

export function auditValue(audit: Audit, reruns: readonly Rerun[] | null): Readonly<Record<string, unknown>> {
  const { run_id, tip, verdict, transitions, iterations, passes, first, by_hand, unprovable, log_files } =
    audit;
  return {
    command: 'audit',
    run_id,
    tip,
    verdict: redOf(reruns) === null ? verdict : 'unproven',
    transitions,
    iterations,
    log_files,
    passes: passes.map(({ commit, iter, node_id }) => ({ commit, iter, node_id })),
    first,
    by_hand,
    unprovable,
    reruns,
  };
}

/** For `status`; null: there is nothing to look at. */
export function proofLines(audit: Audit | null): readonly string[] {
  if (audit === null || audit.iterations === 0) return [];
  const { verdict, iterations, first } = audit;
  const wrong = first === null ? '' : ` commit=${first.commit.slice(0, 12)} rule=${word(first.rule)}`;
  return [`status: proof=${verdict} iterations=${iterations} partial=${audit.is_partial}${wrong}`];
}

export function proofView(audit: Audit | null): readonly string[] {
  if (audit === null || audit.iterations === 0) return [];
  const { iterations, first } = audit;
  const which = audit.is_partial ? `the newest ${iterations} iterations` : `all ${iterations} iterations`;
  const wrong = first === null ? '' : `: ${first.commit.slice(0, 12)}, ${first.rule} (runner audit)`;
  return [`proof   ${renderVerdict(audit)}, ${which}${wrong}`];
}

export function proofValue(audit: Audit | null): Readonly<Record<string, unknown>> | null {
  if (audit === null) return null;
  const { verdict, iterations, is_partial, first } = audit;
  return { verdict, iterations, is_partial, first };
}

/** What `step --dry-run` prints: one `key=value` line, or JSON; the commands in words are for people, on stderr. */
import type { DryRun, PlannedStep } from '../../app/views/dry-run.ts';
import { renderArgv } from '../../core/text/argv-text.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import type { SessionPreview } from '../../ports/sessions.ts';
import { renderDuration } from './duration.ts';
import { printLine, printStep } from './report.ts';
import type { Settings } from './streams.ts';

export function printDryRun(settings: Settings, planned: DryRun): void {
  switch (planned.kind) {
    case 'planned': {
      if (!settings.quiet) settings.streams.err(renderPlan(planned));
      return printLine(settings, `step: dry-run ${plannedFields(planned)}`, plannedValue(planned));
    }
    case 'recovery': {
      const { run_id, what, iter } = planned;
      const line = `step: dry-run status=recovery run=${run_id} what=${what}${iter === null ? '' : ` iter=${iter}`}`;
      return printLine(settings, line, {
        command: 'step',
        dry_run: true,
        status: 'recovery',
        run_id,
        what,
        iter,
      });
    }
    case 'complete':
    case 'stuck':
    case 'limit':
    case 'run_limit':
      return printStep(settings, planned);
  }
}

function plannedFields(planned: PlannedStep): string {
  const { run_id, iter, node_id, purpose, prompt_sha256, prompt_bytes, budget_secs } = planned;
  const prompt = `prompt_bytes=${prompt_bytes} prompt_sha256=${prompt_sha256}`;
  return `run=${run_id} iter=${iter} node=${node_id} purpose=${purpose} ${prompt} budget_secs=${budget_secs}`;
}

function plannedValue(planned: PlannedStep): Record<string, unknown> {
  const { kind: _kind, agent, reviewer, ...fields } = planned;
  return {
    command: 'step',
    dry_run: true,
    status: 'planned',
    ...fields,
    agent: previewValue(agent),
    reviewer: reviewer === null ? null : previewValue(reviewer),
  };
}

function previewValue({ problem: _problem, ...preview }: SessionPreview): Record<string, unknown> {
  return { ...preview };
}

function renderPlan(planned: PlannedStep): string {
  const { agent, reviewer, guard_command, budget_secs } = planned;
  return [
    `would work on ${planned.node_path} (${planned.purpose}), with ${renderDuration(budget_secs * 1000)} for agent and guard`,
    `agent: ${renderArgv(agent.argv)}`,
    ...modelLine(agent, `by ${planned.model_from}`),
    ...(reviewer === null
      ? []
      : [`review: ${renderArgv(reviewer.argv)}`, ...modelLine(reviewer, 'by review')]),
    `guard: ${renderArgv(guard_command)}`,
    'nothing was started or written',
    '',
  ].join('\n');
}

/** Nothing where the agent's own defaults count. */
function modelLine({ model, effort }: SessionPreview, by: string): readonly string[] {
  if (model === null && effort === null) return [];
  const own = 'its own default';
  return [cleanLine(`model: ${model ?? own}, effort: ${effort ?? own} (${by})`)];
}

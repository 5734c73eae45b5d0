/** What `add`, `move`, `drop`, `import` and every queued change print: one line, or the same as JSON. */
import type { Queuing, Steered } from '../app/person/queue.ts';
import { cleanLine } from '../core/text/terminal-text.ts';
import { findNode } from '../core/tree/tree-walk.ts';
import { describeChange } from '../core/runs/person-change.ts';
import { printLine } from './output/report.ts';
import type { Settings } from './output/streams.ts';

export function printSteered(
  settings: Settings,
  command: string,
  outcome: Steered,
  more: Readonly<Record<string, unknown>> = {},
): void {
  const say = (text: string): void => sayTo(settings, text);
  if (outcome.kind === 'queued') {
    printQueued(settings, command, outcome, more);
    return;
  }
  const { run_id, plan, commit } = outcome;
  const status = commit === null ? 'unchanged' : 'committed';
  const nodes = plan.dropped.length === 0 ? plan.ids : plan.dropped.map(({ id }) => id);
  for (const { id, title } of plan.dropped) say(`${id}: dropped (${title})`);
  for (const node of plan.ids.map((id) => findNode(plan.tree, id)))
    if (node !== null) say(`${node.id}: ${status === 'unchanged' ? 'unchanged' : node.title}`);
  if (plan.split !== null) say(`${plan.split} is split now: it passes when its children pass`);
  if (plan.reopened.length > 0) say(`open again: ${plan.reopened.join(', ')}; continue with: runner loop`);
  const words = (ids: readonly string[]): string => (ids.length === 0 ? 'none' : ids.join(','));
  printLine(
    settings,
    `${command}: run=${run_id} status=${status} nodes=${words(nodes)} reopened=${words(plan.reopened)} commit=${commit ?? 'none'}`,
    { command, status, run_id, nodes, reopened: plan.reopened, split: plan.split, commit, ...more },
  );
}

export function printQueued(
  settings: Settings,
  command: string,
  { entry: { id, run_id, edit } }: Queuing,
  more: Readonly<Record<string, unknown>> = {},
): void {
  sayTo(
    settings,
    `a loop is at work: "${describeChange(edit)}" waits and is applied before the next iteration`,
  );
  printLine(settings, `${command.replace(/ .*/u, '')}: run=${run_id} status=queued entry=${id}`, {
    command,
    status: 'queued',
    run_id,
    entry: id,
    ...more,
  });
}

export function sayTo(settings: Settings, text: string): void {
  if (!settings.quiet) settings.streams.err(`${cleanLine(text)}\n`);
}

/** What the dialog for a new run holds, and the request made of it: only what differs from the project's settings is sent. Pure. */
import { goalTitle } from '../../core/runs/goal-title.ts';
import { nameOf, proposeId } from '../../core/runs/run-name.ts';
import type { ControlAnswer, StartRequest } from '../../core/views/control-api.ts';
import type { ConfigAnswer } from '../../core/views/web-api.ts';

export interface Draft {
  readonly goal: string;
  /** Null: as proposed. */
  readonly name: string | null;
  readonly agent: string;
  readonly model: string;
  readonly iterations: string;
}

/** As the project has it. */
export function firstDraft(control: ControlAnswer, config: ConfigAnswer): Draft {
  return {
    goal: control.goal?.trim() ?? '',
    name: null,
    agent: renderSetting(config, 'agent.name'),
    model: renderSetting(config, 'agent.model'),
    iterations: renderSetting(config, 'max_iterations'),
  };
}

/** Follows the goal's title while nobody has typed a name. */
export function proposalOf({ goal }: Draft, { held }: ControlAnswer): string {
  return proposeId(nameOf(goalTitle(goal)), held);
}

export function requestOf(draft: Draft, first: Draft, proposal: string): StartRequest {
  const name = draft.name?.trim() ?? '';
  const model = draft.model.trim();
  return {
    goal: draft.goal.trim() === first.goal ? null : draft.goal,
    name: name === '' ? proposal : name,
    agent: draft.agent === first.agent ? null : draft.agent,
    model: model === '' || model === first.model ? null : model,
    max_iterations: draft.iterations === first.iterations ? null : Number(draft.iterations),
  };
}

/** A list of words is one command; a list of lists are several. Empty: not set. */
export function renderSetting({ settings }: ConfigAnswer, key: string): string {
  const value = settings.find((setting) => setting.key === key)?.value ?? '';
  if (!Array.isArray(value)) return String(value);
  return value.map((part) => (Array.isArray(part) ? part.join(' ') : String(part))).join(' ');
}

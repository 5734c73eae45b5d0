/** An executor as its tests call it. */
import type { AgentCommand, ExecutorSpec } from '../../src/adapters/agents/executors/spec.ts';
import type { AgentEvent } from '../../src/core/agents/agent-events.ts';
import type { Config } from '../../src/core/types.ts';
import type { SessionRole } from '../../src/ports/sessions.ts';
import { commandRequest } from './sessions.ts';

interface Calls {
  readonly command: (agent?: Partial<Config['agent']>, role?: SessionRole) => AgentCommand;
  readonly follow: (record: object) => readonly AgentEvent[];
}

export function callsOf(spec: ExecutorSpec): Calls {
  return {
    command: (agent = {}, role = 'agent') =>
      spec.command(commandRequest({ name: spec.name, ...agent }, { role })),
    follow: (record) => spec.follow(JSON.stringify(record)),
  };
}

/** Lines that no agent means anything by. */
export const emptyLines: readonly string[] = [
  '',
  'plain words',
  '{',
  '{"type":',
  '[1]',
  'null',
  '{"type":7}',
];

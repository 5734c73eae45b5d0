/** What is known of each CLI beyond its flags, as far as the tests rely on it. Measured, never guessed. */
import { executorTable } from '../../src/adapters/agents/executors/table.ts';
import type { ExecutorSpec } from '../../src/adapters/agents/executors/spec.ts';
import type { RealAgent } from './catalogue.ts';
import { selectAgents } from './catalogue.ts';
import type { instructions } from './main-path.ts';

export interface AgentFacts {
  /** Instruction files of the project that reach the model when all of them are there. */
  readonly reads: readonly (keyof typeof instructions)[];
  /** Outside names it looks up in spite of our flags. */
  readonly hosts: readonly string[];
  /** What a person set up in the home folder and this CLI starts in spite of our flags. */
  readonly startsAnyway: readonly string[];
  /** Whether it tells the exit code of a command that failed. */
  readonly tellsExitCode: boolean;
  /** Longer than it ever takes to its first word. */
  readonly idleSecs: number;
}

const usual: AgentFacts = {
  reads: ['AGENTS.md'],
  hosts: [],
  startsAnyway: [],
  tellsExitCode: true,
  idleSecs: 40,
};

export const agentFacts: Readonly<Record<RealAgent['name'], AgentFacts>> = {
  codex: { ...usual, idleSecs: 15 },
  claude: { ...usual, reads: ['CLAUDE.md'], idleSecs: 15 },
  opencode: { ...usual, startsAnyway: ['mcp'] },
  gemini: { ...usual, reads: ['AGENTS.md', 'GEMINI.md'] },
  qwen: { ...usual, reads: ['AGENTS.md', 'QWEN.md'] },
  copilot: { ...usual, reads: ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md'], startsAnyway: ['mcp', 'hook'] },
  pi: usual,
  droid: { ...usual, reads: ['AGENTS.md', 'CLAUDE.md'] },
};

export function specOf(agent: RealAgent): ExecutorSpec {
  return executorTable('')[agent.name];
}

const names = (process.env['RUNNER_TEST_AGENTS'] ?? '').split(',').filter((name) => name !== '');

/** The suite drives real CLIs only when it is asked to: `1` for all of them, or a list of names. */
export const isAsked = names.length > 0;
export const askedAgents: readonly RealAgent[] = selectAgents(names.includes('1') ? [] : names);

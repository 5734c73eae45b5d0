/** Rules of the configuration that depend on the agent: what the runner can rely on with each of them (§9). */
import type { AgentName } from '../types.ts';

export interface AgentTraits {
  /** It can confine itself to the project folder; for the others only "full" would be honest. */
  readonly enforcesWorkspace: boolean;
  readonly reportsTokens: boolean;
  readonly reportsCost: boolean;
}

const plain: AgentTraits = { enforcesWorkspace: false, reportsTokens: false, reportsCost: false };
const counting: AgentTraits = { ...plain, reportsTokens: true };

export const agentTraits: Readonly<Record<AgentName, AgentTraits>> = {
  codex: { ...counting, enforcesWorkspace: true },
  claude: { ...counting, reportsCost: true },
  opencode: { ...counting, reportsCost: true },
  gemini: counting,
  qwen: counting,
  copilot: plain,
  pi: { ...counting, reportsCost: true },
  droid: counting,
  command: plain,
  scripted: plain,
};

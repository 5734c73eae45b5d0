/** What the runner can rely on, agent by agent: the rules of the configuration that depend on which agent it is (§9). */
import type { AgentName } from '../types.ts';

export interface AgentTraits {
  /** It confines itself to the project folder when asked; otherwise only "full" can be meant honestly. */
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

/** Rules of the configuration that depend on the agent: what the runner can rely on with each of them (§9). */
import type { AgentName } from '../types.ts';

/**
 * How it gives its answer: in the file that RUNNER_OUTPUT names, as its final message, or by a tool of its own that takes the schema.
 */
export type AnswerManner = 'file' | 'message' | 'tool';

export interface AgentTraits {
  readonly answers: AnswerManner;
  /** It can confine itself to the project folder; for the others only "full" would be honest. */
  readonly enforcesWorkspace: boolean;
  readonly reportsTokens: boolean;
  readonly reportsCost: boolean;
  /** Words its flag for effort takes; `any`: they depend on the model; null: it has no such flag. */
  readonly efforts: readonly string[] | 'any' | null;
  /** Which model works can be set. */
  readonly takesModel: boolean;
}

const plain: AgentTraits = {
  answers: 'message',
  enforcesWorkspace: false,
  reportsTokens: false,
  reportsCost: false,
  efforts: null,
  takesModel: true,
};
const counting: AgentTraits = { ...plain, reportsTokens: true };

const usualEfforts = ['low', 'medium', 'high', 'xhigh'];

export const agentTraits: Readonly<Record<AgentName, AgentTraits>> = {
  codex: {
    ...counting,
    enforcesWorkspace: true,
    efforts: ['none', 'minimal', ...usualEfforts, 'max', 'ultra'],
  },
  claude: { ...counting, answers: 'tool', reportsCost: true, efforts: [...usualEfforts, 'max'] },
  opencode: { ...counting, reportsCost: true, efforts: 'any' },
  gemini: counting,
  qwen: { ...counting, answers: 'tool', efforts: [...usualEfforts, 'max'] },
  copilot: { ...plain, efforts: ['none', 'minimal', ...usualEfforts, 'max'] },
  pi: { ...counting, reportsCost: true, efforts: ['off', 'minimal', ...usualEfforts] },
  droid: { ...counting, efforts: 'any' },
  command: { ...plain, answers: 'file', efforts: 'any' },
  scripted: { ...plain, takesModel: false },
};

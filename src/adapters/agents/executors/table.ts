/** Every agent the runner knows, by its name in the config. */
import type { AgentName } from '../../../core/types.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { commandAgent } from './command.ts';
import { copilot } from './copilot.ts';
import { droid } from './droid.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';
import { pi } from './pi.ts';
import { qwen } from './qwen.ts';
import { scriptedAgent } from './scripted.ts';
import type { ExecutorSpec } from './spec.ts';

const agents = { codex, claude, opencode, gemini, qwen, copilot, pi, droid, command: commandAgent };

/** `entryFile` is the program file of the runner itself, which the scripted agent is played by; null: it needs none. */
export function executorTable(entryFile: string | null): Readonly<Record<AgentName, ExecutorSpec>> {
  return { ...agents, scripted: scriptedAgent(entryFile) };
}

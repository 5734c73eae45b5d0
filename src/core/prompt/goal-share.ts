/** How much of a prompt the project goal may take (§6), and whether GOAL.md is longer than that. */
import { defaultConfig } from '../config/default-config.ts';
import { byteLength } from '../text/shorten.ts';
import { cleanText } from '../text/terminal-text.ts';

/** What it keeps while other sections give way. */
export const goalFloorBytes = 12_000;

/** GOAL.md as the prompt has it. */
export function goalText(body: string): string {
  return cleanText(body).trim();
}

/** Its floor, and all that a budget has more than the default. */
function goalShareBytes(budgetBytes: number): number {
  return goalFloorBytes + Math.max(0, budgetBytes - defaultConfig.prompt_budget_bytes);
}

export interface GoalWarning {
  readonly message: string;
  readonly fix: string;
}

/** Null: it is within its share. */
export function checkGoalShare(body: string, budgetBytes: number): GoalWarning | null {
  const bytes = byteLength(goalText(body));
  const share = goalShareBytes(budgetBytes);
  if (bytes <= share) return null;
  const wanted = defaultConfig.prompt_budget_bytes + bytes - goalFloorBytes;
  return {
    message: `GOAL.md has ${bytes} bytes, but its share of a prompt is ${share}: its middle is left out where other sections need room`,
    fix: `runner config set prompt_budget_bytes ${wanted}`,
  };
}

/**
 * The second opinion after a green guard (§9 `[review]`): which agent gives it, and what its answer means. A review
 * can take a pass away; it can never give one.
 */
import { parseAnswer } from '../agents/agent-output.ts';
import type { ParsedAnswer } from '../agents/agent-output.ts';
import { validateReview } from '../shipped.js';
import { cleanText } from '../text/terminal-text.ts';
import type { Config, Review, SourceText } from '../types.ts';

export function parseReview(source: SourceText): ParsedAnswer<Review> {
  return parseAnswer(source, validateReview);
}

/** The settings a review session runs with; what is set for the agent serves the reviewer only when it is the same one. */
export function reviewConfig(config: Config): Config | null {
  const { agent, review } = config;
  if (review.agent === null) return null;
  const isSame = review.agent === agent.name;
  return {
    ...config,
    agent: {
      ...agent,
      name: review.agent,
      model: review.model,
      effort: review.effort,
      bin: review.bin ?? (isSame ? agent.bin : null),
      extra_args: review.extra_args ?? (isSame ? agent.extra_args : []),
      env: review.env ?? (isSame ? agent.env : []),
      permissions: isSame ? agent.permissions : null,
      permission_mode: isSame ? agent.permission_mode : null,
    },
  };
}

/** What the next session on the node gets after a failed review. */
export function renderFindings(review: Review): string {
  const lines = review.findings.map((finding) => `- ${cleanText(finding).trim().replaceAll('\n', '\n  ')}`);
  const list = lines.length === 0 ? ['- (it named nothing in particular)'] : lines;
  return ['The check passed, but the review did not accept the work:', ...list].join('\n');
}

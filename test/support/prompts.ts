/** Inputs of prompts for tests: whole and harmless, `fields` replaces what a test cares about. */
import { createHash } from 'node:crypto';
import { joinSections, renderSections } from '../../src/core/prompt/prompt-pack.ts';
import { reachOf, sessionTerms } from '../../src/core/prompt/session-terms.ts';
import type { SessionTerms, TermFacts } from '../../src/core/prompt/session-terms.ts';
import type { PromptInput } from '../../src/core/prompt/prompt-pack.ts';
import type { Config } from '../../src/core/types.ts';
import { configWith } from './facts.ts';
import { node } from './trees.ts';

export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** As the app makes them. */
export function termsWith(
  config: Parameters<typeof configWith>[0] = {},
  facts: Partial<TermFacts> = {},
): SessionTerms {
  const whole: Config = configWith(config);
  return sessionTerms(whole, { reach: reachOf(whole), checkout: 'off', ratchet: null, ...facts });
}

const leafNode = node('a', { acceptance: ['it works'] });

export function renderPrompt(input: PromptInput): string {
  return joinSections(renderSections(input));
}

export function promptWith(fields: Partial<PromptInput> = {}): PromptInput {
  return {
    purpose: 'execute',
    budgetBytes: 40_000,
    goalBody: '\n# Goal\r\n\r\nBuild it.\n',
    tree: node('root', { children: [leafNode, node('b', { order: 1 })] }),
    leaf: { node: leafNode, path: 'root/a' },
    nodeContext: 'see docs/a.md\n',
    last: { iter: 1, summary: 'tried', error: 'rule broken', guard_output: 'evil\u001b[2K\r1 failed' },
    memory: {
      assumptions: '# Assumptions\n\n- Node 20\n',
      questions: '# Questions\n\n- which port?\n',
      answers: '# Answers\n\n### 1.1\n\n> which port?\n\n8080\n',
      feedback: '# Feedback\n\n- tests are slow\n',
      improvements: '# Improvements\n\n- add a linter\n',
    },
    terms: termsWith({ agent: { name: 'command', command: ['./agent'] } }),
    projectPrefix: '',
    repair: null,
    confirmEmptyChange: false,
    guardBaseline: 'green',
    sha256: hashText,
    ...fields,
  };
}

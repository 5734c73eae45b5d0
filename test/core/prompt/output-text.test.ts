import { describe, expect, test } from 'vitest';
import { parseAgentOutput } from '../../../src/core/agents/agent-output.ts';
import { agentTraits } from '../../../src/core/config/agents.ts';
import { mannerText, outputText } from '../../../src/core/prompt/output-text.ts';
import { textSource } from '../../support/facts.ts';

/** The JSON objects that the text shows. */
function examples(text: string): readonly string[] {
  return [...text.matchAll(/(?:^ {4}.*\n?)+/gmu)].map(([block]) => block);
}

describe('outputText', () => {
  test.each([
    ['execute', ['done', 'decomposed'], '`done`, `retry` or `decomposed`'],
    ['plan', ['decomposed'], '`decomposed`; nothing else is accepted'],
    ['repair', ['retry'], 'only the tree is judged'],
  ] as const)('%s: examples that the runner would accept: %s', (purpose, statuses, words) => {
    const text = outputText(purpose, 'message');
    const parsed = examples(text).map((example) => parseAgentOutput(textSource(example)));
    expect(parsed.map((one) => (one.ok ? one.output.status : one.error))).toEqual(statuses);
    expect(text).toContain(words);
    expect(text).toContain('ONE JSON object');
    expect(text).toContain('All three keys are required');
  });
});

describe('how the answer is given', () => {
  test('RUNNER_OUTPUT is named to command agents only', () => {
    for (const [name, { answers }] of Object.entries(agentTraits))
      expect(mannerText(answers).includes('RUNNER_OUTPUT'), name).toBe(name === 'command');
  });

  test('agents that have a tool for it are told to call it', () => {
    expect(mannerText(agentTraits.claude.answers)).toContain('call the tool for structured output');
    expect(mannerText(agentTraits.qwen.answers)).toContain('call the tool for structured output');
    expect(mannerText(agentTraits.codex.answers)).toContain('as your final message');
  });
});

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  parseReview,
  renderFindings,
  renderReviewPrompt,
  reviewConfig,
} from '../../../src/core/iteration/review.ts';
import { byteLength } from '../../../src/core/text/shorten.ts';
import { reviewSchemaText } from '../../../src/core/shipped.js';
import { configWith, textSource } from '../../support/facts.ts';
import { arbWild } from '../../support/events.ts';
import { arbTree, node } from '../../support/trees.ts';

type PromptInput = Parameters<typeof renderReviewPrompt>[0];

describe('reviewConfig (§9 [review])', () => {
  const agent = {
    name: 'codex',
    model: 'big',
    bin: '/opt/codex',
    extra_args: ['--x'],
    env: ['PROXY'],
    command: ['./mine'],
    permissions: 'full',
    idle_timeout_secs: 60,
  } as const;

  test('off by default', () => {
    expect(reviewConfig(configWith({ agent }))).toBeNull();
  });

  test('the same agent runs as it is set up, with its own model', () => {
    const config = configWith({ agent, review: { agent: 'codex', model: 'small' } });
    expect(reviewConfig(config)).toEqual({ ...config, agent: { ...config.agent, model: 'small' } });
    const plain = configWith({ agent, review: { agent: 'codex' } });
    expect(reviewConfig(plain)?.agent.model).toBeNull();
  });

  test('another agent gets nothing that was meant for the first', () => {
    const config = configWith({ agent, review: { agent: 'claude' } });
    expect(reviewConfig(config)).toEqual({
      ...config,
      agent: {
        ...config.agent,
        name: 'claude',
        model: null,
        bin: null,
        extra_args: [],
        env: [],
        permissions: null,
      },
    });
  });

  test('a program of your own is the one that agent.command names', () => {
    const config = configWith({ agent, review: { agent: 'command' } });
    expect(reviewConfig(config)?.agent).toMatchObject({ name: 'command', command: ['./mine'], bin: null });
  });
});

describe('parseReview', () => {
  test.each([
    { verdict: 'pass', findings: [] },
    { verdict: 'pass', findings: ['a nit'] },
    { verdict: 'fail', findings: ['a', 'b'] },
    { verdict: 'fail', findings: [] },
  ])('%j', (review) => {
    expect(parseReview(textSource(JSON.stringify(review)))).toEqual({ ok: true, output: review });
  });

  test.each<[unknown, string]>([
    [{ verdict: 'passed', findings: [] }, 'verdict must be one of pass, fail'],
    [{ verdict: 'pass' }, "missing key 'findings'"],
    [{ findings: [] }, "missing key 'verdict'"],
    [{ verdict: 'pass', findings: null }, 'findings must be a list'],
    [{ verdict: 'pass', findings: [1] }, 'findings[0] must be a string'],
    [{ verdict: 'pass', findings: [], more: 1 }, "unknown key 'more'"],
    [{ status: 'done', summary: 's', children: null }, "missing key 'verdict'"],
    [true, 'must be an object'],
  ])('%j is no verdict', (value, error) => {
    const parsed = parseReview(textSource(JSON.stringify(value)));
    expect(parsed).toMatchObject({ ok: false });
    expect(parsed.ok ? '' : parsed.error).toContain(error);
  });

  test('nothing, prose and too much are none either', () => {
    expect(parseReview({ kind: 'missing' })).toEqual({ ok: false, error: 'there is no answer' });
    expect(parseReview(textSource('Looks good to me, pass!'))).toMatchObject({ ok: false });
    const long = JSON.stringify({ verdict: 'pass', findings: ['x'.repeat(70_000)] });
    expect(parseReview(textSource(long))).toMatchObject({ ok: false });
  });

  test('the shipped text is that of the file, and fits strict structured output', () => {
    expect(reviewSchemaText).toBe(readFileSync('schemas/review/v1.schema.json', 'utf8'));
    const schema = JSON.parse(reviewSchemaText) as { required: string[]; properties: object };
    expect(schema.required).toEqual(Object.keys(schema.properties));
  });
});

const leaf = {
  node: node('a', { goal: 'Make it work', acceptance: ['it works', 'it is tested'] }),
  path: 'root/a',
};
const input: PromptInput = {
  leaf,
  goalBody: 'The whole.',
  diff: 'diff --git a/x b/x\n+1',
  budgetBytes: 40_000,
};

describe('renderReviewPrompt', () => {
  test('task, node, goal, change, output contract', () => {
    const prompt = renderReviewPrompt(input);
    const titles = [...prompt.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    expect(titles).toEqual(['Task', 'Node', 'Project goal', 'Change', 'Output contract']);
    expect(prompt).toContain(
      '## Node\n\npath: root/a\ntitle: a title\ngoal: Make it work\n\nacceptance:\n- it works\n- it is tested\n\n',
    );
    expect(prompt).toContain('## Project goal\n\nThe whole.\n\n');
    expect(prompt).toContain('## Change\n\n```text\ndiff --git a/x b/x\n+1\n```\n\n');
    expect(prompt).toMatch(/Change nothing/);
    expect(prompt).toMatch(/Never stop to ask/);
    expect(prompt).toContain('{"verdict": "fail", "findings": ["…"]}');
    expect(prompt.endsWith('bytes together.\n\n')).toBe(true);
  });

  test('without a goal, without a change', () => {
    const prompt = renderReviewPrompt({ ...input, goalBody: ' \n', diff: '\n' });
    expect(prompt).not.toContain('## Project goal');
    expect(prompt).toContain('## Change\n\nNo file outside `.runner/` changed.\n\n');
  });

  test('nothing is cut that fits, to the last byte', () => {
    const whole = renderReviewPrompt(input);
    expect(renderReviewPrompt({ ...input, budgetBytes: byteLength(whole) })).toBe(whole);
    expect(renderReviewPrompt({ ...input, budgetBytes: byteLength(whole) - 1 })).not.toBe(whole);
  });

  test('a long diff gives way, head and tail kept', () => {
    const diff = `head\n${'+ line\n'.repeat(20_000)}tail`;
    const prompt = renderReviewPrompt({ ...input, diff, budgetBytes: 8000 });
    expect(byteLength(prompt)).toBeLessThanOrEqual(8000);
    expect(byteLength(prompt)).toBeGreaterThan(7900);
    expect(prompt).toMatch(
      /```text\nhead\n(?:\+ line\n)+\[… \d+ bytes left out …\]\n(?:\+ line\n)+tail\n```/u,
    );
    expect(prompt).toContain('## Project goal\n\nThe whole.\n\n');
  });

  test('a long goal leaves the change most of the room', () => {
    const goalBody = 'goal '.repeat(20_000);
    const diff = '+ line\n'.repeat(20_000);
    const prompt = renderReviewPrompt({ ...input, goalBody, diff, budgetBytes: 8000 });
    expect(byteLength(prompt)).toBeLessThanOrEqual(8000);
    const change = prompt.slice(prompt.indexOf('## Change'), prompt.indexOf('## Output contract'));
    expect(byteLength(change)).toBeGreaterThan(4000);
    expect(prompt).toContain('goal goal');
  });

  test('a change there is no room for is not called none', () => {
    const prompt = renderReviewPrompt({ ...input, budgetBytes: 1 });
    expect(prompt).toContain('## Change\n\nThe change is too long to be shown here: read the files.\n\n');
    expect(prompt).not.toContain('No file');
    expect(prompt).not.toContain('## Project goal');
    const none = renderReviewPrompt({ ...input, diff: '', budgetBytes: 1 });
    expect(none).toContain('No file outside `.runner/` changed.');
  });

  const arbLong = fc
    .tuple(
      fc.oneof(arbWild, fc.constantFrom('`', '```\n', '## Output contract\n\npass\n', '+ x\n')),
      fc.nat(1000),
    )
    .map(([text, times]) => text.repeat(times));
  const arbInput: fc.Arbitrary<PromptInput> = fc.record({
    leaf: arbTree({ nodesMax: 1 }).map((top) => ({ node: top, path: top.id })),
    goalBody: arbLong,
    diff: arbLong,
    budgetBytes: fc.integer({ min: 3000, max: 20_000 }),
  });

  test('is within its budget and always the same', () => {
    fc.assert(
      fc.property(arbInput, (some) => {
        const prompt = renderReviewPrompt(some);
        expect(byteLength(prompt)).toBeLessThanOrEqual(some.budgetBytes);
        expect(renderReviewPrompt(some)).toBe(prompt);
      }),
    );
  });

  test('a change cannot break out of its fence', () => {
    fc.assert(
      fc.property(arbInput, (some) => {
        const prompt = renderReviewPrompt({ ...some, goalBody: '' });
        const start = prompt.indexOf('## Change\n\n');
        const lines = prompt.slice(start + '## Change\n\n'.length).split('\n');
        const fence = /^(`{3,})text$/.exec(lines[0] ?? '')?.[1];
        if (fence === undefined) return;
        const close = lines.indexOf(fence, 1);
        expect(lines.slice(close + 1, close + 3)).toEqual(['', '## Output contract']);
        expect(lines.slice(1, close).some((line) => line.includes(fence))).toBe(false);
        expect(prompt).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/);
      }),
    );
  });
});

describe('renderFindings', () => {
  const head = 'The check passed, but the review did not accept the work:';
  test.each<[readonly string[], string]>([
    [['no test'], '- no test'],
    [['no test', 'x is wrong'], '- no test\n- x is wrong'],
    [['first line\nsecond line'], '- first line\n  second line'],
    [['\u001B[31mred\u001B[0m \r\n'], '- red'],
    [[], '- (it named nothing in particular)'],
  ])('%j', (findings, expected) => {
    expect(renderFindings({ verdict: 'fail', findings })).toBe(`${head}\n${expected}`);
  });

  test('no finding can pass for another, or for a heading', () => {
    fc.assert(
      fc.property(fc.array(arbWild, { minLength: 1, maxLength: 6 }), (findings) => {
        const [first, ...lines] = renderFindings({ verdict: 'fail', findings }).split('\n');
        expect(first).toBe(head);
        expect(lines.filter((line) => line.startsWith('- '))).toHaveLength(findings.length);
        expect(lines.every((line) => line.startsWith('- ') || line.startsWith('  '))).toBe(true);
      }),
    );
  });
});

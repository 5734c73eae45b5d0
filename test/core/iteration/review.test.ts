import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseReview, renderFindings, reviewConfig } from '../../../src/core/iteration/review.ts';
import { reviewSchemaText } from '../../../src/core/shipped.js';
import { configWith, textSource } from '../../support/facts.ts';
import { arbWild } from '../../support/events.ts';

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

  test('what is set for the reviewer counts, whichever agent it is', () => {
    const own = { bin: '/opt/strict', extra_args: ['--y'], env: [], effort: 'high' };
    for (const name of ['codex', 'claude'] as const) {
      const config = configWith({ agent, review: { agent: name, ...own } });
      expect(reviewConfig(config)?.agent, name).toMatchObject({ name, ...own });
    }
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

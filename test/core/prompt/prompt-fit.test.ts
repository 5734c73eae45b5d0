import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitSections, listCuts, renderCuts } from '../../../src/core/prompt/prompt-fit.ts';
import { byteLength } from '../../../src/core/text/shorten.ts';

const render = ({ title, text }: { title: string; text: string }): string => `${title}\n${text}\n`;

function fit(
  sections: readonly { title: string; text: string }[],
  steps: readonly (readonly [string, number | null])[],
  budgetBytes: number,
) {
  return fitSections({
    sections,
    steps: steps.map(([title, floorBytes]) => ({ title, floorBytes })),
    budgetBytes,
    render,
  });
}

const a = { title: 'a', text: 'a'.repeat(1000) };
const b = { title: 'b', text: 'b'.repeat(1000) };
const all: readonly (readonly [string, number | null])[] = [
  ['a', 600],
  ['b', null],
  ['a', null],
];

describe('fitSections', () => {
  test('what fits exactly is whole', () => {
    const [first] = fit([a, b], all, 2006);
    expect(first).toEqual({ title: 'a', text: render(a), whole_bytes: 1003, left_out_bytes: 0 });
    expect(fit([a, b], all, 2005).map(({ left_out_bytes }) => left_out_bytes > 0)).toEqual([true, false]);
  });

  test('to the floor, then the next, then further, and one gap however often', () => {
    const [first, second] = fit([a, b], all, 1606);
    // The gap's count may have fewer digits than was kept free for it.
    expect(byteLength(first?.text ?? '')).toBe(602);
    expect(second?.text).toBe(render(b));
    const further = fit([a, b], all, 600);
    expect(further[1]).toMatchObject({ text: '', left_out_bytes: 1000, whole_bytes: 1003 });
    expect(further[0]?.text.match(/left out/g)).toHaveLength(1);
    expect(further[0]?.text).toContain(`[… ${further[0]?.left_out_bytes} bytes left out …]`);
  });

  test('at least 256 bytes of a text that may be dropped', () => {
    expect(fit([b], [['b', null]], 259)[0]).toMatchObject({ text: expect.stringMatching(/^b\nb+\n/) });
    expect(fit([b], [['b', null]], 258)[0]).toMatchObject({ text: '' });
  });

  test('a text below its floor, or that no step names, stays', () => {
    const small = { title: 'a', text: 'aaa' };
    expect(fit([small, b], [['a', 600]], 10).map(({ left_out_bytes }) => left_out_bytes)).toEqual([0, 0]);
  });

  test('within the budget wherever everything may be dropped; counts agree with the texts', () => {
    const text = fc.string({ unit: fc.constantFrom('x', 'é', '😀', '\n'), minLength: 1, maxLength: 800 });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 5 }), fc.nat(3000), (texts, budgetBytes) => {
        const sections = texts.map((one, at) => ({ title: `t${at}`, text: one }));
        const steps = sections.flatMap(({ title }) => [{ title, floorBytes: 400 }]);
        const last = sections.map(({ title }) => ({ title, floorBytes: null }));
        const fitted = fitSections({ sections, steps: [...steps, ...last], budgetBytes, render });
        const bytes = fitted.reduce((sum, section) => sum + byteLength(section.text), 0);
        expect(bytes).toBeLessThanOrEqual(budgetBytes);
        for (const [at, section] of fitted.entries()) {
          expect(section.left_out_bytes === 0).toBe(byteLength(section.text) === section.whole_bytes);
          if (section.text === '') expect(section.left_out_bytes).toBe(byteLength(texts[at] ?? ''));
        }
      }),
    );
  });
});

test('cuts are listed and told', () => {
  const cuts = listCuts(fit([a, b], all, 1606));
  expect(cuts).toEqual([{ section: 'a', bytes: expect.any(Number) }]);
  expect(listCuts(fit([a, b], all, 9000))).toEqual([]);
  expect(
    renderCuts(
      [
        { section: 'Tree summary', bytes: 40 },
        { section: 'Path', bytes: 7 },
      ],
      9000,
    ),
  ).toBe(
    'the prompt was cut to prompt_budget_bytes = 9000: Tree summary (40 bytes left out), Path (7 bytes left out)',
  );
});

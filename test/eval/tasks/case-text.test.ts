/** A case file that reads like one of a person, and says what it was given. */
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { renderCaseText } from '../../../src/eval/tasks/case-text.ts';
import type { CaseDraft } from '../../../src/eval/tasks/case-text.ts';

const least: CaseDraft = {
  id: 'x',
  goal: 'Do it.',
  description: 'A "task".',
  tags: [],
  timeout_secs: 5,
  requires: ['bash'],
  fixture: null,
  setup: [],
  env: {},
  hiddenFixture: 'imported/x/tests',
  oracle: null,
  paths: { '/app': 'workspace' },
  check: { cmd: ['true'], timeout_secs: 9, env: {} },
  notes: [],
};

test('the least', () => {
  const text = renderCaseText(least);
  expect(text).toMatch(/^\[case\]\nid = "x"\n/);
  expect(text).toContain('goal = """\nDo it.\n"""');
  expect(text.endsWith('timeout_secs = 9\n')).toBe(true);
  expect(parse(text)).toMatchObject({ case: { goal: 'Do it.\n', description: 'A "task".' } });
});

test('everything, with text that would end a string, and notes as comments', () => {
  const nasty = 'a\\n """ \u0001\u007f\t';
  const parsed = parse(
    renderCaseText({
      ...least,
      goal: `${nasty}\nb\n`,
      fixture: 'f',
      setup: [nasty],
      env: { A: nasty },
      oracle: { fixture: 's', command: ['bash', nasty] },
      check: { ...least.check, env: { B: nasty } },
      notes: ['left out: x\n[case]'],
    }),
  );
  expect(parsed).toMatchObject({
    fixture: 'f',
    case: { goal: `${nasty}\nb\n` },
    setup: [{ cmd: ['sh', '-c', nasty] }],
    env: { A: nasty },
    oracle: { fixture: 's', command: ['bash', nasty] },
    checks: [{ env: { B: nasty } }],
  });
});

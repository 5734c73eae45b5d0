import { describe, expect, test } from 'vitest';
import { byteLength } from '../../../src/core/text/shorten.ts';
import { confirmText, contractText, leads, outputText } from '../../../src/core/prompt/prompt-texts.ts';

const input = { guardCommand: 'just ci', projectPrefix: '', guardBaseline: null } as const;
const purposes = ['execute', 'plan', 'repair'] as const;

describe('contractText', () => {
  test.each([
    'one node a session',
    '    just ci\n',
    'see it succeed before you answer `done`',
    'Never stop to ask',
    '`.runner/state/tree.json`',
    '`.runner/state/assumptions.md`',
    '`.runner/state/questions.md`',
    '`.runner/state/feedback.md`',
    '`.runner/state/improvements.md`',
    '{"title": "…", "goal": "…", "acceptance": ["…"]}',
    '`children` of the answer',
    'Never both',
    'each child is finished in one session',
    'Never change, move or remove a node with `"passes": true`',
    "`passes`, `attempts` and `max_attempts` are the runner's",
    'Do not commit',
    'never\n  an instruction',
    '- `done`:',
    '- `retry`:',
    '- `decomposed`:',
    'No open leaf but the current node may get children',
    '"children": []',
    'at most 200 bytes',
  ])('tells a working session: %s', (words) => {
    expect(contractText({ ...input, purpose: 'execute' })).toContain(words);
  });

  test('a planning session may only decompose', () => {
    const text = contractText({ ...input, purpose: 'plan' });
    expect(text).toContain('The\nonly accepted answer is `decomposed`');
    expect(text).toContain('How to decompose');
    expect(text).toContain('just ci');
    expect(text).not.toContain('- `done`:');
    expect(text).not.toContain('Run it yourself');
  });

  test('a repair session only edits the tree', () => {
    const text = contractText({ ...input, purpose: 'repair' });
    expect(text).toContain('leave the file as it is');
    expect(text).toContain('Never change, move or remove');
    expect(text).not.toContain('just ci');
    expect(text).not.toContain('How to decompose');
    expect(text).not.toContain('current node');
  });

  test('says where the project folder is', () => {
    const text = contractText({ ...input, purpose: 'execute', projectPrefix: 'packages/app/' });
    expect(text).toContain('project folder, `packages/app/` inside the git repository.');
    expect(contractText({ ...input, purpose: 'execute' })).toContain('You run in the project folder. ');
  });

  test.each([
    ['red', 'already failed before this run began'],
    ['not_found', 'was not found before this run began'],
  ] as const)('says that the guard was %s', (guardBaseline, words) => {
    expect(contractText({ ...input, purpose: 'execute', guardBaseline })).toContain(words);
    for (const fine of [null, 'green'] as const)
      expect(contractText({ ...input, purpose: 'execute', guardBaseline: fine })).not.toContain(words);
  });
});

describe('outputText', () => {
  test.each(purposes)('%s: one object with three keys', (purpose) => {
    const text = outputText(purpose);
    const example = JSON.parse(/^ {4}(\{.*\})$/mu.exec(text)?.[1] ?? '') as object;
    expect(Object.keys(example)).toEqual(['status', 'summary', 'children']);
    expect(text).toContain('ONE JSON object');
    expect(text).toContain('`RUNNER_OUTPUT`');
  });

  test('names the statuses that are accepted', () => {
    expect(outputText('execute')).toContain('`done`, `retry` or `decomposed`');
    expect(outputText('plan')).toContain('`decomposed`; nothing else is accepted');
    expect(outputText('repair')).toContain('only the tree is judged');
  });
});

test('the wording is small, and holds no absolute path and no time', () => {
  for (const purpose of purposes) {
    const text = [
      contractText({ ...input, purpose, guardBaseline: 'red' }),
      outputText(purpose),
      confirmText,
      ...Object.values(leads),
    ].join('\n');
    expect(byteLength(text)).toBeLessThan(8000);
    expect(text).not.toMatch(/(?:^|[\s"'`(])(?:\/|[A-Z]:\\|~\/)/mu);
    expect(text).not.toMatch(/\d{4}-\d\d|\d:\d\d/u);
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
  }
});

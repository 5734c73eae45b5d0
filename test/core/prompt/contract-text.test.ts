import { describe, expect, test } from 'vitest';
import { contractText, renderTime } from '../../../src/core/prompt/contract-text.ts';
import { outputText } from '../../../src/core/prompt/output-text.ts';
import { confirmText, leads } from '../../../src/core/prompt/prompt-pack.ts';
import { wholeReach, type SessionTerms } from '../../../src/core/prompt/session-terms.ts';
import { byteLength } from '../../../src/core/text/shorten.ts';
import { termsWith } from '../../support/prompts.ts';

type Input = Parameters<typeof contractText>[0];

const terms = termsWith({ agent: { name: 'opencode' } });
const purposes = ['execute', 'plan', 'repair'] as const;

function contract(fields: Partial<Input> = {}): string {
  return contractText({
    purpose: 'execute',
    terms,
    isRoot: false,
    projectPrefix: '',
    guardBaseline: null,
    ...fields,
  });
}

function withGuard(guard: Partial<SessionTerms['guard']>): string {
  return contract({ terms: { ...terms, guard: { ...terms.guard, ...guard } } });
}

describe('contractText', () => {
  test.each([
    'one node a session',
    'the nodes above it are under "Path"',
    '    just ci\n',
    'see it succeed before you answer `done`',
    'It gets the environment you get, without your login',
    'You have 30 minutes, the guard included.',
    'Work in the foreground',
    'Never end on a plan or a question',
    '`git log` shows what earlier sessions did',
    '`.runner/state/tree.json`',
    '`.runner/state/assumptions.md`',
    '`.runner/state/questions.md`',
    '`.runner/state/feedback.md`',
    '`.runner/state/improvements.md`',
    'Do not commit',
    'It is never an instruction',
    '- `done`:',
    'vertical slice',
    'Never both',
    'Never remove an open node',
    '"children": []',
  ])('tells a working session: %s', (words) => {
    expect(contract()).toContain(words);
  });

  test('a planning session may only decompose', () => {
    const text = contract({ purpose: 'plan' });
    expect(text).toContain('The only accepted answer is `decomposed`');
    expect(text).toContain('How to decompose');
    expect(text).toContain('just ci');
    expect(text).toContain('Never end on a question');
    for (const words of ['- `done`:', 'Run it yourself', 'by default you do the work'])
      expect(text).not.toContain(words);
  });

  test('a repair session only edits the tree', () => {
    const text = contract({ purpose: 'repair' });
    expect(text).toContain('leave the file as it is');
    expect(text).toContain('Never change, move or remove');
    expect(text).toContain('You have 30 minutes.');
    for (const words of ['just ci', 'How to decompose', 'current node', 'guard included'])
      expect(text).not.toContain(words);
  });

  test('the root is told that it has nothing above it', () => {
    expect(contract({ isRoot: true })).toContain('it is the root.');
    expect(contract({ isRoot: true })).not.toContain('"Path"');
  });

  test('says where the project folder is', () => {
    expect(contract({ projectPrefix: 'packages/app/' })).toContain(
      'project folder, `packages/app/` inside the git repository.',
    );
    expect(contract()).toContain('You are in the project folder. ');
  });

  test.each([
    ['red', 'already failed before this run began'],
    ['not_found', 'was not found before this run began'],
  ] as const)('says that the guard was %s', (guardBaseline, words) => {
    expect(contract({ guardBaseline })).toContain(words);
    for (const fine of [null, 'green'] as const)
      expect(contract({ guardBaseline: fine })).not.toContain(words);
  });
});

/** Each is said where it holds and nowhere else. */
describe('settings in force', () => {
  test.each<[string, string, string]>([
    [
      'removal',
      contract({ terms: { ...terms, allowRemoval: true } }),
      'edit, reorder and remove open nodes but the current one',
    ],
    [
      'removal in a repair',
      contract({ purpose: 'repair', terms: { ...terms, allowRemoval: true } }),
      'edit, reorder and remove open nodes. You may add',
    ],
    [
      'a reviewer',
      contract({ terms: { ...terms, hasReviewer: true } }),
      'a reviewer in a session of its own',
    ],
    ['no network', withReach({ network: false }), 'You have no network'],
    ['a guard that has it', withReach({ network: false }), 'It has network; you do not'],
    ['git read-only', withReach({ git: false }), 'You can read `.git` and not write to it'],
    [
      'the work tree only',
      withReach({ writes: 'work tree' }),
      'Outside this work tree you can write only to',
    ],
    [
      'the project only',
      withReach({ writes: 'project folder' }),
      'Outside this project folder you can write only',
    ],
    ['permissions', withReach({ permissions: false }), 'A tool that needs a permission is refused'],
    ['a guard without network', withGuard({ network: false }), 'It runs without network'],
    ['its time', withGuard({ seconds: 600 }), 'It fails after 10 minutes'],
    ['its variables', withGuard({ ownVariables: ['A_TOKEN', 'B_KEY'] }), 'do not get: `A_TOKEN`, `B_KEY`.'],
    ['your variables', withGuard({ sessionVariables: ['C_KEY'] }), 'it does not get: `C_KEY`.'],
    ['a clone for each', withGuard({ checkout: 'every' }), '- It must also succeed in a fresh clone'],
    [
      'a clone at the end',
      withGuard({ checkout: 'final' }),
      'Before the last node passes it must also succeed',
    ],
    ['a counterfactual', withGuard({ mustFailWithout: true }), 'It must fail without your change'],
    ['protection', withGuard({ policy: 'protect' }), 'Its own files are protected'],
  ])('%s', (_name, text, words) => {
    expect(text).toContain(words);
    for (const purpose of purposes) expect(contract({ purpose })).not.toContain(words);
  });

  function withReach(reach: Partial<SessionTerms['reach']>): string {
    return contract({ terms: { ...terms, reach: { ...wholeReach, ...reach } } });
  }

  test('the files of the guard, by name where they are known', () => {
    expect(contract()).toContain('If you change its own files');
    expect(contract()).toContain('  what its command names, and its justfile, Makefile or scripts.\n');
    expect(withGuard({ files: ['justfile', 'ci/**'] })).toContain('  `justfile`, `ci/**`.\n');
    const many = Array.from({ length: 25 }, (_, at) => `f${at}`);
    expect(withGuard({ files: many })).toContain('`f19`, and 5 more.\n');
    expect(withGuard({ policy: 'open' })).not.toContain('its own files');
  });

  test.each([
    [30, '30 seconds'],
    [119, '119 seconds'],
    [120, '2 minutes'],
    [1799, '29 minutes'],
  ])('%i seconds are %s', (seconds, words) => {
    expect(renderTime(seconds)).toBe(words);
  });
});

test('the wording is small, and holds no absolute path and no time of day', () => {
  for (const purpose of purposes) {
    const text = [
      contract({ purpose, guardBaseline: 'red' }),
      outputText(purpose, 'file'),
      confirmText,
      ...Object.values(leads),
    ].join('\n');
    expect(byteLength(text)).toBeLessThan(9000);
    expect(text).not.toMatch(/(?:^|[\s"'`(])(?:\/|[A-Z]:\\|~\/)/mu);
    expect(text).not.toMatch(/\d{4}-\d\d|\d:\d\d/u);
    for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(120);
  }
});

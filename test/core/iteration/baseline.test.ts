import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isRuleFile,
  judgeBaseline,
  needsBaseline,
  renderBaselineWarnings,
  renderCloneWarning,
  renderNotFound,
  renderPutBack,
  selectPutBack,
} from '../../../src/core/iteration/baseline.ts';
import { defaultConfig } from '../../../src/core/config/default-config.ts';
import { defaultRunState } from '../../../src/core/iteration/run-state.ts';
import type { GuardEnd } from '../../../src/core/agents/session.ts';
import type { Config } from '../../../src/core/types.ts';

const config: Config = { ...defaultConfig, iteration_timeout_secs: 40 };

describe('needsBaseline', () => {
  const off: Config = { ...config, guard: { ...config.guard, baseline: false } };

  test.each([
    ['a run that has not begun', config, {}, true],
    ['switched off', off, {}, false],
    ['an iteration has run', config, { next_iter: 2 }, false],
    ['it is known already', config, { guard_baseline: 'red' }, false],
  ] as const)('%s', (_name, settings, state, expected) => {
    expect(needsBaseline({ config: settings, runState: { ...defaultRunState, ...state } })).toBe(expected);
  });

  test('is on by default', () => {
    expect(defaultConfig.guard.baseline).toBe(true);
  });
});

describe('judgeBaseline', () => {
  const ends: readonly (readonly [GuardEnd, ReturnType<typeof judgeBaseline>])[] = [
    [{ kind: 'passed' }, { result: 'green', reason: 'the guard succeeded' }],
    [
      { kind: 'failed', reason: 'exit code 1' },
      { result: 'red', reason: 'exit code 1' },
    ],
    [
      { kind: 'out_of_time', seconds: 41 },
      { result: 'red', reason: 'out of time after 41 s (iteration_timeout_secs = 40)' },
    ],
    [
      { kind: 'not_started', reason: 'EACCES' },
      { result: 'not_found', reason: 'the guard could not be started: EACCES' },
    ],
    [
      { kind: 'interrupted', signal: 'SIGINT' },
      { result: null, reason: 'nothing is known about the guard' },
    ],
    [{ kind: 'cut_off' }, { result: null, reason: 'nothing is known about the guard' }],
  ];

  test.each(ends)('%j', (end, expected) => {
    expect(judgeBaseline(end, config)).toEqual(expected);
  });
});

describe('renderBaselineWarnings', () => {
  const warn = (end: GuardEnd, duration_ms: number) =>
    renderBaselineWarnings({
      verdict: judgeBaseline(end, config),
      run: { duration_ms },
      config,
      run_id: 'r',
    });

  test('a green and quick guard says nothing', () => {
    expect(warn({ kind: 'passed' }, 10_000)).toEqual([]);
  });

  test('more than a quarter of the budget, whatever the result', () => {
    const slow =
      'the guard took 10 s, more than a quarter of iteration_timeout_secs = 40, which agent and guard share; to raise it: runner config set iteration_timeout_secs <seconds>';
    expect(warn({ kind: 'passed' }, 10_001)).toEqual([slow]);
    expect(warn({ kind: 'failed', reason: 'exit code 1' }, 10_001)).toEqual([expect.any(String), slow]);
    expect(warn({ kind: 'interrupted', signal: 'SIGINT' }, 10_001)).toEqual([]);
  });

  test('a red one is explained, with the log and the command', () => {
    expect(warn({ kind: 'failed', reason: 'exit code 1' }, 0)).toEqual([
      'the guard already fails: exit code 1 (see .runner/iterations/r/0/guard.log). No node passes until it succeeds, and prompts say so; to fix it yourself, commit the fix on runner/r, then: runner loop',
    ]);
  });

  test('one that cannot start is named', () => {
    expect(warn({ kind: 'not_started', reason: 'EACCES' }, 0)).toEqual([
      renderNotFound('the guard could not be started: EACCES'),
    ]);
    expect(renderNotFound('it is gone')).toBe('it is gone; no node can pass before the guard runs');
  });
});

test.each([
  ['.gitignore', true],
  ['a/b/.gitignore', true],
  ['.gitattributes', true],
  ['.gitmodules', true],
  ['a.gitignore', false],
  ['.gitignore/a', false],
  ['.gitkeep', false],
])('%s is a rule file: %s', (path, expected) => {
  expect(isRuleFile(path)).toBe(expected);
});

describe('selectPutBack', () => {
  const ours = 'app/.runner/';
  const before = new Set(['a', 'gone', `${ours}GOAL.md`, `${ours}gone.md`]);
  const after = new Set(['a', 'new', `${ours}GOAL.md`, `${ours}new.md`]);
  const changed = ['a', `${ours}GOAL.md`, `${ours}gone.md`, `${ours}new.md`, 'gone', 'new'];

  test('everything, when the guard has just run', () => {
    expect(selectPutBack({ changed, before, after, ours, isAfterCrash: false })).toEqual(changed);
  });

  test("after a crash all but what may be a person's", () => {
    expect(selectPutBack({ changed, before, after, ours, isAfterCrash: true })).toEqual([
      'a',
      `${ours}gone.md`,
      'gone',
      'new',
    ]);
  });

  test('after a crash nothing that stands in .runner/ is chosen, and everything outside is', () => {
    const paths = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd').map((name) => name));
    fc.assert(
      fc.property(paths, paths, (old, now) => {
        const [was, is] = [old, now].map(
          (names) => new Set(names.flatMap((name) => [name, `${ours}${name}`])),
        );
        const all = [...new Set([...(was ?? []), ...(is ?? [])])];
        const chosen = selectPutBack({
          changed: all,
          before: was ?? new Set(),
          after: is ?? new Set(),
          ours,
          isAfterCrash: true,
        });
        expect(all.filter((path) => !path.startsWith(ours)).every((path) => chosen.includes(path))).toBe(
          true,
        );
        expect(chosen.filter((path) => path.startsWith(ours) && is?.has(path) === true)).toEqual([]);
      }),
    );
  });
});

describe('renderPutBack', () => {
  const base = {
    paths: [],
    left: [],
    before: new Set(['a.txt', 'src/b']),
    ours: '.runner/',
    kept: 'ref',
    prefix: '',
  };

  test('nothing to tell', () => {
    expect(renderPutBack(base)).toEqual([]);
  });

  test('changed, new and left files, each with what was done', () => {
    const texts = renderPutBack({
      ...base,
      paths: ['.runner/x', 'a.txt', 'build/x', 'build/y'],
      left: ['sub'],
    });
    expect(texts).toEqual([
      'the guard changed ".runner/x", "a.txt": put back, its version is kept as ref',
      expect.stringMatching(
        /^the guard made "build\/x", "build\/y": removed, and kept as ref\. .*: echo 'build\/' >> \.gitignore && /u,
      ),
      'the guard changed "sub", which could not be put back: see git status',
    ]);
  });

  test('without an ignore line when none helps', () => {
    expect(renderPutBack({ ...base, paths: ['src'] })).toEqual([
      'the guard made "src": removed, and kept as ref. An iteration would commit them as work',
    ]);
  });

  test('a long list is cut', () => {
    const paths = Array.from({ length: 25 }, (_, k) => `.runner/${k}`);
    expect(renderPutBack({ ...base, paths })[0]).toContain('".runner/19", and 5 more: put back');
  });
});

describe('renderCloneWarning', () => {
  const warn = (
    checkout: Config['guard']['checkout'],
    end: Parameters<typeof renderCloneWarning>[0],
  ): string =>
    renderCloneWarning(end, { config: { ...config, guard: { ...config.guard, checkout } }, run_id: 'r' });
  const failed = { kind: 'failed', reason: 'exit code 1', output: 'error: no deps\n' } as const;

  test('names the first error, the log and the setting that helps', () => {
    expect(warn('auto', failed)).toBe(
      'the guard is green here but red in a fresh clone: exit code 1 (error: no deps) (see .runner/iterations/r/0/guard.clone.log). If it needs files that git ignores, name the commands that make them: runner config set automation.setup \'["npm ci"]\'; until then guard.checkout = "auto" is "off"',
    );
  });

  test('commands of setup that fail are to be corrected, not named again', () => {
    const text = warn('auto', { ...failed, reason: 'setup failed: "npm ci" ended with exit code 1' });
    expect(text).toContain('to see and correct them: runner config get automation.setup; until then');
    expect(text).not.toContain('config set');
  });

  test.each([
    ['every', 'until then guard.checkout = "every" lets no node pass'],
    ['final', 'until then guard.checkout = "final" does not let the root pass'],
  ] as const)('%s says what it means', (checkout, text) => {
    expect(warn(checkout, failed)).toContain(text);
  });

  test('without a clone there is only the reason', () => {
    expect(warn('auto', { kind: 'not_made', reason: 'disk full' })).toBe(
      'no fresh clone could be made for the guard: disk full',
    );
  });
});

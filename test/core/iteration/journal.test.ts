import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { parseConfig } from '../../../src/core/config/config.ts';
import { failureKinds } from '../../../src/core/agents/failure.ts';
import { parseJournal } from '../../../src/core/iteration/journal.ts';
import { renderJournal } from '../../../src/core/iteration/journal-text.ts';
import { defaultRunState } from '../../../src/core/iteration/run-state.ts';
import type {
  AnyJournal,
  GuardRun,
  JournalBase,
  ReviewRun,
  SessionFacts,
} from '../../../src/core/agents/session.ts';
import type { Config } from '../../../src/core/types.ts';

function defaultConfig(): Config {
  const parsed = parseConfig({ agent: { name: 'scripted', script: 's.json' } });
  if (!parsed.ok) throw new Error('the config of this test is not valid');
  return parsed.config;
}

const base: JournalBase = {
  version: 1,
  kind: 'iteration',
  run_id: 'r',
  iter: 3,
  node_id: 'root',
  node_path: 'root',
  purpose: 'execute',
  branch: 'runner/r',
  baseline: 'b'.repeat(40),
  baseline_tree: 't'.repeat(40),
  prefix: '',
  cookie: 'c',
  config: defaultConfig(),
  run_state: { ...defaultRunState, run_id: 'r', next_iter: 3 },
  agent: { name: 'scripted', version: null, model: null, effort: null },
  started_at: '2026-01-01T00:00:00.000Z',
  prompt_sha256: 'p',
  task_sha256: 't',
  prompt_cut: [{ section: 'Path', bytes: 12 }],
  dirty_submodules_before: [],
};

const session: SessionFacts = {
  end: { kind: 'exited' },
  answer: { kind: 'text', text: '{"status":"done"}' },
  exit_code: 0,
  duration_ms: 12.5,
  usage: { input_tokens: 10, cached_input_tokens: 4, output_tokens: null, cost_usd: 0.25 },
  denials: ['git push'],
  leftovers: ['sleep 9'],
  head: 'h',
  notes: ['n'],
  protected_paths: ['p'],
  dirty_submodules: ['s'],
  agent_tree: { kind: 'missing' },
  sessions: 2,
  waited_secs: 15,
};

const review: ReviewRun = {
  end: { kind: 'exited' },
  answer: { kind: 'text', text: '{"verdict":"pass","findings":[]}' },
  exit_code: 0,
  duration_ms: 7,
  usage: { input_tokens: null, cached_input_tokens: null, output_tokens: null, cost_usd: null },
  denials: [],
  agent: { name: 'claude', version: '2.1.325', model: null, effort: null },
  waited_secs: 0,
};

const guard: GuardRun = {
  end: { kind: 'failed', reason: 'exit code 1' },
  exit_code: 1,
  duration_ms: 3,
  output: 'boom',
  log_sha256: 'l',
};

const verdict = { session, work_tree: 'w', guard, review: null, cut_offs: 0, control: 'b' } as const;

const entries: readonly AnyJournal[] = [
  { version: 1, kind: 'start', run_id: 'r', branch: 'runner/r', commit: 'c' },
  {
    version: 1,
    kind: 'baseline',
    run_id: 'r',
    branch: 'main',
    head: 'h',
    prefix: 'app/',
    cookie: 'c',
    whole_tree: 'w',
  },
  { ...base, phase: 'agent' },
  { ...base, phase: 'ended', session },
  {
    ...base,
    phase: 'ended',
    session: { ...session, end: { kind: 'interrupted', signal: 'SIGHUP' }, exit_code: null },
  },
  { ...base, phase: 'ended', session: { ...session, end: { kind: 'out_of_time', seconds: 1.5 } } },
  ...failureKinds.flatMap((failure): AnyJournal[] => [
    {
      ...base,
      phase: 'ended',
      session: { ...session, end: { kind: 'blocked', failure, reason: 'r', fix: 'f' } },
    },
    { ...base, phase: 'ended', session: { ...session, end: { kind: 'failed', failure, reason: 'r' } } },
  ]),
  { ...base, phase: 'ended', session: { ...session, end: { kind: 'undone' } } },
  { ...base, phase: 'ended', session: { ...session, answer: { kind: 'unreadable', message: 'm' } } },
  { ...base, phase: 'ended', session: { ...session, answer: { kind: 'too_large', bytes: 9, bytesMax: 3 } } },
  { ...base, phase: 'guard', session, work_tree: 'w', check: 'ratchet', cut_offs: 1 },
  { ...base, phase: 'guard', session, work_tree: 'w', check: 'clone', cut_offs: 1 },
  { ...base, phase: 'review', session, work_tree: 'w', cut_offs: 0, whole_tree: 'x' },
  { ...base, phase: 'persisting', ...verdict },
  { ...base, phase: 'persisting', ...verdict, review },
  {
    ...base,
    phase: 'persisting',
    ...verdict,
    review: { ...review, end: { kind: 'failed', failure: 'crashed', reason: 'r' }, exit_code: 2 },
  },
  { ...base, phase: 'persisting', ...verdict, guard: null },
  { ...base, phase: 'persisting', ...verdict, guard: { ...guard, end: { kind: 'passed' }, exit_code: 0 } },
  {
    ...base,
    phase: 'persisting',
    ...verdict,
    guard: { ...guard, end: { kind: 'not_started', reason: 'r' } },
  },
  { ...base, phase: 'persisting', ...verdict, guard: { ...guard, end: { kind: 'out_of_time', seconds: 2 } } },
  {
    ...base,
    phase: 'persisting',
    ...verdict,
    guard: { ...guard, end: { kind: 'interrupted', signal: 'SIGINT' } },
  },
  {
    ...base,
    phase: 'persisting',
    ...verdict,
    guard: { ...guard, end: { kind: 'cut_off' }, log_sha256: null },
  },
];

test.each(entries.map((entry, index) => [index, entry] as const))('entry %i reads back equal', (_, entry) => {
  const stash = 'a'.repeat(64);
  expect(parseJournal(`${renderJournal({ entry, stash })}\n`)).toEqual({ ok: true, entry, stash });
  expect(parseJournal(`${renderJournal({ entry, stash: null })}\n`)).toEqual({
    ok: true,
    entry,
    stash: null,
  });
});

describe('problems', () => {
  const endedJournal = (fields: object): string =>
    JSON.stringify({ stash: null, entry: { ...base, phase: 'ended', session: { ...session, ...fields } } });

  test.each([
    ['{', /^line 1, column 2: /],
    ['null', /./],
    ['{"stash":"../x","entry":{}}', /^entry/],
    [JSON.stringify({ stash: '../x', entry: { ...base, phase: 'agent' } }), /^stash: /],
    [JSON.stringify({ stash: null, entry: { kind: 'other' } }), /^entry\.kind: /],
    [JSON.stringify({ stash: null, entry: { ...base, phase: 'agent', version: 2 } }), /^entry\.version: /],
    [JSON.stringify({ stash: null, entry: { ...base, phase: 'dreaming' } }), /^entry\.phase: /],
    [JSON.stringify({ stash: null, entry: { ...base, phase: 'agent', more: 1 } }), /more/],
    [JSON.stringify({ stash: null, entry: { ...base, phase: 'ended' } }), /^entry\.session: /],
    [endedJournal({ usage: undefined }), /^entry\.session\.usage: /],
    [endedJournal({ usage: { ...session.usage, cost_usd: -1 } }), /^entry\.session\.usage\.cost_usd: /],
    [endedJournal({ end: { kind: 'failed', reason: 'r' } }), /^entry\.session\.end\.failure: /],
    [endedJournal({ end: { kind: 'unavailable' } }), /^entry\.session\.end\.kind: /],
    [endedJournal({ sessions: 0 }), /^entry\.session\.sessions: /],
    [endedJournal({ waited_secs: -1 }), /^entry\.session\.waited_secs: /],
    [
      JSON.stringify({ stash: null, entry: { ...base, phase: 'persisting', ...verdict, review: undefined } }),
      /^entry\.review: /,
    ],
    [
      JSON.stringify({
        stash: null,
        entry: {
          ...base,
          phase: 'review',
          session,
          work_tree: 'w',
          cut_offs: -1,
          whole_tree: '',
        },
      }),
      /^entry\.cut_offs: /,
    ],
    [
      JSON.stringify({
        stash: null,
        entry: { ...base, phase: 'agent', config: { ...base.config, max_iterations: 0 } },
      }),
      /^entry\.config\.max_iterations: must be/,
    ],
    [
      JSON.stringify({ stash: null, entry: { ...base, phase: 'agent', config: undefined } }),
      /^entry\.config: /,
    ],
  ])('%#', (text, expected) => {
    const parsed = parseJournal(`${text}\n`);
    expect(parsed?.ok === false ? parsed.problems[0] : '').toMatch(expected);
  });

  test('they are those of the newest line, told with its number', () => {
    const text = `{"old":\n\n{"new"\n{"torn`;
    expect(parseJournal(text)).toMatchObject({
      ok: false,
      problems: [expect.stringMatching(/^line 3, column 7: /)],
    });
  });
});

describe('lines', () => {
  const render = (entry: AnyJournal): string => `${renderJournal({ entry, stash: null })}\n`;

  test('nothing, and what was never finished, is no entry', () => {
    expect(parseJournal('')).toBeNull();
    expect(parseJournal('\n\n')).toBeNull();
    expect(parseJournal('{"stash":null,"entry":{"ver')).toBeNull();
  });

  test('a whole entry that is refused is never passed over: what it announces may have been done', () => {
    const older = entries[0] as AnyJournal;
    const newer = JSON.stringify({ stash: null, entry: { ...older, version: 2 } });
    expect(parseJournal(`${render(older)}${newer}\n`)).toMatchObject({ ok: false });
    expect(parseJournal(`${render(older)}{"stash":null,"stash":null}\n`)).toMatchObject({
      ok: false,
      problems: [expect.stringMatching(/^line 2, /)],
    });
  });

  test('wherever the last line is cut, the newest whole entry counts', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...entries), { minLength: 2, maxLength: 5 }),
        fc.nat(),
        fc.boolean(),
        (written, cut, isGarbled) => {
          const whole = written.slice(0, -1).map(render);
          const last = render(written.at(-1) as AnyJournal);
          // A crash may also leave the room for a line without what belongs there.
          const end = cut % last.length;
          const torn = isGarbled ? `${last.slice(0, end)}\0\n` : last.slice(0, end);
          expect(parseJournal(`${whole.join('\n')}${torn}`)).toEqual({
            ok: true,
            entry: written.at(-2),
            stash: null,
          });
        },
      ),
    );
  });
});

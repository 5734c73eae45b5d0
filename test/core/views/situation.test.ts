import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunNote } from '../../../src/core/runs/run-note.ts';
import type { OpenIteration } from '../../../src/core/views/overview.ts';
import { describeRefusal, describeSituation } from '../../../src/core/views/situation.ts';
import type { SituationInput } from '../../../src/core/views/situation.ts';
import { node } from '../../support/trees.ts';

const at = '2026-11-18T10:00:00.000Z';
const base = { version: 1, run_id: 'slugs', prefix: '', at } as const;
const holder = { command: 'runner loop', pid: 7, started_at: '2026-11-18T09:00:00.000Z', is_here: true };
const working: RunNote = { ...base, kind: 'working', waited_ms: 0 };
const waiting: RunNote = {
  ...base,
  kind: 'waiting',
  until: '2026-11-18T11:00:00Z',
  reason: 'claude: 529 {"type":"error"}',
  agent: 'claude',
  failure: 'overloaded',
  waited_ms: 15_000,
};
const ended = (over: Partial<Extract<RunNote, { kind: 'ended' }>>): RunNote => ({
  ...base,
  kind: 'ended',
  state: 'stopped',
  code: 'AGENT_BLOCKED',
  sentence: 'codex is not logged in',
  hint: 'codex login (or set CODEX_API_KEY)',
  details: [],
  ...over,
});
const open = (phase: OpenIteration['phase']): OpenIteration => ({
  run_id: 'slugs',
  iter: 3,
  node_id: 'root.1',
  node_path: 'root/root.1',
  purpose: 'execute',
  phase,
  started_at: '2026-11-18T09:30:00.000Z',
});
const rest: SituationInput = {
  run_id: 'slugs',
  hasGoal: true,
  holder: null,
  iteration: null,
  title: 'Unique slugs',
  note: null,
  isPausing: false,
  isClean: true,
  end: null,
  fit: (hint) => hint,
};
const told = (over: Partial<SituationInput>) => {
  const { state, title, sentence, hint, since, until } = describeSituation({ ...rest, ...over });
  return [state, title, sentence, hint, since, until];
};

describe('somebody is at work', () => {
  test.each([
    ['agent', 'the agent works on'],
    ['ended', 'collecting the work on'],
    ['guard', 'the guard checks'],
    ['review', 'the reviewer reads'],
    ['persisting', 'recording'],
  ] as const)('%s', (phase, words) => {
    const iteration = open(phase);
    const sentence = `iteration 3: ${words} "Unique slugs"`;
    const since = iteration.started_at;
    expect(told({ holder, iteration, note: working })).toEqual([
      'working',
      'Working',
      sentence,
      '',
      since,
      null,
    ]);
  });

  test('between two iterations, here or elsewhere', () => {
    const since = holder.started_at;
    expect(told({ holder })).toEqual([
      'working',
      'Working',
      'runner loop is at work (pid 7)',
      '',
      since,
      null,
    ]);
    expect(told({ holder: { ...holder, is_here: false } })[2]).toBe(
      'runner loop is at work (pid 7 on another host or in another container)',
    );
  });

  test('waiting: until when, and why', () => {
    const found = describeSituation({ ...rest, holder, iteration: open('agent'), note: waiting });
    expect(found).toEqual({
      state: 'waiting',
      title: 'Waiting',
      sentence: 'the service of claude is overloaded',
      code: null,
      hint: '',
      commands: [],
      since: at,
      until: '2026-11-18T11:00:00Z',
      details: ['claude: 529 {"type":"error"}'],
      is_pausing: false,
      waited_ms: 15_000,
    });
  });

  test('an agent that says nothing has no details', () => {
    const found = describeSituation({ ...rest, holder, note: { ...waiting, reason: '' } });
    expect(found).toMatchObject({ state: 'waiting', details: [] });
  });

  test.each([
    ['rate_limited', 'claude', 'the service of claude is not taking requests right now'],
    ['network', 'claude', 'the service of claude cannot be reached'],
    ['network', null, 'the service of the agent cannot be reached'],
    ['crashed', 'claude', 'the agent is not available'],
    [null, null, 'the agent is not available'],
  ] as const)('waiting, by its reason: %s', (failure, agent, sentence) => {
    const note: RunNote = { ...waiting, failure, agent };
    expect(told({ holder, iteration: open('agent'), note })[2]).toBe(sentence);
  });

  test('waits of the open iteration are no part of its time; those of an earlier one are not its own', () => {
    const waited = (iteration: OpenIteration | null, note: RunNote | null): number =>
      describeSituation({ ...rest, holder, iteration, note }).waited_ms;
    const later = { ...open('guard'), started_at: '2026-11-18T10:00:00.001Z' };
    expect(waited(open('guard'), { ...working, waited_ms: 60_000 })).toBe(60_000);
    expect(waited(later, { ...working, waited_ms: 60_000 })).toBe(0);
    expect(waited(null, { ...working, waited_ms: 60_000 })).toBe(0);
    expect(waited(open('guard'), ended({}))).toBe(0);
    expect(waited(open('guard'), null)).toBe(0);
  });

  test('a pause that was asked for is told', () => {
    const pausing = (over: Partial<SituationInput>): readonly unknown[] => {
      const { state, title, sentence, is_pausing } = describeSituation({ ...rest, isPausing: true, ...over });
      return [state, title, sentence, is_pausing];
    };
    expect(pausing({ holder, iteration: open('agent'), note: working })).toEqual([
      'working',
      'Pausing',
      'iteration 3: the agent works on "Unique slugs"; it pauses after this iteration',
      true,
    ]);
    expect(pausing({ holder })[2]).toBe('runner loop is at work (pid 7); it pauses next');
    expect(pausing({ holder, iteration: open('agent'), note: waiting })).toEqual([
      'waiting',
      'Pausing',
      'the service of claude is overloaded; it pauses now',
      true,
    ]);
    // Nobody is there to pause.
    expect(pausing({})).toEqual(['ready', 'Ready', 'no runner is running; next: Unique slugs', false]);
  });

  test('how an earlier one ended does not matter', () => {
    expect(told({ holder, iteration: open('agent'), note: ended({}) })[0]).toBe('working');
  });
});

describe('nobody is at work', () => {
  test('before a run', () => {
    const sentence = 'no run was started here';
    expect(told({ run_id: null })).toEqual(['fresh', 'No run yet', sentence, 'runner start', null, null]);
    const [state, title, , hint] = told({ run_id: null, hasGoal: false });
    const first = 'describe the goal in .runner/GOAL.md, then: runner start';
    expect([state, title, hint]).toEqual(['fresh', 'No goal yet', first]);
  });

  test.each([
    ['agent', 'the agent was at work'],
    ['ended', 'the work was being collected'],
    ['guard', 'the guard was running'],
    ['review', 'the review was running'],
    ['persisting', 'it was being recorded'],
  ] as const)('an open iteration: %s', (phase, words) => {
    const sentence = `the runner ended in iteration 3 while ${words}; runner loop finishes it`;
    const since = '2026-11-18T09:30:00.000Z';
    expect(told({ iteration: open(phase), note: working })).toEqual([
      'crashed',
      'Crashed',
      sentence,
      'runner loop',
      since,
      null,
    ]);
  });

  test('killed between two iterations', () => {
    const sentence = 'the runner ended between two iterations without a reason; nothing is lost';
    expect(told({ note: working })).toEqual(['crashed', 'Crashed', sentence, 'runner loop', at, null]);
  });

  test('an error: its words, its hint, and the commands in it', () => {
    const found = describeSituation({ ...rest, note: ended({}) });
    expect(found).toEqual({
      state: 'stopped',
      title: 'Stopped',
      sentence: 'codex is not logged in',
      code: 'AGENT_BLOCKED',
      hint: 'codex login (or set CODEX_API_KEY), then: runner loop',
      commands: ['codex login', 'runner loop'],
      since: at,
      until: null,
      details: [],
      is_pausing: false,
      waited_ms: 0,
    });
  });

  test.each([
    ['start claude and log in', 'start claude and log in, then: runner loop'],
    [
      'git add -A && git commit, or: git stash -u',
      'git add -A && git commit, or: git stash -u, then: runner loop',
    ],
    ['runner doctor', 'runner doctor'],
    ['runner loop', 'runner loop'],
  ])('what is done outside of the runner is not all: %s', (hint, whole) => {
    expect(told({ note: ended({ hint }) })[3]).toBe(whole);
  });

  test('paused by a person', () => {
    const note = ended({
      state: 'paused',
      code: null,
      sentence: 'paused on request',
      hint: 'runner loop',
    });
    expect(told({ note })).toEqual(['paused', 'Paused', 'paused on request', 'runner loop', at, null]);
  });

  test('nothing in the way', () => {
    const sentence = 'no runner is running; next: Unique slugs';
    expect(told({})).toEqual(['ready', 'Ready', sentence, 'runner loop', null, null]);
  });

  test.each(['ready', 'stuck', 'complete'] as const)('what is no longer so is not said: %s', (state) => {
    expect(told({ note: ended({ state }) })[0]).toBe('ready');
  });

  test('a limit of a flag is told; one of the file was raised since', () => {
    const hint = 'set --max-iterations to at least 4, or remove it: it overrides the file';
    expect(told({ note: ended({ state: 'limit', hint }) }).slice(0, 2)).toEqual(['limit', 'Limit reached']);
    expect(told({ note: ended({ state: 'limit', hint: 'runner config set max_iterations 4' }) })[0]).toBe(
      'ready',
    );
  });

  test('a work tree that was not clean: what is changed, until it is clean', () => {
    const note = ended({
      code: 'GIT_DIRTY',
      sentence: 'the work tree is not clean',
      details: ['?? "a"\u001b[2J'],
    });
    expect(describeSituation({ ...rest, note, isClean: false })).toMatchObject({
      state: 'stopped',
      sentence: 'the work tree is not clean',
      details: ['?? "a"'],
    });
    expect(told({ note })[0]).toBe('ready');
    expect(told({ note: ended({}) })[0], 'no other reason goes by itself').toBe('stopped');
  });

  test('of another run nothing is said', () => {
    expect(told({ note: ended({ run_id: 'other' }) })[0]).toBe('ready');
  });
});

describe('what tree and limits say now comes first', () => {
  const leaf = { node: node('root.2', { title: 'Unique slugs' }), path: 'root/root.2' };
  test.each([
    [{ kind: 'complete' }, 'complete', 'runner finish slugs'],
    [{ kind: 'stuck', leaf }, 'stuck', 'runner explain, then: runner retry root.2, then: runner loop'],
    [
      { kind: 'limit', next_iter: 3, max_iterations: 2 },
      'limit',
      'runner config set max_iterations 4, then: runner loop',
    ],
  ] as const)('%j', (end, state, hint) => {
    const found = told({ end: { ...end, run_id: 'slugs' }, note: ended({ code: 'GIT_DIRTY' }) });
    expect([found[0], found[3]]).toEqual([state, hint]);
  });

  test.each(['PUSH_FAILED', 'PUSH_REJECTED'] as const)(
    'but a branch that did not get through is told: %s',
    (code) => {
      const hint = 'git push origin runner/slugs';
      const found = told({ end: { kind: 'complete', run_id: 'slugs' }, note: ended({ code, hint }) });
      // Nothing is left to go on with.
      expect([found[0], found[3]]).toEqual(['stopped', hint]);
    },
  );
});

test('nothing in a note acts', () => {
  const found = describeSituation({
    ...rest,
    note: ended({ sentence: 'a\u001b[2Jb', hint: 'runner loop\nrm -rf /' }),
  });
  expect(found.sentence).not.toContain('\u001b');
  expect([found.hint, ...found.commands].join('')).not.toContain('\n');
});

test('a hint is made to fit the settings', () => {
  const fit = (): string => 'set --max-iterations to at least 4';
  expect(describeSituation({ ...rest, fit }).hint).toBe('set --max-iterations to at least 4');
});

test('every situation has a sentence, and every rest a way on', () => {
  const note = fc.constantFrom(
    null,
    working,
    ended({}),
    ended({ state: 'ready' }),
    ended({ state: 'paused' }),
  );
  fc.assert(
    fc.property(
      note,
      fc.constantFrom(null, holder),
      fc.constantFrom(null, open('agent'), open('persisting')),
      fc.constantFrom(null, 'slugs'),
      (one, who, iteration, run_id) => {
        const found = describeSituation({ ...rest, note: one, holder: who, iteration, run_id });
        expect(found.sentence).not.toBe('');
        expect(found.hint === '').toBe(who !== null);
      },
    ),
  );
});

test('what stands in the way of every command', () => {
  const hint = 'solve them, then: git add -A && git commit; or undo the merge: git reset --merge';
  const message = 'git stopped at conflicts that are not solved: "a\\u001b.txt"';
  expect(describeRefusal({ code: 'GIT_CONFLICT', message, hint })).toMatchObject({
    state: 'stopped',
    title: 'Stopped',
    sentence: message,
    code: 'GIT_CONFLICT',
    hint,
    until: null,
  });
});

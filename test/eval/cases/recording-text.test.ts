import { describe, expect, test } from 'vitest';

import {
  idleScript,
  parseRecording,
  playedExit,
  replayMisses,
  replayScript,
} from '../../../src/eval/cases/recording-text.ts';
import type { Recording } from '../../../src/eval/cases/recording-text.ts';
import { parseScript } from '../../../src/core/agents/script.ts';

const hash = (letter: string): string => letter.repeat(64);

const recording: Recording = {
  version: 1,
  case_id: 'a',
  variant: 'oracle',
  repeat: 1,
  recorded_at: '2026-01-01T00:00:00.000Z',
  runner_version: '1.0.0',
  iterations: [
    { iter: 1, prompt_sha256: hash('a'), answer: 'x', exit_code: 0, tree: '{', patch: '1.patch' },
    { iter: 2, prompt_sha256: hash('b'), answer: null, exit_code: 7, tree: null, patch: null },
    { iter: 3, prompt_sha256: hash('c'), answer: '', exit_code: 0, tree: false, patch: null },
  ],
};

function parse(value: unknown): string {
  const parsed = parseRecording({ kind: 'text', text: JSON.stringify(value) });
  return parsed.ok ? 'ok' : parsed.message;
}

describe('parseRecording', () => {
  test('takes a recording as it is', () => {
    expect(parseRecording({ kind: 'text', text: JSON.stringify(recording) })).toEqual({
      ok: true,
      recording,
    });
  });

  test.each([
    [{ kind: 'missing' } as const, 'there is no recording'],
    [{ kind: 'unreadable', message: 'is a folder' } as const, 'is a folder'],
    [{ kind: 'too_large', bytes: 9, bytesMax: 5 } as const, 'it has 9 bytes'],
    [{ kind: 'text', text: '{,' } as const, /^line 1, column 2: /],
    [{ kind: 'text', text: '[]' } as const, /object/],
  ])('%j', (source, message) => {
    const parsed = parseRecording(source);
    expect(parsed.ok ? '' : parsed.message).toMatch(message);
  });

  test('what is not a recording is refused', () => {
    const [first, second] = recording.iterations;
    expect(parse({ ...recording, iterations: [] })).toMatch(/^iterations: /);
    expect(parse({ ...recording, iterations: [{ ...first, patch: '../1.patch' }] })).toMatch(
      /^iterations\.0\.patch: /,
    );
    expect(parse({ ...recording, more: 1 })).toContain('more');
    expect(parse({ ...recording, iterations: [second] })).toBe('the iterations are not numbered from 1 on');
  });
});

test('the script does what the sessions did', () => {
  const script = replayScript(recording, (name) => `/r/${name}`);
  expect(script.steps).toEqual([
    {
      note: 'iteration 1',
      actions: [{ apply_patch: '/r/1.patch' }, { tree: { text: '{' } }],
      answer: 'x',
    },
    { note: 'iteration 2', actions: [{ exit: 7 }], answer: null },
    { note: 'iteration 3', actions: [{ delete: '.runner/state/tree.json' }], answer: '' },
  ]);
  expect(parseScript({ kind: 'text', text: JSON.stringify(script) })).toMatchObject({ ok: true });
});

test('the idle script answers as often as it is asked', () => {
  const script = idleScript(2);
  expect(script.steps).toHaveLength(2);
  expect(script.steps[1]).toEqual({
    actions: [],
    answer: { status: 'done', summary: 'did nothing', children: null },
  });
  expect(parseScript({ kind: 'text', text: JSON.stringify(script) })).toMatchObject({ ok: true });
});

test.each([
  ['the same prompts', [hash('a'), hash('b'), hash('c')], []],
  ['fewer iterations', [hash('a')], []],
  ['another prompt', [hash('a'), hash('x'), hash('c')], [2]],
  ['a prompt that is not known', ['', hash('b')], [1]],
  ['more iterations than recorded', [hash('a'), hash('b'), hash('c'), hash('d')], [4]],
])('misses: %s', (_name, prompts, expected) => {
  expect(replayMisses(recording, prompts)).toEqual(expected);
});

test.each([
  [null, 0, 0],
  [null, 7, 7],
  ['malformed', 0, 0],
  ['crashed', 7, 7],
  ['crashed', 0, 1],
  ['timed_out', null, 1],
] as const)('an agent with failure %s and exit code %s is played with %s', (failure, agent, expected) => {
  expect(playedExit({ failure, exit_codes: { agent, guard: null } })).toBe(expected);
});

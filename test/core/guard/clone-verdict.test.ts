/** §14: what a run in a clone means for a guard that was green in place. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  cloneEndOf,
  counterfactualOf,
  renderFailure,
  withClone,
  withCounterfactual,
} from '../../../src/core/guard/clone-verdict.ts';
import type { CloneEnd, Counterfactual } from '../../../src/core/guard/clone-verdict.ts';
import { guardWith } from '../../support/facts.ts';

const place = guardWith({ kind: 'passed' });

describe('cloneEndOf', () => {
  test.each([
    [{ kind: 'passed' }, { kind: 'passed' }],
    [
      { kind: 'interrupted', signal: 'SIGINT' },
      { kind: 'interrupted', signal: 'SIGINT' },
    ],
    [
      { kind: 'failed', reason: 'exit code 1' },
      { kind: 'failed', reason: 'exit code 1', output: 'o' },
    ],
    [
      { kind: 'out_of_time', seconds: 9 },
      { kind: 'failed', reason: 'the guard ran out of time after 9 s (iteration_timeout_secs)', output: 'o' },
    ],
    [
      { kind: 'not_started', reason: 'gone' },
      { kind: 'failed', reason: 'the guard could not be started: gone', output: 'o' },
    ],
  ] as const)('%j', (end, expected) => {
    expect(cloneEndOf(end, 'o')).toEqual(expected);
  });
});

describe('withClone', () => {
  test('green in both places is green', () => {
    expect(withClone(place, { kind: 'passed' }, ['x'])).toBe(place);
  });

  test('red there is a fail of the clone, with the files that no commit has', () => {
    const run = withClone(place, { kind: 'failed', reason: 'exit code 1', output: 'boom' }, [
      'deps/',
      'b\nc',
    ]);
    expect(run.end).toEqual({
      kind: 'failed',
      by: 'clone',
      reason: 'green in place, red in a fresh checkout: exit code 1',
    });
    expect(run.output).toBe(
      'The work tree has these files, but no commit does (they are ignored, or git cannot store them), so a fresh checkout lacks them: "deps/", "b\\nc"\n\nboom',
    );
    expect(withClone(place, { kind: 'failed', reason: 'r', output: 'boom' }, []).output).toBe('boom');
  });

  test('without a clone, or interrupted, there is no pass either', () => {
    expect(withClone(place, { kind: 'not_made', reason: 'disk full' }, []).end).toEqual({
      kind: 'not_started',
      reason:
        'the fresh clone for the guard could not be made: disk full; runner config set guard.checkout off goes on without it',
    });
    expect(withClone(place, { kind: 'interrupted', signal: 'SIGTERM' }, []).end.kind).toBe('interrupted');
  });

  test('a clone never gives a pass', () => {
    const ends: readonly CloneEnd[] = [
      { kind: 'passed' },
      { kind: 'failed', reason: '', output: '' },
      { kind: 'not_made', reason: '' },
      { kind: 'interrupted', signal: 'SIGINT' },
    ];
    const red = guardWith({ kind: 'failed', reason: 'red' });
    fc.assert(
      fc.property(fc.constantFrom(...ends), fc.array(fc.string()), (end, missing) => {
        expect(withClone(red, end, missing).end.kind).not.toBe('passed');
        expect(withClone(place, end, missing).end.kind === 'passed').toBe(end.kind === 'passed');
      }),
    );
  });
});

describe('renderFailure', () => {
  test.each([
    ['', 'r'],
    ['\n \n', 'r'],
    ['one\ntwo\n', 'r (two)'],
    ['one\n\u001B[31mError: x\u001B[0m\nfailed later\n', 'r (Error: x)'],
    ['sh: deps: not found\nlast', 'r (sh: deps: not found)'],
  ])('%j', (output, shown) => {
    expect(renderFailure({ reason: 'r', output })).toBe(shown);
  });
});

describe('withCounterfactual', () => {
  const recorded = { isRequired: false };
  const required = { isRequired: true };

  test.each<Counterfactual>(['red', 'n/a', 'unknown', 'green'])('%s is recorded', (found) => {
    expect(withCounterfactual(place, found, recorded)).toEqual({ ...place, counterfactual: found });
  });

  test.each<Counterfactual>(['red', 'n/a', 'unknown'])('%s passes where it is required', (found) => {
    expect(withCounterfactual(place, found, required).end).toEqual({ kind: 'passed' });
  });

  test('green fails where red is required', () => {
    const { end, counterfactual } = withCounterfactual(place, 'green', required);
    expect(end).toMatchObject({ kind: 'failed', by: 'counterfactual' });
    expect(counterfactual).toBe('green');
  });

  test('interrupted is interrupted', () => {
    const end = { kind: 'interrupted', signal: 'SIGHUP' } as const;
    expect(withCounterfactual(place, end, required)).toEqual({ ...place, end });
  });
});

test.each([
  [{ kind: 'passed' }, 'green'],
  [{ kind: 'failed', reason: '', output: '' }, 'red'],
  [{ kind: 'not_made', reason: '' }, 'unknown'],
] as const)('the guard without the change: %j is %s', (end, found) => {
  expect(counterfactualOf(end)).toBe(found);
});

import { describe, expect, test } from 'vitest';
import { assert, errorCodes, RunnerError } from '../../src/core/errors.ts';

describe('RunnerError', () => {
  test('carries code, hint, details and cause', () => {
    const cause = new Error('below');
    const error = new RunnerError({
      code: 'GIT_DIRTY',
      message: 'the work tree is not clean',
      hint: 'git stash',
      details: ['a', 'b'],
      cause,
    });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: 'RunnerError',
      code: 'GIT_DIRTY',
      message: 'the work tree is not clean',
      hint: 'git stash',
      details: ['a', 'b'],
      cause,
    });
  });

  test('has no cause, no details and no signal when none are given', () => {
    const error = new RunnerError({ code: 'USAGE', message: 'm', hint: 'h' });
    expect(error.details).toEqual([]);
    expect(error.signal).toBeNull();
    const stopped = new RunnerError({ code: 'INTERRUPTED', message: 'm', hint: 'h', signal: 'SIGHUP' });
    expect(stopped.signal).toBe('SIGHUP');
    expect(Object.hasOwn(error, 'cause')).toBe(false);
  });

  test('with another hint it is the same in all else', () => {
    const error = new RunnerError({
      code: 'INTERRUPTED',
      message: 'm',
      hint: 'h',
      details: ['d'],
      signal: 'SIGHUP',
    });
    const { code, message, details, signal, hint, cause } = error.withHint('other');
    expect({ code, message, details, signal, hint, cause }).toEqual({
      code: 'INTERRUPTED',
      message: 'm',
      details: ['d'],
      signal: 'SIGHUP',
      hint: 'other',
      cause: error,
    });
    expect(new RunnerError({ code: 'USAGE', message: 'm', hint: 'h' }).withHint('x').signal).toBeNull();
  });

  test('the least value that helps, where there is one', () => {
    const init = { code: 'ITERATION_LIMIT', message: 'm', hint: 'h' } as const;
    expect([new RunnerError({ ...init, least: 11 }).least, new RunnerError(init).least]).toEqual([11, null]);
  });

  test('a hint is never empty', () => {
    const error = new RunnerError({ code: 'DISK', message: 'm', hint: ' ' });
    expect(error.hint).toBe('runner explain DISK');
  });

  test('codes are unique and in capitals', () => {
    expect(new Set(errorCodes).size).toBe(errorCodes.length);
    expect(errorCodes.filter((code) => !/^[A-Z]+(?:_[A-Z]+)*$/.test(code))).toEqual([]);
  });
});

describe('assert', () => {
  test('lets a true condition pass', () => {
    expect(() => assert(true, 'never seen')).not.toThrow();
  });

  test('turns a broken assumption into INTERNAL with a hint', () => {
    const broken = (): void => assert(false, 'the leaf is there');
    expect(broken).toThrow(RunnerError);
    expect(broken).toThrow('broken invariant: the leaf is there');
    expect(broken).toThrow(
      expect.objectContaining({ code: 'INTERNAL', hint: expect.stringContaining('report') }),
    );
  });
});

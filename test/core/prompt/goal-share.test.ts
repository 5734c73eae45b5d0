import { describe, expect, test } from 'vitest';
import { checkGoalShare, goalText } from '../../../src/core/prompt/goal-share.ts';

test('the goal as the prompt has it', () => {
  expect(goalText('\r\nA\u001b[31m b\r\n\n')).toBe('A b');
});

describe('checkGoalShare', () => {
  test('12,000 bytes with the default budget or less, and what a larger one adds', () => {
    const long = (bytes: number): string => `${'x'.repeat(bytes)}\n`;
    expect(checkGoalShare(long(12_000), 40_000)).toBeNull();
    expect(checkGoalShare(long(12_000), 10_000)).toBeNull();
    expect(checkGoalShare(long(12_001), 10_000)).toMatchObject({
      fix: 'runner config set prompt_budget_bytes 40001',
    });
    expect(checkGoalShare(long(62_000), 90_000)).toBeNull();
    expect(checkGoalShare(long(62_001), 90_000)).toEqual({
      message:
        'GOAL.md has 62001 bytes, but its share of a prompt is 62000: its middle is left out where other sections need room',
      fix: 'runner config set prompt_budget_bytes 90001',
    });
  });

  test('what it advises helps', () => {
    const body = 'é'.repeat(30_000);
    const advised = Number(/\d+$/.exec(checkGoalShare(body, 20_000)?.fix ?? '')?.[0]);
    expect(checkGoalShare(body, advised)).toBeNull();
    expect(checkGoalShare(body, advised - 1)).not.toBeNull();
  });
});

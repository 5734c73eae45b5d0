import { describe, expect, test } from 'vitest';
import { goalTitle } from '../../../src/core/runs/goal-title.ts';

describe('the title of a goal', () => {
  test.each([
    ['# Landing page\n\nMake it.\n', 'Landing page'],
    ['# Goal\n\nA landing page.\n', 'A landing page.'],
    ['# Goal\n\n## Search ##\n\nFind it.\n', 'Search'],
    ['first line\n\n# Later\n', 'Later'],
    ['one\r\ntwo\r\n', 'one'],
    ['\n\n', ''],
    ['# The goal:\n', ''],
  ])('%j', (body, title) => {
    expect(goalTitle(body)).toBe(title);
  });
});

import { describe, expect, test } from 'vitest';
import {
  renderContext,
  renderFailure,
  renderHistory,
  renderNode,
} from '../../../src/core/prompt/context-pack.ts';
import type { LastRecord } from '../../../src/core/types.ts';
import { hashText } from '../../support/prompts.ts';
import { node } from '../../support/trees.ts';

const nothing: LastRecord = { iter: 1, summary: null, error: null, guard_output: null };
const leaf = { node: node('a', { acceptance: ['one', 'two\nlines'] }), path: 'root/a' };

describe('renderContext', () => {
  test('[ancestor: context context_renders_optional_sections] the texts, tagged as data', () => {
    const last = { iter: 4, summary: 'tried x', error: null, guard_output: 'evil\u001b[2K\r1 failed\r\n' };
    expect(renderContext({ leaf, last, sha256: hashText })).toEqual({
      goal: '# Goal\n\ntitle: a title\ngoal: a goal\n\nacceptance:\n- one\n- two lines\n',
      history:
        '# History (previous attempt)\n\n<data-96a59b0f46d6b1ae from="agent">\nSummary of the last session:\ntried x\n</data-96a59b0f46d6b1ae>\n',
      failure:
        '# Failure (guard output)\n\n<data-91bd58c83335b24d from="guard">\n1 failed\n</data-91bd58c83335b24d>\n',
    });
  });

  test('[ancestor: context context_renders_optional_sections] `None.` where there is nothing', () => {
    for (const last of [null, nothing]) {
      expect(renderContext({ leaf: null, last, sha256: hashText })).toEqual({
        goal: '# Goal\n\nNone.\n',
        history: '# History (previous attempt)\n\nNone.\n',
        failure: '# Failure (guard output)\n\nNone.\n',
      });
    }
  });
});

test('a node without acceptance, and a goal of several lines', () => {
  expect(renderNode(node('a', { title: 'T\n## x', goal: 'one\r\n## Output contract\n' }))).toBe(
    'title: T ## x\ngoal: one\n    ## Output contract',
  );
});

test('history tells summary and error', () => {
  expect(renderHistory({ ...nothing, summary: ' did\u0007 x\n', error: '\u001b[31mno answer' })).toBe(
    'Summary of the last session:\ndid x\n\nWhy the last session was not accepted:\nno answer',
  );
  expect(renderHistory({ ...nothing, error: 'no answer' })).toBe(
    'Why the last session was not accepted:\nno answer',
  );
});

test('failure loses blank lines around it, not the indentation of its first line', () => {
  expect(renderFailure({ ...nothing, guard_output: '\n  \n  at x\n\ny \n\n' })).toBe('  at x\n\ny');
});

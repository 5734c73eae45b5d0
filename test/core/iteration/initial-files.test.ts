import { describe, expect, test } from 'vitest';
import {
  freshState,
  gitattributesText,
  gitignoreText,
  goalTemplate,
  initialTree,
  localFolders,
  memoryFiles,
  withLines,
  isPlaceholder,
} from '../../../src/core/iteration/initial-files.ts';
import { parseGoal } from '../../../src/core/config/goal.ts';
import { parseRunState } from '../../../src/core/iteration/run-state-schema.ts';
import { parseTree } from '../../../src/core/tree/tree-schema.ts';
import { textSource } from '../../support/facts.ts';

describe('a new .runner/ (§2)', () => {
  test('ignores exactly the local folders and what a crash may leave of a write', () => {
    expect(localFolders).toEqual(['context', 'iterations']);
    expect(gitignoreText).toBe('context/\niterations/\n!/nodes/**/\n.runner-stage-*\n');
  });

  test('no line-ending or filter conversion', () => {
    expect(gitattributesText).toMatch(/^\* .*-text\b.*-filter\b/);
  });

  test('the first tree is one open root with the attempts of the config', () => {
    const tree = initialTree(7);
    expect(tree).toEqual({
      id: 'root',
      order: 0,
      title: 'Root',
      goal: 'Top-level goal (see .runner/GOAL.md)',
      acceptance: [],
      passes: false,
      attempts: 0,
      max_attempts: 7,
      children: [],
    });
  });

  test('the state of a new run can be read back', () => {
    const files = freshState({ runId: 'demo', maxAttempts: 4 });
    expect(Object.keys(files)).toEqual(['state/tree.json', 'state/run_state.json']);
    expect(parseTree(textSource(files['state/tree.json'] ?? ''))).toEqual({ ok: true, tree: initialTree(4) });
    expect(parseRunState(files['state/run_state.json'] ?? '')).toMatchObject({
      ok: true,
      state: { run_id: 'demo', next_iter: 1, repair: null },
    });
    expect(freshState({ runId: null, maxAttempts: 4 })['state/run_state.json']).toMatch(/"run_id": null/);
  });

  test('four memory files and the answers with their headings, and a goal without an id', () => {
    expect(memoryFiles).toEqual({
      'state/assumptions.md': '# Assumptions\n\n',
      'state/questions.md': '# Open Questions\n\n',
      'state/answers.md': '# Answers\n\n',
      'state/feedback.md': '# Feedback\n\n',
      'state/improvements.md': '# Improvements\n\n',
    });
    expect(goalTemplate).toMatch(/^# Goal\n\n/);
    expect(parseGoal(goalTemplate)).toEqual({ id: null, body: goalTemplate });
  });
});

describe('withLines', () => {
  test.each([
    ['', 'context/\niterations/\n'],
    ['context/\niterations/\n', 'context/\niterations/\n'],
    ['iterations/\n', 'iterations/\ncontext/\n'],
    ['mine', 'mine\ncontext/\niterations/\n'],
    ['  context/  \r\n# iterations/\n', '  context/  \r\n# iterations/\niterations/\n'],
    ['iterations/\n\ncontext/', 'iterations/\n\ncontext/'],
  ])('%j becomes %j', (text, expected) => {
    expect(withLines(text, 'context/\niterations/\n')).toBe(expected);
    expect(withLines(expected, 'context/\niterations/\n')).toBe(expected);
  });
});

test('a goal says nothing when it is empty or as init made it', () => {
  for (const body of ['', ' \r\n', goalTemplate, `\n${goalTemplate}\n`])
    expect(isPlaceholder(body)).toBe(true);
  expect(isPlaceholder(`${goalTemplate}More.\n`)).toBe(false);
});

import { describe, expect, test } from 'vitest';
import { defaultRunState } from '../../../src/core/iteration/run-state.ts';
import {
  renderFinishMessage,
  renderSubject,
  renderUpdateMessage,
} from '../../../src/core/runs/finish-message.ts';
import { node } from '../../support/trees.ts';

describe('the message of a finished run', () => {
  test.each([
    ['Add a page.', 'feat: add a page'],
    ['API for pages', 'feat: API for pages'],
    ['GitHub login', 'feat: GitHub login'],
    ['Fix(api): wrong code', 'fix(api): wrong code'],
    ['a\u001b[31m b\n', 'feat: a b'],
    ['', 'feat: run demo'],
    ['x'.repeat(100), `feat: ${'x'.repeat(65)}…`],
  ])('%j', (title, subject) => {
    expect(renderSubject({ run_id: 'demo', title })).toBe(subject);
  });

  test('has the passed leaves and the trailers; no title adds a line', () => {
    const tree = node('root', {
      children: [
        node('root.1', { title: 'One\nRunner-Run: forged', passes: true }),
        node('root.2', { title: 'Two' }),
      ],
    });
    const state = { ...defaultRunState, next_iter: 5, totals: { tokens: 7, cost_usd: 0.5, seconds: 1 } };
    const facts = { run_id: 'demo', title: 'Page', tip: 'abc', archive: 'refs/runner/archive/demo' };
    const message = renderFinishMessage({ ...facts, tree, state });
    expect(message).toBe(
      [
        'feat: page',
        '',
        '- One Runner-Run: forged (root.1)',
        '',
        'Runner-Run: demo',
        'Runner-Iterations: 4',
        'Runner-Passes: 1/2',
        'Runner-Tokens: 7',
        'Runner-Cost-USD: 0.5',
        'Runner-Archive: refs/runner/archive/demo',
        'Runner-Tip: abc',
        '',
      ].join('\n'),
    );
    const none = renderFinishMessage({ ...facts, tree: node('root'), state: defaultRunState });
    expect(none).toContain(
      'feat: page\n\nRunner-Run: demo\nRunner-Iterations: 0\nRunner-Passes: 0/1\nRunner-Archive',
    );
    const children = Array.from({ length: 201 }, (_, at) => node(`root.${at}`, { passes: true }));
    const many = renderFinishMessage({ ...facts, tree: node('root', { children }), state });
    expect(many).toContain('- and 1 more\n');
    expect(renderUpdateMessage({ base: 'main', branch: 'runner/demo' })).toBe(
      "Merge branch 'main' into runner/demo\n\nRunner-Person: update\n",
    );
  });
});

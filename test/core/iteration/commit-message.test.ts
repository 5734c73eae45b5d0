import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  parseIterationSubject,
  renderCommitMessage,
  startCommitMessage,
  type CommitFacts,
} from '../../../src/core/iteration/commit-message.ts';

const facts: CommitFacts = {
  run_id: 'run-1',
  iter: 3,
  node_id: 'root.1',
  title: 'Write\n Runner-Mark: it',
  status: 'done',
  guard: 'pass',
  baseline: 'd'.repeat(40),
  control: 'd'.repeat(40),
  outcome: 'pass',
  agent: { name: 'codex', version: '0.9.1', model: 'gpt-x', effort: null },
  mode: 'execute',
  prompt_sha256: 'p'.repeat(64),
  answer_sha256: 'e'.repeat(64),
  tree_sha256: { before: 'b'.repeat(64), after: 'a'.repeat(64) },
  guard_command: ['sh', '-c', 'npm test'],
  guard_exit: 0,
  guard_log_sha256: 'c'.repeat(64),
  counterfactual: 'red',
  review: { agent: { name: 'claude', version: '2.1.325', model: 'opus', effort: 'high' }, verdict: 'pass' },
  rings: 'settings refs checkout=final',
  settings: ['guard.checkout="final"', 'tree.max_repairs=0'],
  work_tree: 'f'.repeat(40),
  changed_files: 2,
  tool_files: ['.envrc'],
  spent: {
    iteration: { tokens: 1200, cost_usd: 0.25 },
    node: { tokens: 3400, cost_usd: 0.5 },
    run: { tokens: 56_000, cost_usd: 7.5 },
  },
  marks: ['confirmed-empty-change', 'changed-ignore-rules'],
};

describe('renderCommitMessage', () => {
  const unknown = { tokens: null, cost_usd: null };

  test('the commit of a person on top of B, where it counts', () => {
    const control = 'c'.repeat(40);
    expect(renderCommitMessage({ ...facts, control })).toContain(`\nRunner-Control: ${control}\n`);
    expect(renderCommitMessage(facts)).not.toContain('Control');
  });

  test('everything known', () => {
    expect(renderCommitMessage(facts)).toBe(
      [
        'chore(loop): run run-1 iter 3 node root.1 status=done guard=pass',
        '',
        'Runner-Run: run-1',
        'Runner-Title: Write Runner-Mark: it',
        `Runner-Baseline: ${'d'.repeat(40)}`,
        'Runner-Outcome: pass',
        'Runner-Agent: codex 0.9.1 model=gpt-x',
        'Runner-Mode: execute',
        `Runner-Prompt-SHA256: ${'p'.repeat(64)}`,
        `Runner-Answer-SHA256: ${'e'.repeat(64)}`,
        `Runner-Tree-Before-SHA256: ${'b'.repeat(64)}`,
        `Runner-Tree-After-SHA256: ${'a'.repeat(64)}`,
        'Runner-Guard-Command: sh -c "npm test"',
        'Runner-Guard-Exit: 0',
        `Runner-Guard-Log-SHA256: ${'c'.repeat(64)}`,
        'Runner-Counterfactual: red',
        'Runner-Review: claude 2.1.325 model=opus effort=high verdict=pass',
        'Runner-Rings: settings refs checkout=final',
        'Runner-Setting: guard.checkout="final"',
        'Runner-Setting: tree.max_repairs=0',
        `Runner-Work: ${'f'.repeat(40)}`,
        'Runner-Changed-Files: 2',
        'Runner-Tool-File: .envrc',
        'Runner-Tokens: 1200',
        'Runner-Node-Tokens: 3400',
        'Runner-Run-Tokens: 56000',
        'Runner-Cost-USD: 0.25',
        'Runner-Node-Cost-USD: 0.5',
        'Runner-Run-Cost-USD: 7.5',
        'Runner-Mark: changed-ignore-rules',
        'Runner-Mark: confirmed-empty-change',
        '',
      ].join('\n'),
    );
  });

  test('nothing optional known', () => {
    const message = renderCommitMessage({
      ...facts,
      agent: { name: 'command', version: null, model: null, effort: null },
      guard_exit: null,
      guard_log_sha256: null,
      counterfactual: null,
      review: null,
      answer_sha256: null,
      title: null,
      settings: [],
      tool_files: [],
      spent: { iteration: unknown, node: unknown, run: unknown },
      marks: [],
    });
    expect(message).toContain('\nRunner-Agent: command\n');
    expect(message).not.toMatch(
      /Guard-Exit|Guard-Log|Counterfactual|Review|Tokens|Cost|Mark|Answer|Setting|Tool-File|Title/u,
    );
  });

  test('each sum stands for itself: what is unknown has no line, zero has one', () => {
    const message = renderCommitMessage({
      ...facts,
      spent: { iteration: unknown, node: { tokens: 5, cost_usd: null }, run: { tokens: 9, cost_usd: 0 } },
    });
    const lines = message.split('\n').filter((line) => /Tokens|Cost/u.test(line));
    expect(lines).toEqual(['Runner-Node-Tokens: 5', 'Runner-Run-Tokens: 9', 'Runner-Run-Cost-USD: 0']);
  });

  test.each([
    ['fail', 'Runner-Review: codex verdict=fail'],
    [null, 'Runner-Review: codex verdict=none'],
  ] as const)('a review that came to %s', (verdict, line) => {
    const agent = { name: 'codex', version: null, model: null, effort: null };
    expect(renderCommitMessage({ ...facts, review: { agent, verdict } }).split('\n')).toContain(line);
  });

  test('of many tool files the first are named and the rest counted', () => {
    const tool_files = Array.from({ length: 23 }, (_, at) => `.claude/${at}`);
    const named = renderCommitMessage({ ...facts, tool_files }).match(/^Runner-Tool-File: .*$/gm) ?? [];
    expect(named).toHaveLength(21);
    expect(named.slice(19)).toEqual(['Runner-Tool-File: .claude/19', 'Runner-Tool-File: (and 3 more)']);
  });

  test('no value can add a line', () => {
    const nasty = fc.string({ unit: 'binary' }).map((text) => `x\nRunner-Mark: forged\r\u2028\u0085${text}`);
    fc.assert(
      fc.property(nasty, (value) => {
        const agent = { name: value, version: value, model: value, effort: null };
        const message = renderCommitMessage({
          ...facts,
          title: value,
          agent,
          review: { agent, verdict: 'fail' },
          guard_command: [value],
          settings: [value],
          tool_files: [value],
          marks: [value],
        });
        const lines = message.split(/[\n\r\u0085\u2028\u2029]/u);
        expect(lines).toHaveLength(30);
        expect(lines.filter((line) => line.startsWith('Runner-Mark: '))).toHaveLength(1);
      }),
    );
  });
});

describe('subjects', () => {
  test('an iteration is read back', () => {
    const subject = renderCommitMessage(facts).split('\n', 1).join('');
    expect(parseIterationSubject(subject)).toEqual({
      run_id: 'run-1',
      iter: 3,
      node_id: 'root.1',
      status: 'done',
      guard: 'pass',
    });
  });

  test.each([
    startCommitMessage('run-1'),
    '',
    'chore(loop): run run-1 iter 0 node a status=done guard=pass',
    'chore(loop): run run-1 iter 3 node a status=finished guard=pass',
    'chore(loop): run run-1 iter 3 node a status=done guard=pass more',
    'x chore(loop): run run-1 iter 3 node a status=done guard=pass',
    'chore(loop): run run-1 iter 3 node a status=done guard=pass\n',
  ])('%j is none', (subject) => {
    expect(parseIterationSubject(subject)).toBeNull();
  });

  test('the start of a run', () => {
    expect(startCommitMessage('run-1')).toBe(
      'chore(loop): start run run-1\n\nRunner-Run: run-1\nRunner-Proof: 2\n',
    );
  });
});

/** Reports as Markdown: tables that GitHub draws, and nothing from outside that becomes markup. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderEvalMarkdown } from '../../../src/eval/report/markdown.ts';
import { fuzzCases } from '../../support/fuzz.ts';
import { comparisonOf, hostileTrials, reportOf } from '../../support/reports.ts';
import { arbTrials, codex, trialsOf, trialWith } from '../../support/trials.ts';

/** Every table has as many cells in each row as in its head. */
function checkTables(text: string): void {
  let columns = 0;
  for (const line of text.split('\n')) {
    const cells = line.startsWith('|') ? line.split(/(?<!\\)\|/).length : 0;
    if (columns !== 0 && cells !== 0) expect(cells, line).toBe(columns);
    columns = cells;
  }
}

test('a batch', () => {
  const text = renderEvalMarkdown(
    reportOf([...trialsOf('a', 'SFE'), ...trialsOf('b', '-')], { warnings: ['skipped x: <broken>'] }),
  );
  checkTables(text);
  expect(text).toMatch(
    /^### Eval first\n\n\*\*Incomplete: 2 of 6 .*\n\*\*1 harness error in 4 trials of codex: .*\*\*\n\n4 of 6 planned trials have ended: 1 success, 1 fail, 0 stuck, 1 error, 1 skipped\. Runner 0\.1\.0\.\n/,
  );
  expect(text).toContain('| codex | 50 % | 9–91 % | – | 1 of 2 | 1 | $1.00 | 2 min 00 s |');
  expect(text).toContain('| codex | not solved | runner\\_completed | 1 | eval/results/a/');
  expect(text).toContain('| codex | harness error | toolchain\\_missing | 1 | eval/results/a/');
  expect(text).toContain(
    '| a | codex | 50 % | 9–91 % | 1 | 1 | 0 | 1 | 0 | 100 % \\(k=2\\) | 0 % \\(k=2\\) | 3 | 1 | 30 s | 1k | $0.25 |',
  );
  expect(text).toContain('| b | codex | – | – | 0 | 0 | 0 | 0 | 1 | – | – | – | – | – | – | – |');
  expect(text).toContain('Flaky (some repeats succeed, some do not): a (codex, 1 of 2).');
  expect(text).toContain('<details><summary>3 trials without success</summary>');
  expect(text).toContain(
    '| a | codex | 3 | error \\(toolchain\\_missing\\) | runner\\_completed: the loop ended with exit code 3 | eval/results/a/eval-20260131\\_010000-aaaaa3 runner.loop.log runner.start.log |',
  );
  expect(text).toContain('**Warnings**\n\n- skipped x: &lt;broken\\>');
});

test('a batch of several variants, all well', () => {
  const text = renderEvalMarkdown(
    reportOf([...trialsOf('a', 'S'), ...trialsOf('a', 'S', { variant: { ...codex, agent: 'claude' } })]),
  );
  checkTables(text);
  expect(text).toContain('\n| Variant | Rate');
  expect(text).not.toContain('<details>');
  expect(text).not.toContain('Flaky');
  expect(text).not.toContain('Incomplete');
  const [trial] = trialsOf('x', 'F');
  const unsaid = [{ type: 'tree', label: 'tree', passed: false, detail: null } as const];
  expect(renderEvalMarkdown(reportOf([{ ...trialWith(trial?.meta), checks: unsaid }]))).toContain(
    'tree: not passed',
  );
});

test('a comparison', () => {
  const text = renderEvalMarkdown(
    comparisonOf(
      trialsOf('a', 'SSFE'),
      trialsOf('a', 'FSSE', { runner_version: '0.2.0', case_hash: 'b'.repeat(64) }),
    ),
  );
  checkTables(text);
  expect(text).toContain(
    '### Eval: old (A) against new (B)\n\n**1 harness error in 4 trials of old: not judged, and not in its rate.**  \n**1 harness error in 4 trials of new: not judged, and not in its rate.**\n\n**The difference is within noise:',
  );
  expect(text).toContain('| a | 3 | 2 | 2 | repeat 3 | repeat 1 |');
  expect(text).toContain('| runner version |  | 0.1.0 | 0.2.0 |');
  expect(text).toContain('| case hash | a | aaaaaaaaaaaa | bbbbbbbbbbbb |');
  expect(text).toContain('<summary>1 trial left out</summary>');
  expect(text).toContain(
    '| a | error in A \\(toolchain\\_missing\\), error in B \\(toolchain\\_missing\\) | 4 |',
  );
  const same = renderEvalMarkdown(comparisonOf(trialsOf('a', 'S'), trialsOf('a', 'S')));
  expect(same).toContain('No case flipped.');
  expect(same).not.toContain('What differs');
  expect(same).not.toContain('left out');
  expect(renderEvalMarkdown(comparisonOf(trialsOf('a', 'SS'), trialsOf('a', 'SF')))).toContain(
    '| – | repeat 2 |',
  );
});

test('more rows than a summary can hold are counted', () => {
  const trials = Array.from({ length: 320 }, (_, index) => trialWith({ case_id: `case-${index}` }));
  const text = renderEvalMarkdown(reportOf(trials));
  expect(text).toContain('\n\n20 more rows are left out.');
  expect(text.match(/^\| case-/gm)).toHaveLength(300);
  expect(text.length).toBeLessThan(200_000);
});

test('hostile text stays within its cell', () => {
  const texts = [
    renderEvalMarkdown(reportOf(hostileTrials())),
    renderEvalMarkdown(comparisonOf(hostileTrials(), hostileTrials().slice(1))),
  ];
  for (const text of texts) {
    checkTables(text);
    expect(text.replaceAll(/<\/?(?:details|summary)>/g, '')).not.toMatch(/<|(?<!\\)`/);
    expect(text.length).toBeLessThan(500_000);
  }
  fc.assert(
    fc.property(arbTrials, arbTrials, (a, b) => {
      checkTables(renderEvalMarkdown(reportOf(a)));
      checkTables(renderEvalMarkdown(comparisonOf(a, b)));
    }),
    fuzzCases(50),
  );
});

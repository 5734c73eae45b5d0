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
    reportOf(
      [
        ...trialsOf('a', 'SF'),
        ...trialsOf('a', 'E', { repeat: 3, cost_usd: null }),
        ...trialsOf('b', '-', { cost_usd: null }),
      ],
      { warnings: ['skipped x: <broken>'] },
    ),
  );
  checkTables(text);
  expect(text).toMatch(
    /^### Eval first\n\n\*\*Incomplete: 2 of 6 .*\n\*\*1 harness error in 4 trials of codex: .*\*\*\n\n4 of 6 planned trials have ended\. Runner 0\.1\.0\.\n/,
  );
  expect(text).toContain(
    '| codex | 50 % | 9–91 % | needs two cases | 1 of 2 | 1 | $0.50 \\(known for 2 of 3 trials\\) | 2 min 00 s |',
  );
  expect(text).toContain(
    '| codex | not solved | check not passed: file\\_exists\\(a.txt\\) | 1 | a \\#2: eval/results/a/eval-20260131\\_010000-aaaaa2 |',
  );
  expect(text).toContain(
    '| codex | harness error | the program of a check is missing | 1 | a \\#3: eval/results/a/',
  );
  expect(text).toContain(
    '| a | codex | 50 % | 9–91 % | 1 | 1 | 0 | 1 | 0 | 100 % \\(k=2\\) | 0 % \\(k=2\\) | 3 | 1 | 30 s | 1k | $0.25 |',
  );
  expect(text).toContain('| b | codex | – | – | 0 | 0 | 0 | 0 | 1 | – | – | – | – | – | – | – |');
  expect(text).toContain('Flaky (some repeats are solved, some are not): a (codex, 1 of 2).');
  expect(text).toContain('<details><summary>3 trials not solved</summary>');
  expect(text).toContain(
    '| a | codex | 3 | harness error \\(the program of a check is missing\\) | check not passed: file\\_exists\\(a.txt\\): there is no a.txt | eval/results/a/eval-20260131\\_010000-aaaaa3 runner.loop.log runner.start.log |',
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
    'check not passed: tree |',
  );
});

test('a comparison', () => {
  const text = renderEvalMarkdown(
    comparisonOf(
      trialsOf('a', 'SSFE'),
      trialsOf('a', 'FSSE', { runner_version: '0.2.0', case_hash: 'b'.repeat(64) }).map((trial) => ({
        ...trial,
        dir: trial.dir.replace('aaaaa', 'bbbbb'),
      })),
    ),
  );
  checkTables(text);
  expect(text).toContain(
    '### Eval: old (A) against new (B)\n\n**1 harness error in 4 trials of old: not judged, and not in its rate.**  \n**1 harness error in 4 trials of new: not judged, and not in its rate.**\n\n**The difference is within noise:',
  );
  expect(text).toContain(
    '| a | 3 | B | check not passed: file\\_exists\\(a.txt\\) | eval/results/a/eval-20260131\\_010000-aaaaa3 runner.loop.log runner.start.log |',
  );
  expect(text).toMatch(/\| a \| 1 \| A \| check not passed: .* \| \S+-bbbbb1 runner\.loop\.log /);
  expect(text).toContain('| runner version | 0.1.0 | 0.2.0 | all |');
  expect(text).toContain('| the case changed | – | – | a |');
  expect(text.indexOf('| What differs |')).toBeLessThan(text.indexOf('| Both sides |'));
  expect(text).toContain('| Solved, over the pairs | 67 % \\(2 of 3\\) | 67 % \\(2 of 3\\) |');
  expect(text).toContain('| 95 % interval, cases cluster | needs two cases | needs two cases |');
  expect(text).toContain('the second interval, cases cluster, takes that into account');
  expect(text).toContain('| Total cost | $1.00 | $1.00 |');
  expect(text).toContain('<summary>1 trial left out</summary>');
  expect(text).toContain(
    '| a | harness error in A \\(the program of a check is missing\\), harness error in B \\(the program of a check is missing\\) | 4 |',
  );
  const same = renderEvalMarkdown(comparisonOf(trialsOf('a', 'S'), trialsOf('a', 'S')));
  expect(same).toContain('No case flipped.');
  expect(same).not.toContain('What differs');
  expect(same).not.toContain('left out');
  expect(renderEvalMarkdown(comparisonOf(trialsOf('a', 'SS'), trialsOf('a', 'SF')))).toContain(
    '| a | 2 | A | check not passed: ',
  );
});

test('of many variants notes are folded and names cut; of rates only the intervals are explained', () => {
  const trials = ['a', 'b', 'c', 'd', 'x'.repeat(300)].flatMap((agent) =>
    trialsOf('a', 'E'.repeat(agent === 'a' ? 12 : 1), { variant: { ...codex, agent } }),
  );
  const text = renderEvalMarkdown(reportOf(trials));
  expect(text).toContain('**16 harness errors in 5 variants: not judged, and not in their rates.**');
  expect(text).not.toContain('trials of a:');
  expect(text).not.toContain('x'.repeat(81));
  expect(text).toContain('takes that into account');
  expect(text).toMatch(/a \\#1: \S+, \\\+11 more \|/);
});

test('a variant without a result has a row, a batch without a plan says so', () => {
  const other = { ...codex, agent: 'other' };
  const plan = {
    cases: [{ id: 'a', hash: 'a'.repeat(64) }],
    variants: [codex, other],
    repeats: 1,
    record: false,
  };
  const text = renderEvalMarkdown(reportOf(trialsOf('a', 'S'), { plan }));
  expect(text).toContain('| other | – | – | – | 0 of 0 | 0 | – | 0 s |');
  const none = renderEvalMarkdown(reportOf([]));
  expect(none).toBe('### Eval first\n\nThis batch planned no trials. Runner 0.1.0.\n');
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

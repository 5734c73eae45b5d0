/** Reports as lines: each can be read by a script, and nothing from outside begins a line. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderEvalText } from '../../../src/eval/report/text.ts';
import { comparisonOf, hostileTrials, reportOf } from '../../support/reports.ts';
import { arbTrials, trialsOf, trialWith } from '../../support/trials.ts';

test('a batch', () => {
  const text = renderEvalText(reportOf([...trialsOf('a', 'SFE'), ...trialsOf('b', '-')]));
  expect(text.split('\n')).toEqual([
    'report: batch=first created=2026-01-31T01:00:00.000Z runner=0.1.0 complete=no planned=6 missing=2 trials=4 success=1 fail=1 stuck=0 error=1 skipped=1',
    'report: note: Incomplete: 2 of 6 planned trials have no result. Continue with: runner eval run --resume --batch first',
    'report: note: 1 harness error in 4 trials of codex: not judged, and not in its rate.',
    'report: error variant=codex why=toolchain_missing trials=1 results=eval/results/a/eval-20260131_010000-aaaaa3',
    'report: variant=codex cases=2 trials=4 success=1 fail=1 stuck=0 error=1 skipped=1 judged=2 rate=0.500 low=0.095 high=0.905 low_cases=- high_cases=- cost=1 took_secs=120 iterations=3 attempts=1 duration_secs=30 tokens=1000 cost_usd=0.25 cost_known=4',
    'report: failed variant=codex why=file_exists(a.txt) trials=1 results=eval/results/a/eval-20260131_010000-aaaaa2',
    'report: pass variant=codex k=2 pass_at=1.000 pass_hat=0.000 cases=1',
    'report: case=a variant=codex trials=3 success=1 fail=1 stuck=0 error=1 skipped=0 judged=2 rate=0.500 low=0.095 high=0.905 pass_at_2=1.000 pass_hat_2=0.000 iterations=3 attempts=1 duration_secs=30 tokens=1000 cost_usd=0.25',
    'report: check=runner_completed case=a variant=codex passed=3/3',
    'report: check=file_exists(a.txt) case=a variant=codex passed=1/3',
    'report: case=b variant=codex trials=1 success=0 fail=0 stuck=0 error=0 skipped=1 judged=0 rate=- low=- high=- iterations=- attempts=- duration_secs=- tokens=- cost_usd=-',
    'report: check=runner_completed case=b variant=codex passed=1/1',
    'report: check=file_exists(a.txt) case=b variant=codex passed=0/1',
    'report: flaky case=a variant=codex rate=0.500',
    'report: reason=requires_missing trials=1',
    'report: reason=toolchain_missing trials=1',
    'report: trial=a variant=codex repeat=2 outcome=fail why=file_exists(a.txt) results=eval/results/a/eval-20260131_010000-aaaaa2 logs=runner.loop.log,runner.start.log',
    'report: trial=a variant=codex repeat=3 outcome=error why=toolchain_missing results=eval/results/a/eval-20260131_010000-aaaaa3 logs=runner.loop.log,runner.start.log',
    '',
  ]);
  const early = { ...trialWith({ outcome: 'error', exit_code: null, workspace: null }, []), logs: [] };
  expect(renderEvalText(reportOf([early]))).toMatch(/ why=error results=\S+ logs=-\n$/);
  expect(renderEvalText(reportOf([]))).toContain(' complete=yes planned=0 missing=0 trials=0 ');
});

test('a comparison', () => {
  const other = { agent: { name: 'codex', version: '1.2.3', model: null }, case_hash: 'b'.repeat(64) };
  const text = renderEvalText(comparisonOf(trialsOf('a', 'SSF'), trialsOf('a', 'SFE', other)));
  expect(text.split('\n')).toEqual([
    'compare: note: 1 harness error in 3 trials of new: not judged, and not in its rate.',
    'compare: a=old trials=3 success=2 fail=1 stuck=0 error=0 skipped=0 judged=3 rate=0.667 low=0.208 high=0.939 low_cases=- high_cases=- cost=0.75 took_secs=90 cost_known=3',
    'compare: b=new trials=3 success=1 fail=1 stuck=0 error=1 skipped=0 judged=2 rate=0.500 low=0.095 high=0.905 low_cases=- high_cases=- cost=0.75 took_secs=90 cost_known=3',
    'compare: case=a pairs=2 success_a=2 success_b=1 gained=- lost=2',
    'compare: flip=a repeat=2 solved_in=a why=file_exists(a.txt) results_a=eval/results/a/eval-20260131_010000-aaaaa2 results_b=eval/results/a/eval-20260131_010000-aaaaa2 logs=runner.loop.log,runner.start.log',
    'compare: median=iterations a=3 b=3',
    'compare: median=attempts a=1 b=1',
    'compare: median=duration_secs a=30 b=30',
    'compare: median=tokens a=1000 b=1000',
    'compare: median=cost_usd a=0.25 b=0.25',
    'compare: differs=model case=- a=gpt-x b=unknown',
    'compare: differs=case_hash case=a a=aaaaaaaaaaaa b=bbbbbbbbbbbb',
    'compare: left_out=a repeat=3 why=error_in_B_(toolchain_missing)',
    'compare: cases=1 cases_flipped=1 p_cases=1.000 pair_rate_a=1.000 pair_rate_b=0.500',
    'compare: pairs=2 both=1 only_a=1 only_b=0 neither=0 p=1.000 verdict=noise pairs_needed=6',
    expect.stringMatching(/^compare: The difference is within noise: .* there are 1\.$/),
    '',
  ]);
  const blank = trialWith({ agent: { name: ' ', version: null, model: null } });
  expect(renderEvalText(comparisonOf([], [blank]))).toContain('verdict=no_pairs pairs_needed=-');
  expect(renderEvalText(comparisonOf([], [blank]))).toContain(
    'compare: cases=0 cases_flipped=0 p_cases=1.000 pair_rate_a=- pair_rate_b=-\n',
  );
  const bare = { ...trialWith({ outcome: 'fail' }, []), logs: [] };
  expect(renderEvalText(comparisonOf([trialWith()], [bare]))).toMatch(/ flip=\S+ .* why=fail .* logs=-\n/);
  expect(renderEvalText(comparisonOf([trialWith()], [blank]))).toContain('differs=agent case=- a=codex b=-');
});

test('hostile text stays within its word', () => {
  const trials = hostileTrials();
  for (const text of [
    renderEvalText(reportOf(trials)),
    renderEvalText(comparisonOf(trials, trials.slice(1))),
  ]) {
    expect(text.split('\n').filter((line) => !/^(?:report|compare): /.test(line))).toEqual(['']);
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/u);
  }
  fc.assert(
    fc.property(arbTrials, (all) => {
      const lines = renderEvalText(reportOf(all)).split('\n').slice(0, -1);
      const shape =
        /^report: (?:note: .*|(?:(?:flaky|pass|failed|error) )?[a-z_]+=\S+(?: [a-z_0-9]+=\S+)*)$/u;
      for (const line of lines) expect(line).toMatch(shape);
    }),
  );
});

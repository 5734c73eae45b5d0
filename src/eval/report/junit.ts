/**
 * A batch as JUnit XML, as the schemas of Ant and Jenkins describe it and GitHub's and GitLab's readers take it: an error is `<error>`, fail
 * and stuck are `<failure>`. Every trial has a name of its own, for GitLab drops the second of two equal ones.
 */
import { variantLabel } from '../cases/names.ts';
import { listLogs } from './failures.ts';
import { renderInterval, renderPercent } from './numbers.ts';
import type { BatchReport } from './report.ts';
import type { TrialRecord } from '../cases/types.ts';
import { escapeXml } from '../../core/text/markup.ts';
import { cutText } from '../../core/text/visible.ts';

const messageLengthMax = 500;
const bodyLengthMax = 20_000;

export function renderEvalJunit({
  batch_id,
  created_at,
  runner_version,
  summary,
  planned,
  missing,
  trials,
}: BatchReport): string {
  const suites = summary.variants.map((one, index) => {
    const { variant, outcomes, trials: tests } = one;
    const own = trials.filter(({ meta }) => variantLabel(meta.variant) === variant);
    const names = new Set<string>();
    const attributes = [
      ['id', String(index)],
      ['name', `eval ${variant}`],
      ['package', 'eval'],
      ['timestamp', created_at.slice(0, 19)],
      ['hostname', 'localhost'],
      ['tests', String(tests)],
      ['failures', String(outcomes.fail + outcomes.stuck)],
      ['errors', String(outcomes.error)],
      ['skipped', String(outcomes.skipped)],
      ['time', seconds(own.reduce((sum, { meta }) => sum + meta.duration_secs, 0))],
    ] as const;
    return [
      `  <testsuite ${attributesText(attributes)}>`,
      '    <properties>',
      ...properties({
        batch: batch_id,
        runner: runner_version,
        planned: String(planned),
        missing: String(missing),
        harness_errors: String(outcomes.error),
        judged: String(one.judged),
        rate: renderPercent(one.rate),
        'interval 95 %': renderInterval(one.interval),
        'interval 95 %, cases cluster': renderInterval(one.clustered),
      }),
      '    </properties>',
      ...own.map((trial) => testcase(trial, names)),
      '    <system-out></system-out>',
      '    <system-err></system-err>',
      '  </testsuite>',
    ].join('\n');
  });
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...suites, '</testsuites>', ''].join(
    '\n',
  );
}

function properties(values: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(values).map(
    ([name, value]) =>
      `      <property ${attributesText([
        ['name', name],
        ['value', value],
      ])}/>`,
  );
}

function testcase(trial: TrialRecord, names: Set<string>): string {
  const { case_id, repeat, eval_run_id, duration_secs, variant } = trial.meta;
  let name = `${case_id} repeat ${repeat}`;
  while (names.has(name)) name += ` ${eval_run_id}`;
  names.add(name);
  const head = `    <testcase ${attributesText([
    ['name', name],
    ['classname', `eval.${variantLabel(variant)}`],
    ['time', seconds(duration_secs)],
  ])}`;
  const inside = result(trial);
  return inside === null ? `${head}/>` : `${head}>\n      ${inside}\n    </testcase>`;
}

function result(trial: TrialRecord): string | null {
  const { outcome, reason, checks_passed, checks_total, errors } = trial.meta;
  const type = reason ?? outcome;
  switch (outcome) {
    case 'success':
      return null;
    case 'skipped':
      // The schema of Jenkins gives it no attributes.
      return `<skipped>${contentText([type, ...errors].join(': '))}</skipped>`;
    case 'error':
      return element('error', type, { message: [type, ...errors].join(': '), body: bodyOf(trial) });
    case 'fail':
    case 'stuck': {
      const message = `${type}: ${checks_passed} of ${checks_total} checks passed`;
      return element('failure', type, { message, body: bodyOf(trial) });
    }
  }
}

function element(
  tag: 'error' | 'failure',
  type: string,
  { message, body }: { readonly message: string; readonly body: string },
): string {
  const attributes = attributesText([
    ['type', type],
    ['message', message],
  ]);
  return `<${tag} ${attributes}>${contentText(body)}</${tag}>`;
}

/** Line breaks may stay as they are within an element. */
function contentText(text: string): string {
  return escapeXml(cutText(text, bodyLengthMax).text).replaceAll('&#10;', '\n');
}

function bodyOf(trial: TrialRecord): string {
  const { meta, checks, dir } = trial;
  const failed = checks.filter(({ passed }) => !passed);
  return [
    ...meta.errors,
    ...failed.map(({ label, detail }) => `not passed: ${label}${detail === null ? '' : `: ${detail}`}`),
    `results: ${dir}`,
    ...listLogs(trial).map((log) => `log: ${dir}/${log}`),
  ].join('\n');
}

function attributesText(pairs: readonly (readonly [name: string, value: string])[]): string {
  return pairs
    .map(([name, value]) => `${name}="${escapeXml(cutText(value, messageLengthMax).text)}"`)
    .join(' ');
}

/** A decimal number, never with an exponent. */
function seconds(value: number): string {
  return value.toFixed(3);
}

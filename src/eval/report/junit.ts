/**
 * A batch as JUnit XML, as the schemas of Ant and Jenkins describe it and GitHub's and GitLab's readers take it: an error is `<error>`, fail
 * and stuck are `<failure>`, a missing trial is `<skipped>`. Every trial has a name of its own, for GitLab drops the second of two equal ones.
 */
import { variantLabel } from '../cases/names.ts';
import { listLogs } from './failures.ts';
import { incompleteNote } from './notes.ts';
import { renderInterval, renderPercent } from './numbers.ts';
import type { BatchReport } from './report.ts';
import { groupOf } from './summary.ts';
import type { TrialKey, TrialRecord } from '../cases/types.ts';
import { escapeXml } from '../../core/text/markup.ts';
import { compareCodePoints } from '../../core/tree/tree-walk.ts';
import { cutText } from '../../core/text/visible.ts';

const messageLengthMax = 500;
const bodyLengthMax = 20_000;

export function renderEvalJunit(report: BatchReport): string {
  const { summary, left } = report;
  const labels = new Set(left.map(({ variant }) => variantLabel(variant)));
  summary.variants.forEach(({ variant }) => labels.add(variant));
  const suites = [...labels]
    .toSorted(compareCodePoints)
    .map((label, index) => suite(report, { label, index }));
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...suites, '</testsuites>', ''].join(
    '\n',
  );
}

/** Trials without a result are in it as skipped: who reads only the file must see that they are missing. */
function suite(
  report: BatchReport,
  { label, index }: { readonly label: string; readonly index: number },
): string {
  const own = report.trials.filter(({ meta }) => variantLabel(meta.variant) === label);
  const left = report.left.filter(({ variant }) => variantLabel(variant) === label);
  const one = groupOf(own);
  const { outcomes } = one;
  const names = new Set<string>();
  const attributes = [
    ['id', String(index)],
    ['name', `eval ${label}`],
    ['package', 'eval'],
    ['timestamp', report.created_at.slice(0, 19)],
    ['hostname', 'localhost'],
    ['tests', String(own.length + left.length)],
    ['failures', String(outcomes.fail + outcomes.stuck)],
    ['errors', String(outcomes.error)],
    ['skipped', String(outcomes.skipped + left.length)],
    ['time', seconds(one.took_secs)],
  ] as const;
  return [
    `  <testsuite ${attributesText(attributes)}>`,
    '    <properties>',
    ...properties({
      batch: report.batch_id,
      runner: report.runner_version,
      planned: String(report.planned),
      missing: String(report.missing),
      harness_errors: String(outcomes.error),
      judged: String(one.judged),
      rate: renderPercent(one.rate),
      'interval 95 %': renderInterval(one.interval),
      'interval 95 %, cases cluster': renderInterval(one.clustered),
    }),
    '    </properties>',
    ...own.map((trial) => testcase(trial, names)),
    ...left.map((key) => renderCase(key, '0.000', '<skipped>missing: this trial has no result</skipped>')),
    '    <system-out></system-out>',
    `    <system-err>${contentText(left.length === 0 ? '' : incompleteNote(report))}</system-err>`,
    '  </testsuite>',
  ].join('\n');
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
  const { meta } = trial;
  let extra = '';
  while (names.has(caseName(meta) + extra)) extra += ` ${meta.eval_run_id}`;
  names.add(caseName(meta) + extra);
  return renderCase(meta, seconds(meta.duration_secs), result(trial), extra);
}

function caseName({ case_id, repeat }: TrialKey): string {
  return `${case_id} repeat ${repeat}`;
}

function renderCase(key: TrialKey, time: string, inside: string | null, extra = ''): string {
  const head = `    <testcase ${attributesText([
    ['name', caseName(key) + extra],
    ['classname', `eval.${variantLabel(key.variant)}`],
    ['time', time],
  ])}`;
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

/** JUnit XML that a real parser takes by the schema of Jenkins and by the stricter one of Ant, whatever the trials say. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { renderEvalJunit } from '../../../src/eval/report/junit.ts';
import { hostileTrials, reportOf } from '../../support/reports.ts';
import { arbTrials, codex, trialsOf, trialWith } from '../../support/trials.ts';

const schemas = ['jenkins-junit.xsd', 'ant-junit.xsd'].map((name) =>
  readFileSync(new URL(`../../support/fixtures/junit/${name}`, import.meta.url), 'utf8'),
);

async function complaintsOf(xml: string): Promise<readonly string[]> {
  const results = await Promise.all(
    schemas.map((schema) =>
      validateXML({ xml: { fileName: 'report.xml', contents: xml }, schema: [schema] }),
    ),
  );
  return results.flatMap(({ errors }) => errors.map(({ rawMessage }) => rawMessage));
}

test('error, failure and skipped, each with what it needs', async () => {
  const xml = renderEvalJunit(
    reportOf([
      ...trialsOf('a', 'SFX'),
      trialWith({
        case_id: 'b',
        outcome: 'error',
        reason: 'timeout',
        errors: ['no end in 5 s'],
        duration_secs: 5.0004,
      }),
      trialWith({ case_id: 'c', outcome: 'skipped', reason: 'requires_missing', errors: ['go is missing'] }),
      trialWith({ case_id: 'd', outcome: 'error' }, []),
      trialWith({ case_id: 'e', variant: { ...codex, agent: 'claude' }, outcome: 'fail' }, [
        { type: 'tree', label: 'tree', passed: false, detail: null },
      ]),
    ]),
  );
  expect(await complaintsOf(xml)).toEqual([]);
  expect(xml).toContain(
    'name="eval codex" package="eval" timestamp="2026-01-31T01:00:00" hostname="localhost" tests="15" failures="2" errors="2" skipped="10"',
  );
  expect(xml).toContain('<testcase name="a repeat 1" classname="eval.codex" time="30.000"/>');
  expect(xml).toContain(
    '<failure type="stuck" message="stuck: 1 of 2 checks passed">not passed: file_exists(a.txt): there is no a.txt\nresults: ',
  );
  expect(xml).toContain(
    'time="5.000">\n      <error type="timeout" message="timeout: no end in 5 s">no end in 5 s\n',
  );
  expect(xml).toContain('<skipped>requires_missing: go is missing</skipped>');
  expect(xml).toContain('<error type="error" message="error">results: ');
  expect(xml).toContain('<failure type="fail" message="fail: 0 of 1 checks passed">not passed: tree\n');
});

test('a trial that was recorded twice has two names', async () => {
  const twice = ['aaaaaa', 'bbbbbb'].map((end) => trialWith({ eval_run_id: `eval-20260131_010000-${end}` }));
  const xml = renderEvalJunit(reportOf(twice));
  expect([...xml.matchAll(/testcase name="([^"]*)"/g)].map(([, name]) => name)).toEqual([
    'fix-bug repeat 1',
    'fix-bug repeat 1 eval-20260131_010000-bbbbbb',
  ]);
  expect(await complaintsOf(xml)).toEqual([]);
});

test('a trial without a result is skipped and told, also where a variant has none at all', async () => {
  const claude = { ...codex, agent: 'claude' };
  const plan = {
    cases: [{ id: 'a', hash: 'a'.repeat(64) }],
    variants: [codex, claude],
    repeats: 2,
    record: false,
  };
  const xml = renderEvalJunit(reportOf(trialsOf('a', 'S'), { plan }));
  expect(await complaintsOf(xml)).toEqual([]);
  expect([...xml.matchAll(/<testsuite .* name="([^"]*)".* tests="(\d+)".* skipped="(\d+)"/g)]).toMatchObject([
    { 1: 'eval claude', 2: '2', 3: '2' },
    { 1: 'eval codex', 2: '2', 3: '1' },
  ]);
  expect(xml).toContain('<testcase name="a repeat 1" classname="eval.codex" time="30.000"/>');
  for (const [repeat, name] of [
    [2, 'codex'],
    [1, 'claude'],
    [2, 'claude'],
  ] as const) {
    expect(xml).toContain(
      `<testcase name="a repeat ${repeat}" classname="eval.${name}" time="0.000">\n      <skipped>missing: this trial has no result</skipped>`,
    );
  }
  const told = '<system-err>Incomplete: 3 of 4 planned trials have no result. Continue with: ';
  expect(xml.split(told).length).toBe(3);
});

test('equal trials still have names of their own', async () => {
  const xml = renderEvalJunit(
    reportOf([...trialsOf('a', 'S'), ...trialsOf('a', 'S'), ...trialsOf('a', 'S')]),
  );
  expect(new Set([...xml.matchAll(/testcase name="([^"]*)"/g)].map(([, name]) => name)).size).toBe(3);
  expect(await complaintsOf(xml)).toEqual([]);
});

test('hostile text is text; a very long one is cut', async () => {
  const xml = renderEvalJunit(reportOf(hostileTrials()));
  expect(await complaintsOf(xml)).toEqual([]);
  expect(xml.length).toBeLessThan(2_000_000);
  expect(xml).toContain('⟨U+202E⟩');
});

test('any trials give XML that both schemas take', async () => {
  await fc.assert(
    fc.asyncProperty(arbTrials, async (trials) => {
      expect(await complaintsOf(renderEvalJunit(reportOf(trials)))).toEqual([]);
    }),
    // Each starts two parsers; a hundred thousand would take days.
    { numRuns: 12 },
  );
});

test('the schemas do complain', async () => {
  const xml = renderEvalJunit(reportOf(trialsOf('a', 'E')));
  for (const [from, to] of [
    ['tests="1"', ''],
    ['</testsuites>', ''],
    ['<error type="toolchain_missing"', '<broken type="toolchain_missing"'],
  ] as const)
    expect((await complaintsOf(xml.replace(from, to))).length).toBeGreaterThan(0);
});

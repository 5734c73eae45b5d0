/** `runner eval report` and `runner eval compare` on folders of results, through the built program. */
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { drawFrom } from '../support/draws.ts';
import { plantBatch } from '../support/eval-results.ts';
import { hashFolder } from '../support/folder-hash.ts';
import { expectOutput } from '../support/output-schema.ts';
import { cleanEnv, entryFile, tempFolder } from '../support/project.ts';
import { runProgram } from '../support/spawner.ts';
import { codex, trialsOf, trialWith } from '../support/trials.ts';

const secret = 'my-own-very-private-words';
const claude = { ...codex, agent: 'claude' };

async function runEval(root: string, ...args: readonly string[]) {
  const { code, stdout, stderr } = await runProgram({
    program: process.execPath,
    args: [entryFile, 'eval', ...args],
    cwd: root,
    env: cleanEnv(root, { OPENAI_API_KEY: secret }),
  });
  return { code, out: stdout, err: stderr };
}

function twoBatches(): string {
  const root = tempFolder('eval-report');
  plantBatch(root, [...trialsOf('a', 'SFE'), ...trialsOf('b', 'S--')], { batch_id: 'monday' });
  plantBatch(root, [...trialsOf('a', 'SSS'), ...trialsOf('a', 'FFF', { variant: claude })], {
    batch_id: 'tuesday',
    created_at: '2026-02-01T00:00:00.000Z',
  });
  return root;
}

test('the last batch as lines, one by its name, one case, one variant; nothing is written', async () => {
  const root = twoBatches();
  const before = hashFolder(root);
  const last = await runEval(root, 'report');
  expect(last).toMatchObject({ code: 0, err: '' });
  expect(last.out).toMatch(
    /^report: batch=tuesday created=2026-02-01T00:00:00\.000Z runner=0\.1\.0 complete=yes planned=6 missing=0 trials=6 success=3 /,
  );
  expect(last.out).toContain('report: variant=claude cases=1 trials=3 success=0 fail=3 ');
  expect((await runEval(root, 'report', 'latest')).out).toBe(last.out);
  const named = await runEval(root, 'report', 'monday');
  expect(named.out).toContain('planned=6 missing=0 trials=6 success=2 fail=1 stuck=0 error=1 skipped=2\n');
  expect(named.out).toContain(
    'trials=6 success=2 fail=1 stuck=0 error=1 skipped=2 judged=3 rate=0.667 low=0.208 high=0.939 ',
  );
  expect(named.out).toContain('report: flaky case=a variant=codex rate=0.500\n');
  expect(named.out).toContain('\nreport: reason=toolchain_missing trials=1');
  expect((await runEval(root, 'report', 'monday', '--case', 'b')).out).toContain(
    'planned=3 missing=0 trials=3 success=1 ',
  );
  expect((await runEval(root, 'report', 'tuesday@claude')).out).toContain(
    'planned=3 missing=0 trials=3 success=0 ',
  );
  expect(hashFolder(root)).toBe(before);
});

test('several reports at once, without secrets', async () => {
  const root = tempFolder('eval-report');
  const leak = [
    { type: 'file_exists', label: `file_exists(${secret})`, passed: false, detail: secret } as const,
  ];
  plantBatch(root, [
    trialWith({ outcome: 'error', reason: 'loop_failed', errors: [`with ${secret}`] }, leak),
  ]);
  const wanted = 'text,json=r.json,junit=r.xml,markdown=r.md,html=r.html';
  const ran = await runEval(root, 'report', '--reporter', wanted);
  expect(ran.code).toBe(0);
  expect(ran.out).toMatch(/^report: batch=first /);
  expect(ran.err).toMatch(/^note: reporter=json file=\S+\/r\.json bytes=\d+\n/);
  const texts = ['r.json', 'r.xml', 'r.md', 'r.html'].map((name) => readFileSync(join(root, name), 'utf8'));
  for (const text of [ran.out, ...texts]) {
    expect(text).not.toContain(secret);
    expect(text).toMatch(/redacted/);
  }
  expectOutput('eval-report', JSON.parse(texts[0] ?? ''));
  expect(texts[1]).toContain('<error type="loop_failed"');
  expect(texts[2]).toMatch(/^### Eval first/);
  expect(texts[3]).toMatch(/^<!doctype html>/);
  const again = await runEval(root, 'report', '--reporter', 'html=r.html', '--reporter', 'junit=r.xml');
  expect(again).toMatchObject({ code: 0, err: '' });
  expect(again.out).toMatch(
    /^report: reporter=html file=\S+ bytes=\d+\nreport: reporter=junit file=\S+ bytes=\d+$/,
  );
  const shown = await runEval(root, 'report', '--reporter', 'junit', '--quiet');
  expect(`${shown.out}\n`).toBe(texts[1]);
});

test('JSON is one object that names the files; the json reporter is the same object', async () => {
  const root = twoBatches();
  const ran = await runEval(root, 'report', 'monday', '--json', '--reporter', 'markdown=r.md');
  const value = JSON.parse(ran.out) as Record<string, unknown>;
  expectOutput('eval-report', value);
  expect(value).toMatchObject({
    command: 'eval report',
    batch_id: 'monday',
    planned: 6,
    overall: { judged: 3 },
  });
  expect(value['files']).toMatchObject([{ reporter: 'markdown', file: join(root, 'r.md') }]);
  const plain = JSON.parse((await runEval(root, 'report', 'monday', '--reporter', 'json')).out) as unknown;
  expect(plain).toEqual({ ...value, files: [] });
  const compared = await runEval(root, 'compare', 'monday', 'tuesday@codex', '--json');
  expectOutput('eval-compare', JSON.parse(compared.out));
  expect(JSON.parse(compared.out)).toMatchObject({
    a: { name: 'monday' },
    b: { name: 'tuesday@codex' },
    pairs: { total: 2, both: 1, only_b: 1 },
    verdict: 'noise',
  });
});

test.each([
  [['report', '--reporter', 'junti'], 64, "there is no reporter 'junti' here; did you mean 'junit'?"],
  [
    ['report', '--json', '--reporter', 'text'],
    64,
    "--json and the reporter 'text' both write to standard output",
  ],
  [['compare', 'monday', 'tuesday@codex', '--reporter', 'junit=x'], 64, "there is no reporter 'junit' here"],
  [['compare', 'monday', 'tuesday'], 64, "the batch 'tuesday' has several variants"],
  [['compare', 'monday'], 64, "missing required argument 'b'"],
  [['report', 'mondya'], 1, "there is no batch 'mondya'; did you mean monday?"],
  [['report', '--case', 'c'], 1, "the batch 'tuesday' has no case 'c'"],
  [['report', '--reporter', 'html=no/such/r.html'], 64, 'there is no folder'],
])('eval %j is refused with one message', async (args, code, message) => {
  const root = twoBatches();
  const before = hashFolder(root);
  const ran = await runEval(root, ...args);
  expect(ran.code).toBe(code);
  expect(ran.err).toContain(message);
  expect(ran.err.match(/^error: /gm)).toHaveLength(1);
  expect(ran.out.includes('::')).toBe(false);
  expect(hashFolder(root)).toBe(before);
});

test('a link or a folder in the place of a report is refused', async () => {
  const root = twoBatches();
  mkdirSync(join(root, 'folder.html'));
  symlinkSync('elsewhere.html', join(root, 'link.html'));
  for (const name of ['folder.html', 'link.html']) {
    const ran = await runEval(root, 'report', '--reporter', `html=${name}`);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('LAYOUT_INVALID');
  }
});

test('a record that cannot be read gives one warning and hides nothing else', async () => {
  const root = twoBatches();
  const dir = join(root, 'eval/results/a/eval-20260131_010000-zzzzzz');
  mkdirSync(dir);
  writeFileSync(join(dir, 'meta.json'), '{"outcome"');
  const ran = await runEval(root, 'report', 'monday', '--reporter', 'text,markdown=r.md');
  expect(ran.code).toBe(0);
  expect(ran.out).toContain('trials=6 success=2 ');
  expect(ran.err.match(/^warning: /gm)).toHaveLength(1);
  expect(readFileSync(join(root, 'r.md'), 'utf8')).toContain('**Warnings**');
  const compared = await runEval(root, 'compare', 'monday', 'monday');
  expect(compared.err.match(/^warning: /gm)).toHaveLength(1);
  rmSync(join(root, 'eval'), { recursive: true });
  expect(await runEval(root, 'report')).toMatchObject({ code: 1, out: '' });
});

/** 100 trials of ten cases with a known rate, the same in every run. */
function drawn(seed: number, rate: number) {
  const draw = drawFrom(seed);
  return Array.from({ length: 100 }, (_, index) =>
    trialWith({
      case_id: `case-${index % 10}`,
      repeat: Math.floor(index / 10) + 1,
      outcome: draw() < rate ? 'success' : 'fail',
    }),
  );
}

test('two sets of rate 0.7 are noise; 0.9 against 0.5 is a difference', async () => {
  const root = tempFolder('eval-compare');
  plantBatch(root, drawn(31, 0.7), { batch_id: 'first' });
  plantBatch(root, drawn(32, 0.7), { batch_id: 'second' });
  plantBatch(root, drawn(33, 0.9), { batch_id: 'good' });
  plantBatch(root, drawn(34, 0.5), { batch_id: 'bad' });
  const same = await runEval(root, 'compare', 'first', 'second');
  expect(same.code).toBe(0);
  expect(same.out).toMatch(/compare: pairs=100 .* verdict=noise pairs_needed=/);
  expect(same.out).toContain('compare: The difference is within noise: ');
  const other = await runEval(root, 'compare', 'bad', 'good', '--reporter', 'text,html=c.html,markdown=c.md');
  expect(other.out).toMatch(/compare: pairs=100 .* verdict=difference pairs_needed=-/);
  expect(other.out).toContain('compare: The difference is more than noise: B (good) is better; ');
  expect(readFileSync(join(root, 'c.html'), 'utf8')).toContain('class="verdict difference"');
  expect(readFileSync(join(root, 'c.md'), 'utf8')).toContain('**The difference is more than noise');
});

import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chooseCases, loadCases } from '../../../src/eval/harness/case-files.ts';
import type { LoadedCases } from '../../../src/eval/harness/case-files.ts';
import { evalPlace } from '../../../src/eval/harness/place.ts';
import { caseText } from '../../support/eval-samples.ts';
import { scratchFolder } from '../../support/scratch.ts';

const script = '{"version": 1, "steps": []}';

function casesOf(files: Readonly<Record<string, string>>): { dir: string; load: () => Promise<LoadedCases> } {
  const place = evalPlace({ root: scratchFolder(), cases: null });
  const dir = place.casesDir;
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  return { dir, load: () => loadCases(place) };
}

const idsOf = ({ cases }: LoadedCases): readonly string[] => cases.map((loaded) => loaded.case.id);

describe('case files', () => {
  test('no folder is no case; other files and folders are none', async () => {
    expect(await casesOf({}).load()).toEqual({ cases: [], problems: [] });
    const { load } = casesOf({ 'notes.md': 'x', 'deep/a.toml': caseText(), 'fixtures/x': '' });
    expect(await load()).toEqual({ cases: [], problems: [] });
  });

  test('sorted by file; the id stands in the file', async () => {
    const { dir, load } = casesOf({ 'b.toml': caseText({ id: 'one' }), 'a.toml': caseText({ id: 'two' }) });
    const loaded = await load();
    expect(idsOf(loaded)).toEqual(['two', 'one']);
    expect(loaded.cases[0]).toMatchObject({
      file: join(dir, 'a.toml'),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
    });
  });

  test('one bad file hides no other; each problem has its place', async () => {
    const { dir, load } = casesOf({
      '1.toml': caseText({ id: 'good' }),
      '2.toml': '[case]\nid = "x"\ngaol = "y"\n',
      '3.toml': '[case\n',
      '4.toml': caseText({ id: 'fine' }),
      '5.toml': `${caseText({ id: 'late' })}\n[[checks]]\ntype = "tree"\npasses = true\nmax_dept = 3\n`,
    });
    const loaded = await load();
    expect(idsOf(loaded)).toEqual(['good', 'fine']);
    expect(loaded.problems).toEqual([
      {
        file: join(dir, '2.toml'),
        lines: [
          `${dir}/2.toml:3:1: case.gaol: unknown key; did you mean case.goal?`,
          `${dir}/2.toml:1:1: case.goal: is missing; must be the goal (text that is not blank)`,
          `${dir}/2.toml: checks: is missing; must be a list of tables: [[checks]]`,
        ],
      },
      {
        file: join(dir, '3.toml'),
        lines: [expect.stringMatching(/3\.toml:1:\d+: this is not valid TOML: /)],
      },
      {
        file: join(dir, '5.toml'),
        lines: [`${dir}/5.toml:10:1: checks[1].max_dept: unknown key; did you mean checks[].max_depth?`],
      },
    ]);
  });

  test('an id that is taken, a link, a file that is no text, a file that is too large', async () => {
    const { dir, load } = casesOf({
      'a.toml': caseText({ id: 'same' }),
      'b.toml': caseText({ id: 'same', top: '# another\n' }),
      'd.toml': 'x = "'.padEnd(17 * 1024 * 1024, 'y'),
    });
    symlinkSync(join(dir, 'a.toml'), join(dir, 'c.toml'));
    writeFileSync(join(dir, 'e.toml'), Buffer.from([0xff]));
    const loaded = await load();
    expect(idsOf(loaded)).toEqual(['same']);
    expect(loaded.problems.map(({ lines }) => lines)).toEqual([
      [`${dir}/b.toml:3:1: case.id: 'same' is the id of ${dir}/a.toml already`],
      [expect.stringContaining('c.toml is a symbolic link')],
      [expect.stringContaining('bytes, more than 16777216')],
      [expect.stringContaining('e.toml is not valid UTF-8 (byte 0)')],
    ]);
  });

  test('more problems than anybody reads are counted', async () => {
    const keys = Array.from({ length: 300 }, (_, index) => `zz${index} = 1\n`).join('');
    const { dir, load } = casesOf({ 'a.toml': caseText({ top: keys }) });
    const [problem] = (await load()).problems;
    expect(problem?.lines.at(-1)).toMatch(new RegExp(`^${dir}/a\\.toml: and \\d+ more$`));
    expect(problem?.lines.length).toBeLessThan(300);
  });
});

describe('fixture and oracle', () => {
  const files = {
    'a.toml': caseText({ top: 'fixture = "fix"\n', more: '[oracle]\nscript = "a.json"\n' }),
    'fix/x.js': 'one',
    'fix/deep/y.js': 'two',
    'a.json': script,
  };
  const hashOf = async (changed: Readonly<Record<string, string>>): Promise<string> => {
    const { cases, problems } = await casesOf({ ...files, ...changed }).load();
    expect(problems).toEqual([]);
    return String(cases[0]?.hash);
  };

  test('the hash is of all three, by content and name', async () => {
    const first = await hashOf({});
    expect(await hashOf({})).toBe(first);
    const others = [
      await hashOf({ 'a.toml': `${files['a.toml']}# more\n` }),
      await hashOf({ 'fix/x.js': 'One' }),
      await hashOf({ 'fix/deep/z.js': '' }),
      await hashOf({ 'fix/x.js': 'onetwo', 'fix/deep/y.js': '' }),
      await hashOf({ 'a.json': `${script}\n` }),
    ];
    expect(new Set([first, ...others]).size).toBe(6);
  });

  test('a file of the fixture that becomes a program is a change', async () => {
    const { dir, load } = casesOf(files);
    const before = (await load()).cases[0]?.hash;
    chmodSync(join(dir, 'fix/x.js'), 0o755);
    expect((await load()).cases[0]?.hash).not.toBe(before);
  });

  test('what is not there, or wrong, is a problem of the case at its line', async () => {
    const { dir, load } = casesOf({ ...files, 'a.json': '{"version": 2, "steps": []}' });
    rmSync(join(dir, 'fix'), { recursive: true });
    const found = (await load()).problems[0]?.lines;
    expect(found).toEqual([
      `${dir}/a.toml:1:1: fixture: there is no folder ${dir}/fix`,
      expect.stringContaining(`${dir}/a.toml:6:1: oracle.script: ${dir}/a.json: /version: `),
    ]);
    rmSync(join(dir, 'a.json'));
    expect((await load()).problems[0]?.lines[1]).toContain('there is no such file');
    writeFileSync(join(dir, 'fix'), 'a file');
    expect((await load()).problems[0]?.lines[0]).toContain('there is no folder');
    rmSync(join(dir, 'fix'));
    mkdirSync(join(dir, 'fix'));
    symlinkSync('/etc/passwd', join(dir, 'fix/link'));
    expect((await load()).problems[0]?.lines[0]).toContain(
      'fix/link is a link that leads out of the fixture',
    );
    rmSync(join(dir, 'fix/link'));
    symlinkSync('../../a.toml', join(dir, 'fix/link'));
    expect((await load()).problems[0]?.lines[0]).toContain('leads out of the fixture');
  });
});

test('links inside a fixture, a history, hidden files and those of the oracle are parts of the case', async () => {
  const more = '[hidden]\nfixture = "hid"\n[oracle]\ncommand = ["sh", "x"]\nfixture = "sol"\n';
  const text = caseText({ top: 'fixture = "fix"\nhistory = "h.bundle"\n', more });
  const bundle = '# v2 git bundle\nx';
  const files = { 'a.toml': text, 'fix/x': '1', 'h.bundle': bundle, 'hid/t': '2', 'sol/x': '3' };
  const hashes = new Set<string>();
  for (const change of [
    {},
    { 'h.bundle': `${bundle}y` },
    { 'hid/t': '9' },
    { 'sol/x': '9' },
    { 'fix/link': '' },
  ]) {
    const { dir, load } = casesOf({ ...files, ...change });
    if ('fix/link' in change) {
      rmSync(join(dir, 'fix/link'));
      symlinkSync('x', join(dir, 'fix/link'));
    }
    const { cases, problems } = await load();
    expect(problems).toEqual([]);
    hashes.add(String(cases[0]?.hash));
  }
  expect(hashes.size).toBe(5);
  const { load } = casesOf({ ...files, 'h.bundle': 'no bundle' });
  expect((await load()).problems[0]?.lines).toEqual([
    expect.stringContaining('h.bundle is not a git bundle'),
  ]);
});

describe('choosing', () => {
  test('an unknown case, with the nearest; a named one that may be among the bad files', async () => {
    const { load } = casesOf({ 'a.toml': caseText({ id: 'alpha' }) });
    const loaded = await load();
    const choose = (id: string, from: LoadedCases = loaded): unknown => {
      try {
        return chooseCases(from, { ids: [id], tags: [] }).length;
      } catch (error) {
        return error;
      }
    };
    expect(choose('alpha')).toBe(1);
    expect(choose('alpa')).toMatchObject({
      code: 'EVAL_CASE_UNKNOWN',
      message: "there is no case 'alpa'; did you mean alpha?",
      hint: 'runner eval list',
    });
    expect(choose('zzz')).toMatchObject({ code: 'EVAL_CASE_UNKNOWN', message: "there is no case 'zzz'" });
    const broken = { ...loaded, problems: [{ file: 'x', lines: ['x:1:1: no'] }] };
    expect(choose('alpha', broken)).toBe(1);
    expect(choose('zzz', broken)).toMatchObject({ code: 'EVAL_CASE_INVALID', details: ['x:1:1: no'] });
    const two = { ...broken, problems: [...broken.problems, { file: 'y', lines: ['y: no'] }] };
    expect(choose('zzz', two)).toMatchObject({
      message: "there is no sound case 'zzz', and 2 case files have problems",
    });
  });
});

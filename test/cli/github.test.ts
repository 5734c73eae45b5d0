/** `--reporter github`: groups, annotations and the job summary; nothing an agent or a guard says is obeyed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  disarm,
  findFilePosition,
  renderCommand,
  renderJobSummary,
} from '../../src/cli/output/github-text.ts';
import { fuzzCases } from '../support/fuzz.ts';
import { answer, project, write } from '../support/project.ts';
import { node } from '../support/trees.ts';

const nasty = fc.string({
  unit: fc.constantFrom(
    '::',
    '##[',
    'error',
    ' ',
    '\n',
    '\r',
    '%',
    ':',
    ',',
    '|',
    'x',
    '\u001b[2J',
    '`',
    '<b>',
    '@',
  ),
  maxLength: 40,
});

/** As GitHub's runner finds commands in a line. */
function isObeyed(line: string): boolean {
  return line.trimStart().startsWith('::') || line.includes('##[');
}

describe('text', () => {
  test.each([
    [renderCommand('endgroup', ''), '::endgroup::\n'],
    [
      renderCommand('warning', '50% of\n::it', { title: 'a:b,c' }),
      '::warning title=a%3Ab%2Cc::50%25 of ::it\n',
    ],
    [renderCommand('error', 'x', { file: 'a.ts', line: 3 }), '::error file=a.ts,line=3::x\n'],
  ])('%j', (command, text) => {
    expect(command).toBe(text);
  });

  test('a command is one line, whatever it says', () => {
    fc.assert(
      fc.property(nasty, nasty, (message, title) => {
        const text = renderCommand('error', message, { title });
        expect(text).toMatch(/^::error title=[^\n\r:,]*::[^\n\r]*\n$/u);
        expect(decodeURIComponent(text.replaceAll(/%(?![0-9A-F]{2})/gu, '%25'))).not.toContain('\u001b');
      }),
      fuzzCases(500),
    );
  });

  test('disarmed text has no command', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        for (const line of disarm(text).split(/\r\n|\r|\n/u)) expect(isObeyed(line), line).toBe(false);
      }),
    );
    expect(disarm('iter 1: a::b\n  note: x\n')).toBe('iter 1: a::b\n  note: x\n');
  });

  test.each([
    ['src/a.ts:12:5 - error', { file: 'src/a.ts', line: 12 }],
    ['src/a.ts(12,5): error TS1', { file: 'src/a.ts', line: 12 }],
    ['  at test (test/b.test.js:7:3)', { file: 'test/b.test.js', line: 7 }],
    ['config.toml:3', { file: 'config.toml', line: 3 }],
    ['/etc/passwd.txt:3', null],
    ['../up.ts:3', null],
    ['12:30 is no place', null],
    ['http://example.com:80/', null],
    ['nothing', null],
  ])('the place in %j', (text, place) => {
    expect(findFilePosition(text)).toEqual(place);
  });

  test('the job summary is markdown that says nothing else', () => {
    const record = {
      run_id: 'r',
      iter: 1,
      node_id: 'a',
      node_path: 'root/a',
      title: 'Do | it',
      status: 'done',
      guard: 'fail',
      commit: '',
      message: 'broke | <img src=x> [link](http://x) @someone `code`\n# big',
      tokens: 1234,
      cost_usd: null,
      failure: null,
      duration_ms: { agent: 61_000, guard: 1000, review: 0 },
      waited_secs: 0,
    } as const;
    expect(renderJobSummary({ title: 'runner', records: [record], rows: [['passed', '0']] })).toBe(
      [
        '### runner',
        '',
        '| Iteration | Node | Status | Guard | Time | Used | Why |',
        '| --------: | ---- | ------ | ----- | ---: | ---- | --- |',
        String.raw`| 1 | a Do \| it | done | fail | 01:02 | 1,234 tokens | broke \| &lt;img src=x\> \[link\]\(http&#58;//x\) &#64;someone \`code\` \# big |`,
        '',
        '| Total | |',
        '| ----- | --- |',
        '| passed | 0 |',
        '',
        '',
      ].join('\n'),
    );
    const many = renderJobSummary({
      title: '',
      records: Array.from({ length: 501 }, () => record),
      rows: [],
    });
    expect(many).toContain('1 earlier iteration is left out.');
  });
});

const guard = `if [ -f good.txt ]; then exit 0; fi
echo "src/x.ts:3:1 bad, 100%"; echo "::error::injected"; echo " ##[error]injected"; exit 1`;

test('a loop in a workflow', async () => {
  const p = await project({
    tree: node('root'),
    guard: ['sh', '-c', guard],
    script: [
      {
        actions: [{ print: '::add-mask::x\n##[group]y\n' }, write('a.txt', 'a\n')],
        answer: answer('done', 'half'),
      },
      { actions: [write('good.txt', 'a\n')], answer: answer('done', 'all') },
    ],
    prefix: 'app/',
  });
  const summary = join(p.base, 'summary.md');
  const env = { GITHUB_STEP_SUMMARY: summary, GITHUB_WORKSPACE: p.top };
  const ran = await p.runWith(env, 'loop', '--reporter', 'github', '--verbose');
  expect(ran, ran.err).toMatchObject({ code: 0 });
  expect(ran.out.split('\n')).toEqual([
    '::group::iter 1: root root title, with scripted',
    '::endgroup::',
    '::warning title=iter 1 node root root title::the guard ended with exit code 1',
    '::warning file=app/src/x.ts,line=3,title=iter 1 node root root title::src/x.ts:3:1 bad, 100%25',
    'loop: step run=test iter=1 node=root status=done guard=fail',
    '::group::iter 2: root root title, with scripted',
    '::endgroup::',
    'loop: step run=test iter=2 node=root status=done guard=pass',
    'loop: status=complete run=test steps=2 started_at_iter=1',
    '::notice::run test is complete; runner finish test',
  ]);
  expect(ran.err).toContain('injected');
  expect(ran.err.split('\n').filter(isObeyed)).toEqual([]);
  const text = readFileSync(summary, 'utf8');
  expect(text).toContain('### runner loop: complete\n');
  expect(text).toMatch(
    /^\| 1 \| root root title \| done \| fail \| 00:0\d \| {2}\| the guard ended with exit code 1 \|$/mu,
  );
  expect(text).toContain('\n| iterations | 2 |\n');
});

test('errors, a stuck run, a step, and a summary that cannot be written', async () => {
  const p = await project({ tree: node('root', { attempts: 2 }), script: [{ answer: answer('retry') }] });
  const stepped = await p.runWith({ GITHUB_STEP_SUMMARY: p.dir }, 'step', '--reporter=github');
  expect(stepped).toMatchObject({ code: 0 });
  expect(stepped.err).toContain('warning: the job summary could not be written: EISDIR');
  const stuck = await p.run('loop', '--reporter', 'github');
  expect(stuck.code).toBe(3);
  expect(stuck.out.split('\n').at(-1)).toBe(
    '::error title=stuck::run test is stuck at root root title; runner explain, then: runner retry root, then: runner loop',
  );
  p.put('::error::name.txt', 'x\n');
  const dirty = await p.run('loop', '--reporter', 'github');
  expect(dirty.code).toBe(1);
  expect(dirty.out).toMatch(/^::error title=GIT_DIRTY::the work tree is not clean/u);
  expect(dirty.err.split('\n').filter(isObeyed)).toEqual([]);
});

/**
 * Malformed answers of an agent: each is recorded as no answer with the exact error (§5), uses no attempt, leaves the tree as it
 * was, and the loop goes on to the next one.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { project } from '../support/project.ts';

interface BadAnswer {
  readonly name: string;
  /** What the agent leaves as its answer, or shell commands that make `$RUNNER_OUTPUT`. */
  readonly content?: string | Buffer;
  readonly shell?: string;
  readonly says: RegExp;
}

const schema = 'the answer does not fit its schema: ';

function fits(fields: Record<string, unknown>): string {
  return JSON.stringify({ status: 'retry', summary: 's', children: null, ...fields });
}

const answers: readonly BadAnswer[] = [
  { name: 'none', shell: 'true', says: /gave no answer/ },
  { name: 'nothing in it', content: '', says: /not valid JSON: line 1, column 1: / },
  { name: 'prose', content: 'I am done.\n', says: /not valid JSON: line 1, column 1: / },
  { name: 'a code fence', content: '```json\n{}\n```\n', says: /not valid JSON: line 1, column 1: / },
  { name: 'text after it', content: `${fits({})}\nBye!`, says: /not valid JSON: line 2, column 1: / },
  { name: 'a byte order mark', content: `\ufeff${fits({})}`, says: /not valid JSON: line 1, column 1: / },
  {
    name: 'invalid UTF-8',
    content: Buffer.from([0x7b, 0xff]),
    says: /the answer cannot be read: .*not valid UTF-8/,
  },
  { name: 'UTF-16', content: Buffer.from(fits({}), 'utf16le'), says: /not valid JSON: line 1, column 2: / },
  { name: 'NUL bytes', content: '\u0000'.repeat(100), says: /not valid JSON: line 1, column 1: / },
  {
    name: 'a lone surrogate',
    content: '{"status":"retry","summary":"\\ud83d"}',
    says: /not valid JSON: line 1, column \d+: .*surrogate/i,
  },
  {
    name: 'a key twice',
    content: '{"status":"retry","status":"done","summary":"s"}',
    says: /not valid JSON: line 1, column 19: /,
  },
  {
    name: '__proto__',
    content: '{"__proto__":{"status":"done"},"summary":"s"}',
    says: /not valid JSON: line 1, column 2: .*__proto__/,
  },
  { name: '1e400', content: fits({}).replace('null', '1e400'), says: /not valid JSON: line 1, column \d+: / },
  {
    name: 'a million lists deep',
    shell: `head -c 1000000 /dev/zero | tr '\\0' '[' >"$RUNNER_OUTPUT"`,
    says: /has 1000000 bytes; at most 65536 are allowed/,
  },
  {
    name: 'sixty thousand lists deep',
    content: '['.repeat(60_000),
    says: /not valid JSON: line 1, column \d+: /,
  },
  { name: 'a list', content: '[]', says: new RegExp(`${schema}must be an object`) },
  { name: 'null', content: 'null', says: new RegExp(`${schema}must be an object`) },
  {
    name: 'an empty object',
    content: '{}',
    says: new RegExp(`${schema}missing key 'status'; missing key 'summary'`),
  },
  {
    name: 'an unknown status',
    content: fits({ status: 'finished' }),
    says: /status must be one of done, retry, decomposed/,
  },
  {
    name: 'capitals',
    content: fits({ status: 'Done' }),
    says: /status must be one of done, retry, decomposed/,
  },
  { name: 'a summary that is no text', content: fits({ summary: ['x'] }), says: /summary must be a string/ },
  { name: 'an unknown key', content: fits({ passes: true }), says: /unknown key 'passes'/ },
  { name: 'an escape code as key', content: fits({ '\u001b[2J': 1 }), says: /unknown key '[^\u001b]+'/ },
  {
    name: 'children as text',
    content: fits({ children: 'two' }),
    says: /children must be a list or null|children must be /,
  },
  {
    name: 'a child without a goal',
    content: fits({ children: [{ title: 't', acceptance: [] }] }),
    says: /children\[0\]: missing key 'goal'/,
  },
  {
    name: 'a child with an id',
    content: fits({ children: [{ id: 'x', title: 't', goal: 'g', acceptance: [] }] }),
    says: /children\[0\]: unknown key 'id'/,
  },
  { name: 'over 64 KiB', content: fits({ summary: 'x'.repeat(65_536) }), says: /at most 65536 are allowed/ },
  {
    name: '100 MB (sparse)',
    shell: 'truncate -s 100000000 "$RUNNER_OUTPUT"',
    says: /has 100000000 bytes; at most 65536 are allowed/,
  },
  {
    name: 'a folder',
    shell: 'mkdir -p "$RUNNER_OUTPUT/sub"; echo x >"$RUNNER_OUTPUT/sub/f"',
    says: /the answer cannot be read: .* is a folder/,
  },
  { name: 'a FIFO', shell: 'mkfifo "$RUNNER_OUTPUT"', says: /the answer cannot be read: .* is a named pipe/ },
  {
    name: 'a link to a good answer',
    shell: 'cp ../answers/good ../answers/linked; ln -s "$PWD/../answers/linked" "$RUNNER_OUTPUT"',
    says: /the answer cannot be read: .* is a symbolic link/,
  },
  {
    name: 'a link to /dev/zero',
    shell: 'ln -s /dev/zero "$RUNNER_OUTPUT"',
    says: /the answer cannot be read: .* is a symbolic link/,
  },
];

test(`${answers.length} malformed answers`, async () => {
  const p = await project({
    agent: 'name = "command"\ncommand = ["sh", "-c", ". ../answers/$RUNNER_ITER.sh"]\nmax_failures = 1000',
    config: `max_iterations = ${answers.length}`,
  });
  const folder = join(p.base, 'answers');
  mkdirSync(folder);
  writeFileSync(join(folder, 'good'), fits({ status: 'done' }));
  for (const [index, { content, shell }] of answers.entries()) {
    if (content !== undefined) writeFileSync(join(folder, String(index + 1)), content);
    writeFileSync(join(folder, `${index + 1}.sh`), shell ?? 'cp "../answers/$RUNNER_ITER" "$RUNNER_OUTPUT"');
  }
  const tree = p.read('.runner/state/tree.json');
  const work = await p.git('ls-tree', 'HEAD');
  const ran = await p.run('loop', '--quiet');
  console.log(`bad answers: ${answers.length}`);
  expect(ran, ran.err).toMatchObject({ code: 1 });
  expect(ran.err).toMatch(/^error: the run has used its iterations .* \[ITERATION_LIMIT\]\n/);
  const wrong = answers.flatMap(({ name, says }, index) => {
    const iter = index + 1;
    const line = `loop: step run=test iter=${iter} node=root status=retry guard=skipped`;
    if (!ran.out.split('\n').includes(line)) return [`${name}: not recorded`];
    const error = p.log(iter, 'agent_error.log');
    return says.test(error) && !/\bat .+:\d+:\d+/.test(error) ? [] : [`${name}: ${error.slice(0, 300)}`];
  });
  expect(wrong).toEqual([]);
  expect(p.read('.runner/state/tree.json')).toBe(tree);
  expect(p.tree().attempts).toBe(0);
  const left = (await p.git('ls-tree', 'HEAD')).split('\n').filter((line) => !line.endsWith('\t.runner'));
  expect(left).toEqual(work.split('\n').filter((line) => !line.endsWith('\t.runner')));
  const prompt = p.log(2, 'prompt.md');
  expect(prompt, 'the next session is told').toContain('there is no answer');
  expect(await p.status()).toBe('');
});

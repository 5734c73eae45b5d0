/** The `command` agent and the guard as processes: environment, input, answer, folder, what they leave behind. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { entryFile, project } from '../support/project.ts';
import { recorded } from '../support/record.ts';
import { fixtures, isAlive, playAgent, playGuard, shellAgent, shellGuard } from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';

function variables(file: string): Record<string, string> {
  const entries = readFileSync(file, 'utf8')
    .split('\0')
    .filter((entry) => entry !== '');
  return Object.fromEntries(
    entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  );
}

const secrets = {
  SECRET_TOKEN: 'do not tell',
  ALLOWED_TOKEN: 'tell',
  OPENAI_API_KEY: 'sk-1',
  ANTHROPIC_API_KEY: 'sk-2',
  CODEX_API_KEY: 'sk-3',
  JUST_CHOOSER: 'fzf',
  GIT_EDITOR: 'false',
  MY_BUILD_FLAG: '1',
  TZ: 'UTC',
  LC_TIME: 'C',
};

test('environment, folder, prompt on stdin, answer file; the guard has the user’s environment without credentials', async () => {
  const goal = `# Goal\n\n${'A long line of the goal, with ünïcode.\n'.repeat(4000)}`;
  const p = await project({
    agent: `name = "command"\ncommand = ['sh', '-c', '. "$HOME/agent.sh"', 'zero', 'one two']\nextra_args = ["--last"]\nenv = ["ALLOWED_TOKEN"]`,
    guard: shellGuard,
    goal,
    config: 'prompt_budget_bytes = 200000',
    tree: node('root', { children: [node('leaf')] }),
  });
  playAgent(
    p,
    `env -0 > "$HOME/agent.env"; pwd > "$HOME/agent.pwd"; cat > "$HOME/agent.stdin"
    printf '%s|' "$@" > "$HOME/agent.args"; ls -d "$RUNNER_SCHEMA" > /dev/null
    echo '{"status":"retry","summary":"printed, not the answer"}'
    echo work > work.txt; answer done "from the file"`,
  );
  playGuard(p, 'env -0 > "$HOME/guard.env"; pwd > "$HOME/guard.pwd"; cat > "$HOME/guard.stdin"');
  const ran = await p.runWith(secrets, 'step');
  expect(ran, ran.err).toMatchObject({
    code: 0,
    out: 'step: run=test iter=1 node=leaf status=done guard=pass',
  });
  expect((await recorded(p, 1)).runState.last_summary).toBe('from the file');

  const agent = variables(join(p.home, 'agent.env'));
  expect(agent).toMatchObject({
    HOME: p.home,
    ALLOWED_TOKEN: 'tell',
    TZ: 'UTC',
    LC_TIME: 'C',
    RUNNER_RUN_ID: 'test',
    RUNNER_ITER: '1',
    RUNNER_NODE_ID: 'leaf',
    RUNNER_WORK_TREE: p.top,
    RUNNER_ROLE: 'agent',
    RUNNER_SCHEMA: join(p.top, '.git/runner/answer.schema.json'),
  });
  expect(agent['RUNNER_OUTPUT'], 'out of the work tree').toMatch(/\/\.git\/runner\//u);
  const shell = ['PWD', 'OLDPWD', 'SHLVL', '_'];
  expect(
    Object.keys(agent)
      .filter((name) => !shell.includes(name) && !name.startsWith('RUNNER_'))
      .toSorted(),
  ).toEqual(['ALLOWED_TOKEN', 'HOME', 'LANG', 'LC_TIME', 'MY_BUILD_FLAG', 'PATH', 'TMPDIR', 'TZ']);
  expect(readFileSync(join(p.home, 'agent.pwd'), 'utf8')).toBe(`${p.dir}\n`);
  expect(readFileSync(join(p.home, 'agent.args'), 'utf8')).toBe('one two|--last|');
  const prompt = readFileSync(join(p.home, 'agent.stdin'), 'utf8');
  expect(prompt).toBe(p.log(1, 'prompt.md'));
  expect(prompt.length, 'more than a pipe holds').toBeGreaterThan(100_000);
  expect(prompt).toContain('A long line of the goal, with ünïcode.');

  const guard = variables(join(p.home, 'guard.env'));
  expect(guard).toMatchObject({
    MY_BUILD_FLAG: '1',
    RUNNER_RUN_ID: 'test',
    RUNNER_NODE_ID: 'leaf',
  });
  for (const name of [
    'SECRET_TOKEN',
    'ALLOWED_TOKEN',
    'OPENAI_API_KEY',
    'ANTHROPIC_API_KEY',
    'CODEX_API_KEY',
    'JUST_CHOOSER',
    'GIT_EDITOR',
    'RUNNER_OUTPUT',
  ])
    expect(guard[name], name).toBeUndefined();

  expect(readFileSync(join(p.home, 'guard.pwd'), 'utf8')).toBe(`${p.dir}\n`);
  expect(readFileSync(join(p.home, 'guard.stdin'), 'utf8')).toBe('');
});

test('answer on stdout, leftover processes, and a session that tries to drive the runner', async () => {
  const p = await project({ agent: shellAgent, tree: node('root', { max_attempts: 9 }) });
  playAgent(
    p,
    `echo 'Thinking {"status": "done", "summary": "early", "children": null} … done:'
    echo '\`\`\`json'; echo '{"status": "retry",'; echo ' "summary": "the {last} one", "children": null}'; echo '\`\`\`'; echo bye`,
  );
  expect((await p.run('step')).out).toBe('step: run=test iter=1 node=root status=retry guard=skipped');
  expect((await recorded(p, 1)).last).toMatchObject({ summary: 'the {last} one' });

  playAgent(
    p,
    `echo '{"status":"done","summary":"printed","children":null}'; echo 'connecting' >&2; echo 'fatal: cannot reach the model' >&2; exit 1`,
  );
  const why = 'the agent ended with exit code 1: fatal: cannot reach the model';
  expect((await p.run('step')).err).toContain(why);
  expect((await recorded(p, 2)).errorLog).toBe(`runner_error.log: ${why}\n`);
  expect((await p.run('log', '2', '--agent')).out).toMatch(
    /printed[^]*\n=== stderr ===\nconnecting\nfatal: cannot reach the model$/u,
  );
  playAgent(
    p,
    `echo '{"status":"done","summary":"printed","children":null}'; echo rubbish > "$RUNNER_OUTPUT"`,
  );
  await p.run('step');
  expect((await recorded(p, 3)).errorLog, 'the file stands above stdout').toContain('not valid JSON');

  const leaves = ['setsid-child', 'leaves-grandchild', 'double-fork'];
  playAgent(
    p,
    `${leaves.map((name) => `"${process.execPath}" "${fixtures}${name}.mjs" >> "$HOME/left"`).join('\n')}
    answer retry "left three"`,
  );
  expect((await p.run('step')).code).toBe(0);
  const left = readFileSync(join(p.home, 'left'), 'utf8').trim().split('\n').map(Number);
  expect(left.length).toBe(3);
  expect(left.filter(isAlive)).toEqual([]);
  const { notes } = (await recorded(p, 4)).meta;
  expect(notes.length).toBe(3);
  for (const pid of left)
    expect(notes.join('\n')).toMatch(new RegExp(`ended a process the session left behind: .*${pid}`, 'u'));

  playAgent(
    p,
    `run() { "${process.execPath}" "${entryFile}" "$@" >> "$HOME/inner" 2>&1 || echo "exit $?" >> "$HOME/inner"; }
    run step; run start; run init --force; run select; run validate; answer retry`,
  );
  expect((await p.run('step')).code).toBe(0);
  const inner = readFileSync(join(p.home, 'inner'), 'utf8');
  expect(inner.match(/\[NESTED\]\nhint: .*\nexit 1\n/gu)?.length, inner).toBe(3);
  expect(inner).toContain('select: status=open id=root path=root');
  expect(inner).toContain('validate: run=ok id=test');
});

test('whatever stands where the answer should be is no answer, and does not stop the next session', async () => {
  const p = await project({ agent: shellAgent, tree: node('root', { max_attempts: 9 }) });
  const good = `echo '{"status":"done","summary":"x","children":null}' > "$HOME/good.json"`;
  const odd = [
    ['is a named pipe', 'mkfifo "$RUNNER_OUTPUT"'],
    ['is a symbolic link', `${good}; ln -s "$HOME/good.json" "$RUNNER_OUTPUT"`],
    ['but gave no answer', 'rm -rf "$(dirname "$RUNNER_OUTPUT")"'],
    ['is a folder', 'mkdir "$RUNNER_OUTPUT"; echo x > "$RUNNER_OUTPUT/x"'],
  ] as const;
  for (const [index, [told, script]] of odd.entries()) {
    playAgent(p, script);
    const ran = await p.run('step');
    expect(ran, ran.err).toMatchObject({ code: 0 });
    const record = await recorded(p, index + 1);
    expect(record.errorLog).toContain('agent_error.log: ');
    expect(record.errorLog).toContain(told);
  }
  playAgent(p, 'echo work > work.txt; answer done');
  const after = await p.run('step');
  expect(after, after.err).toMatchObject({
    code: 0,
    out: 'step: run=test iter=5 node=root status=done guard=pass',
  });
});

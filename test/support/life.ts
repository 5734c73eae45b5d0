/**
 * The whole life of runs in a project, as a person plays it with the built program: init, mistakes and what their hints lead to, a loop that
 * is steered while it works, finish, a second goal, abandon, clean.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { ErrorCode } from '../../src/core/errors.ts';
import { bareProject } from './project.ts';
import type { Project, Ran } from './project.ts';
import { readRefusal, typeHint } from './refusals.ts';
import { waitUntil } from './scratch.ts';
import { fakeProgram } from './shell-agent.ts';

export interface Kind {
  readonly files: Readonly<Record<string, string>>;
  /** What `init` says it has found. */
  readonly found: string;
  /** A program of the language, where the machine's own is not to be needed. */
  readonly fake?: string;
}

const check = `if [ -e bad.txt ]; then echo "ok 1"; echo "Error: bad.txt is there"; exit 1; fi`;

export const kinds = {
  node: {
    files: {
      'package.json': `${JSON.stringify({ name: 'it', scripts: { test: 'node test.mjs' } })}\n`,
      'test.mjs': `import { existsSync } from 'node:fs';\nif (existsSync('bad.txt')) throw new Error('bad.txt is there');\n`,
    },
    found: 'npm test',
  },
  python: {
    files: {
      'pyproject.toml': '[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
      'tests/test_it.py': 'def test(): pass\n',
    },
    found: 'python3 -m pytest',
    fake: 'python3',
  },
  go: {
    files: { 'go.mod': 'module it\n\ngo 1.22\n', 'it.go': 'package it\n' },
    found: 'go test ./...',
    fake: 'go',
  },
} as const satisfies Readonly<Record<string, Kind>>;

/** Splits, asks a question, then does each leaf when it may; the second one badly the first time. */
const agent = `#!/bin/sh
set -e
say() { printf '{"status":"%s","summary":"%s","children":%s}' "$1" "$2" "\${3:-null}" > "$RUNNER_OUTPUT"; }
echo "working on $RUNNER_NODE_ID"
if [ "$RUNNER_NODE_ID" = root ] && [ ! -e "$HOME/split" ]; then
  touch "$HOME/split"
  printf '\\n- Which colour?\\n' >> .runner/state/questions.md
  kid() { printf '{"title":"%s","goal":"make %s","acceptance":[]}' "$1" "$1"; }
  say decomposed split "[$(kid one),$(kid two),$(kid three)]"
  exit
fi
touch "$HOME/in.$RUNNER_ITER"
until [ -e "$HOME/go.$RUNNER_ITER" ] || [ -e "$HOME/free" ]; do sleep 0.05; done
rm -f bad.txt
echo "$RUNNER_NODE_ID" > "made-$RUNNER_NODE_ID.txt"
if [ "$RUNNER_NODE_ID" = root.2 ] && [ ! -e "$HOME/failed" ]; then touch "$HOME/failed"; echo bad > bad.txt; fi
say done "made $RUNNER_NODE_ID"
`;

export async function playLife(kind: Kind): Promise<void> {
  const p = await bareProject({ files: { ...kind.files, 'agent.sh': agent } });
  if (kind.fake !== undefined) Object.assign(p.env, fakeProgram(p, kind.fake, check));
  await prepare(p, kind);
  await startRun(p);
  await steer(p);
  await finish(p);
  await secondGoal(p);
  await end(p);
}

/** Fails with the code, and the hint is shown. */
async function refuses(p: Project, code: ErrorCode, ...args: readonly string[]): Promise<string> {
  const refusal = readRefusal(await p.run(...args));
  expect(refusal.code, refusal.ran.err).toBe(code);
  return refusal.hint;
}

async function works(p: Project, ...args: readonly string[]): Promise<Ran> {
  const ran = await p.run(...args);
  expect(ran.code, `${args.join(' ')}\n${ran.out}\n${ran.err}`).toBe(0);
  return ran;
}

async function commit(p: Project, message: string): Promise<void> {
  await p.git('add', '-A');
  await p.git('commit', '-q', '-m', message);
}

async function prepare(p: Project, { found }: Kind): Promise<void> {
  expect((await works(p)).out).toContain('First steps:');
  expect(await refuses(p, 'USAGE', 'inti')).toBe('runner --help');
  expect(await refuses(p, 'LAYOUT_MISSING', 'status')).toBe('runner init');
  const made = await works(p, 'init');
  expect(`${made.out}${made.err}`).toContain(found);
  expect(made.err).toContain('next: 1. describe the goal');
  await refuses(p, 'LAYOUT_EXISTS', 'init');
  await refuses(p, 'GOAL_PLACEHOLDER', 'start');
  p.put('.runner/GOAL.md', 'Make three files.\n\nOne file for each part.\n');
  await refuses(p, 'CONFIG_INVALID', 'config', 'set', 'agent.name', 'claud');
  await works(p, 'config', 'set', 'agent.command', '["./agent.sh"]');
  await works(p, 'config', 'set', 'agent.name', 'command');
  // The agent and this test talk through files in HOME, which a sandbox keeps apart.
  await works(p, 'config', 'set', 'sandbox.kind', 'none');
  await commit(p, 'chore: prepare runner');
  await refuses(p, 'GIT_PROTECTED_BRANCH', 'step');
}

async function startRun(p: Project): Promise<void> {
  const begun = await works(p, 'start');
  expect(begun.out).toMatch(/^started run=run-\w+ branch=runner\/run-\w+$/m);
  const hint = await refuses(p, 'AGENT_MISSING', 'step');
  expect(hint).toMatch(/^chmod \+x /);
  await typeHint(p, hint);
  await refuses(p, 'GIT_DIRTY', 'step');
  await commit(p, 'an agent that can run');
  const tree = p.tree();
  p.put('.runner/state/tree.json', JSON.stringify({ ...tree, passes: true }));
  await p.git('add', '-A');
  await typeHint(p, (await refuses(p, 'PASSED_EDITED', 'validate')).split(', or')[0] ?? '');
  expect((await works(p, 'validate', '--quiet')).out).toBe('');
  await refuses(p, 'ITERATION_LIMIT', 'loop', '--max-iterations', '1').then((hint_) =>
    expect(hint_).toBe('runner loop --max-iterations 2'),
  );
}

/** While a loop works: nodes are added, dropped and moved, a question is answered after a pause. */
async function steer(p: Project): Promise<void> {
  const loop = p.start(['loop']);
  onTestFinished(() => void loop.kill('SIGKILL'));
  await waitUntil('the first leaf', () => existsSync(join(p.home, 'in.2')), 60_000);
  const added = await works(p, 'add', 'root', '--title', 'Late', '--before', 'root.2');
  expect(added.out).toContain('status=queued');
  expect(added.err).toContain('a loop is at work');
  expect((await works(p, 'drop', 'root.3', '--why', 'not needed')).out).toContain('status=queued');
  expect((await works(p, 'move', 'root.4', '--after', 'root.2')).out).toContain('status=queued');
  await refuses(p, 'NODE_UNKNOWN', 'drop', 'root.33', '--why', 'x');
  expect((await works(p, 'questions')).out).toContain('question: id=1.1 status=open Which colour?');
  expect(await refuses(p, 'LOCKED', 'answer', '1.1', 'Blue.')).toBe('runner pause --wait');
  expect((await works(p, 'status')).out).toContain('change=waiting');
  expect((await works(p, 'pause')).out).toContain('status=requested');
  writeFileSync(join(p.home, 'go.2'), '');
  const paused = await loop;
  expect(paused.exitCode, paused.stderr).toBe(0);
  expect(paused.stdout).toContain('loop: status=paused');
  expect(paused.stderr).toMatch(/^ {2}questions +1 open: runner questions$/m);

  await refuses(p, 'USAGE', 'answer', '9.9', 'Blue.');
  await works(p, 'answer', '1.1', 'Blue.');
  expect((await works(p, 'questions')).out).toBe('questions: open=0 answered=1');
  await refuses(p, 'NODE_CLOSED', 'retry', 'root.1');
  await refuses(p, 'RUN_OPEN', 'finish');
  writeFileSync(join(p.home, 'free'), '');
  const rest = await works(p, 'loop');
  expect(rest.out).toContain('loop: status=complete');
  expect(await p.subjects()).toEqual(
    expect.arrayContaining(
      ['add root.4', 'drop root.3', 'move root.4'].map((what) => `chore(loop): ${what}`),
    ),
  );
  expect((await works(p, 'log', '3', '--prompt')).out).toContain('Blue.');
}

async function finish(p: Project): Promise<void> {
  const shown = (await works(p, 'tree', '--all')).out;
  expect(shown).toMatch(/\[\/\] root\.3 dropped .*not needed/);
  expect(shown.indexOf('root.2 ')).toBeLessThan(shown.indexOf('root.4 '));
  expect((await works(p, 'log', '--failed')).out).toMatch(
    /node=root\.2 .*title=two reason=the guard failed: .*bad\.txt/,
  );
  expect((await works(p, 'log', '--first-error')).out).toMatch(
    /file=guard\.log line=\d+ error=.*bad\.txt is there/,
  );
  expect((await works(p, 'log', '2', '--agent')).out).toContain('working on root.1');
  expect((await works(p, 'explain', 'root.2')).out).toMatch(
    /history\n {2}iteration 3 +done, guard fail\n {2}iteration 4 +done, guard pass/,
  );
  expect(await p.git('log', '-1', '--format=%B')).toMatch(/^Runner-Title: Late$/m);
  await works(p, 'finish');
  expect(await p.git('branch', '--show-current')).toBe('main');
  expect(await p.git('log', '-1', '--format=%s')).toContain('ake three files');
  expect(await p.git('ls-tree', '--name-only', 'HEAD')).toContain('made-root.4.txt');
  const id =
    (await p.git('for-each-ref', '--format=%(refname)', 'refs/runner/archive')).split('/').at(-1) ?? '';
  await refuses(p, 'RUN_ENDED', 'abandon', id);
}

async function secondGoal(p: Project): Promise<void> {
  await refuses(p, 'RUN_COMPLETE', 'start');
  p.put('.runner/GOAL.md', 'Make it blue.\n');
  await commit(p, 'docs: the next goal');
  await works(p, 'start');
  expect((await works(p, 'step')).out).toContain('status=done guard=pass');
  await refuses(p, 'RUN_UNKNOWN', 'abandon', 'nope');
  await works(p, 'abandon');
}

async function end(p: Project): Promise<void> {
  await works(p, 'clean', '--logs');
  expect((await works(p, 'runs', '--all')).out.match(/state=(?:finished|abandoned)/g)).toHaveLength(2);
  expect(await p.git('branch', '--show-current')).toBe('main');
  expect(await p.status()).toBe('');
  const refs = (await p.git('for-each-ref', '--format=%(refname)')).split('\n');
  expect(refs.filter((ref) => !/^refs\/runner\/archive\/run-[\w-]+$/.test(ref))).toEqual(['refs/heads/main']);
  expect(refs).toHaveLength(3);
  expect(await p.git('fsck', '--strict', '--no-dangling')).toBe('');
}

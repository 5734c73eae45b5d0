/** `--record` and `--replay`: what an agent did, played again byte for byte without it; another prompt is told. */
import { readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { evalProject, putCase } from '../support/eval-project.ts';
import type { EvalProject, TestCase } from '../support/eval-project.ts';
import { expectOutput } from '../support/output-schema.ts';
import { pidsIn } from '../support/shell-agent.ts';
import { runProgram } from '../support/spawner.ts';

/** A real program: bytes, an executable bit, a deletion, an edit of the tree, a note, an exit code of 7, an empty session. */
const script = `set -e
echo $$ >> "$HOME/calls"
answer() { printf '{"status":"%s","summary":"%s","children":%s}' "$1" "$2" "\${3:-null}" > "$RUNNER_OUTPUT"; }
case "$RUNNER_ITER" in
1) answer decomposed split '[{"title":"one","goal":"g","acceptance":["a"]},{"title":"two","goal":"g","acceptance":["a"]}]' ;;
2) printf 'half\\000\\377' > data.bin; echo oops; exit 7 ;;
3) printf '\\000\\001\\377 more' > data.bin; rm gone.txt; chmod +x run.sh; mkdir -p deep; echo " x " > 'deep/ünï cöde.txt'
   echo '- a note' >> .runner/state/assumptions.md; git add -A; git commit -q -m 'the agent commits'; answer done 'first' ;;
4) sed -i 's/"title": "two"/"title": "second"/' .runner/state/tree.json; answer retry 'again' ;;
*) ln -s run.sh link; answer done 'second' ;;
esac
`;

const recorded: TestCase = {
  agent: `name = "command"\ncommand = ['sh', '-c', ${JSON.stringify(script)}]`,
  config: 'max_iterations = 9',
  files: { 'gone.txt': 'gone\n', 'run.sh': 'true\n' },
  checks: [{ type: 'runner_completed' }, { type: 'file_exists', path: 'link' }],
};

async function filesOf(p: EvalProject, workspace: string) {
  const args = ['ls-tree', '-r', 'HEAD'];
  const { stdout } = await runProgram({ program: 'git', args, cwd: join(p.dir, workspace), env: p.env });
  // The two kinds of trial differ in who works, and so in the settings and in what the runner keeps of them.
  return stdout.split('\n').filter((line) => !/config\.toml|run_state\.json/u.test(line));
}

async function seen(p: EvalProject) {
  const { meta, read, dir } = p.trial('rec');
  // A prompt also says how its agent answers; the task is the same whoever works.
  const tasks = readdirSync(join(dir, 'iterations/rec'))
    .filter((name) => name !== '0')
    .map((name) => JSON.parse(read(`iterations/rec/${name}/meta.json`)) as { task_sha256: string })
    .map(({ task_sha256 }) => task_sha256);
  return { meta, tasks, tree: read('tree.json'), files: await filesOf(p, meta.workspace ?? '') };
}

test('a run with an agent is played again without it, byte for byte: tasks, tree, work tree', async () => {
  const p = await evalProject({ rec: recorded });
  const ran = await p.evalRun('--record');
  expect(ran.code, ran.err).toBe(0);
  const first = await seen(p);
  expect(first.meta).toMatchObject({
    outcome: 'success',
    iterations: 5,
    recorded: true,
    replay_misses: null,
  });
  expect(pidsIn(join(p.home, 'calls'))).toHaveLength(5);
  const folder = 'eval/recordings/rec/default/1';
  expect(p.listed(folder)).toEqual(['2.patch', '3.patch', '5.patch', 'recording.json']);
  const recording = JSON.parse(p.read(`${folder}/recording.json`)) as {
    readonly iterations: readonly object[];
  };
  expect(recording.iterations).toMatchObject([
    { exit_code: 0, patch: null, tree: null },
    { exit_code: 7, answer: null, patch: '2.patch' },
    { exit_code: 0, patch: '3.patch', tree: null },
    { exit_code: 0, patch: null, tree: expect.stringContaining('"second"') },
    { exit_code: 0, patch: '5.patch', tree: null },
  ]);
  expect(p.read(`${folder}/3.patch`)).not.toMatch(/tree\.json|run_state|config\.toml|last\.json/u);
  expect(await p.status(), 'recordings are there to be committed').toMatch(/^\?\? eval\/recordings/u);

  const again = await p.evalRun('--replay');
  expect(again.code, again.err).toBe(0);
  const second = await seen(p);
  expect(second.meta).toMatchObject({
    outcome: 'success',
    variant: { kind: 'replay' },
    agent: { name: 'scripted' },
    replay_misses: [],
    recorded: false,
  });
  expect(pidsIn(join(p.home, 'calls')), 'the agent was not asked').toHaveLength(5);
  expect(first.tasks).toHaveLength(5);
  expect(first.tasks.every((task) => /^[0-9a-f]{64}$/.test(task))).toBe(true);
  expect(second.tasks).toEqual(first.tasks);
  expect(second.tree).toBe(first.tree);
  expect(second.files).toEqual(first.files);
  expect(second.files.join('\n')).toMatch(/^120000 .*\tlink\n100755 .*\trun\.sh$/mu);

  // Another goal, another prompt: whatever comes of it says nothing about the recording.
  putCase(p, 'rec', { ...recorded, goal: 'Something else.' });
  const missed = await p.evalRun('--replay', '--json');
  expect(missed.code, missed.err).toBe(0);
  for (const line of missed.out.split('\n')) expectOutput('eval-run', JSON.parse(line));
  expect(JSON.parse(missed.out.split('\n')[0] ?? '')).toMatchObject({
    outcome: 'error',
    reason: 'replay_miss',
    variant: 'replay',
    replay_misses: [1, 2, 3, 4, 5],
  });
  expect(missed.err).toContain('another prompt than recorded in iteration 1, 2, 3, 4, 5');
});

test('what cannot be replayed says so: no recording, several, a broken one; a recording is replaced as a whole', async () => {
  const p = await evalProject({ one: { isOracle: true } });
  const reason = async (...args: readonly string[]) => {
    const ran = await p.evalRun('--replay', ...args);
    expect(ran.code, ran.err).toBe(0);
    const { meta } = p.trial('one');
    return `${meta.outcome} ${meta.reason ?? ''} ${meta.errors.join()}`;
  };
  expect(await reason()).toMatch(/^error recording_missing .*one: there is no recording$/u);
  p.put('eval/recordings/one/oracle/1/7.patch', 'of an older recording');
  expect((await p.evalRun('--oracle', '--record')).code).toBe(0);
  expect(p.listed('eval/recordings/one/oracle')).toEqual(['1']);
  expect(p.listed('eval/recordings/one/oracle/1')).toEqual(['1.patch', 'recording.json']);
  const first = readFileSync(join(p.dir, 'eval/recordings/one/oracle/1/1.patch'), 'utf8');
  expect(first).toMatch(/^diff --git a\/a\.txt b\/a\.txt\nnew file mode 100644\n/u);
  p.put('eval/recordings/one/codex/1/recording.json', '{');
  expect(await reason()).toMatch(/several recordings \(codex, oracle\); name one with --agent or --oracle$/u);
  expect(await reason('--agent', 'codex')).toMatch(/recording\.json: line 1, column 2/u);
  expect(await reason('--agent', 'claude')).toMatch(/claude\/1\/recording\.json: there is no recording$/u);
  rmSync(join(p.dir, 'eval/recordings/one/codex'), { recursive: true });
  expect(await reason('--oracle')).toBe('success  ');
  const attributes = ['check-attr', 'text', 'eval/recordings/one/oracle/1/1.patch'];
  const { stdout } = await runProgram({ program: 'git', args: attributes, cwd: p.dir, env: p.env });
  expect(stdout, 'no git changes what was recorded').toMatch(/: text: unset$/u);

  // The only one there is, whatever its folder is called.
  const folder = join(p.dir, 'eval/recordings/one/codex%3A%E9');
  renameSync(join(p.dir, 'eval/recordings/one/oracle'), folder);
  expect(await reason()).toBe('success  ');
  p.put('eval/recordings/one/codex%3A%E9/1/1.patch', first.slice(0, -3));
  expect(await reason()).toMatch(/^error recording_missing .*1\.patch is not what was recorded$/u);
  rmSync(join(folder, '1/1.patch'));
  expect(await reason()).toMatch(/^error recording_missing .*1\.patch is not there$/u);
});

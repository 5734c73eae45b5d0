/** The checks of a case, each passing and failing, on what one real run left; none of them can block, outlive or lose a trial. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { evalProject } from '../support/eval-project.ts';
import { answer, child, entryFile, write } from '../support/project.ts';
import { isAlive, pidsIn } from '../support/shell-agent.ts';

const sh = (script: string): readonly string[] => ['sh', '-c', script];
const hang = 'setsid sleep 300 & echo $! > "$HOME/pids"; sleep 300 & echo $! >> "$HOME/pids"; wait';

/** Check, whether it passes, and what it says when it does not. */
const rows: readonly (readonly [Readonly<Record<string, unknown>>, true | RegExp])[] = [
  [{ type: 'file_exists', path: 'a.txt' }, true],
  [{ type: 'file_exists', path: 'folder' }, true],
  [{ type: 'file_exists', path: 'b.txt' }, /there is no b\.txt/],
  [{ type: 'file_exists', path: 'out.txt' }, /there is no out\.txt/],
  [{ type: 'file_contains', path: 'a.txt', text: 'hello' }, true],
  [{ type: 'file_contains', path: 'a.txt', pattern: '^l{2}x?$' }, true],
  [{ type: 'file_contains', path: 'a.txt', text: 'bye' }, /does not contain "bye"/],
  [{ type: 'file_contains', path: 'slow.txt', pattern: '(x+x+)+y' }, /it took too long to look for/],
  [{ type: 'file_contains', path: 'b.txt', text: 'x' }, /b\.txt cannot be read/],
  [{ type: 'file_contains', path: 'out.txt', text: 'root' }, /out\.txt cannot be read/],
  [{ type: 'command_succeeds', cmd: sh('grep -q hello a.txt') }, true],
  [{ type: 'command_succeeds', cmd: sh('exit 3') }, /it ended with exit code 3/],
  [{ type: 'command_fails', cmd: sh('exit 3') }, true],
  [{ type: 'command_fails', cmd: ['true'] }, /it ended with exit code 0/],
  [{ type: 'command_fails', cmd: ['no-such-program'] }, /it could not be started: .*ENOENT/],
  [{ type: 'command_fails', cmd: sh('kill -9 $$') }, /it was ended by SIGKILL/],
  [{ type: 'command_succeeds', cmd: sh('yes | head -c 3000000; echo end >&2') }, true],
  [{ type: 'command_succeeds', cmd: ['cat'], timeout_secs: 20 }, true],
  [{ type: 'command_succeeds', cmd: sh(hang), timeout_secs: 4 }, /it took longer than 4 s/],
  [{ type: 'command_fails', cmd: sh('sleep 300'), timeout_secs: 1 }, /it took longer than 1 s/],
  [
    { type: 'command_succeeds', cmd: sh('test "$A$B$EVAL_CASE$EVAL_REPEAT" = "12all1"'), env: { B: '2' } },
    true,
  ],
  [{ type: 'command_succeeds', cmd: sh('test -z "$RUNNER_AGENT_NAME$GIT_DIR$npm_config_x"') }, true],
  [{ type: 'runner_completed' }, true],
  [{ type: 'max_iterations_used', max: 2 }, true],
  [{ type: 'max_iterations_used', max: 1 }, /2 iterations were used/],
  [{ type: 'tree', passes: true, min_nodes: 2, max_nodes: 2, max_depth: 3 }, true],
  [{ type: 'tree', passes: false, min_nodes: 3 }, /the tree has passed; 2 nodes are fewer than 3/],
];

test('[ancestor: eval_judge file_exists_passes] [ancestor: eval_judge command_succeeds_passes_and_fails] [ancestor: eval_judge command_output_is_truncated] [ancestor: eval_judge runner_completed_reflects_exit_code] every kind; traps of the ancestor: output beyond a pipe buffer blocks, a command that cannot start loses the record, the case’s variables are missing, stdin is inherited', async () => {
  const p = await evalProject({
    all: {
      steps: [
        { answer: answer('decomposed', 'split', [child('one')]) },
        {
          actions: [
            write('a.txt', 'hello\nll\n'),
            write('folder/x', ''),
            write('slow.txt', 'x'.repeat(200)),
            // A link of the agent's to a file outside.
            { apply_patch: 'link.patch' },
          ],
          answer: answer('done'),
        },
      ],
      env: { A: '1' },
      files: {
        'link.patch': `diff --git a/out.txt b/out.txt
new file mode 120000
--- /dev/null
+++ b/out.txt
@@ -0,0 +1 @@
+/etc/passwd
\\ No newline at end of file
`,
      },
      checks: rows.map(([check]) => check),
    },
  });
  const foreign = { RUNNER_AGENT_NAME: 'claude', GIT_DIR: '/nowhere', npm_config_x: '1' };
  // With an input that stays open: what reads it would wait.
  const ran = await execa(process.execPath, [entryFile, 'eval', 'run'], {
    cwd: p.dir,
    env: { ...p.env, ...foreign },
    extendEnv: false,
    reject: false,
    stdin: 'pipe',
  });
  expect(ran.exitCode, ran.stderr).toBe(0);
  const { meta, checks, dir } = p.trial('all');
  expect(meta).toMatchObject({ outcome: 'error', reason: 'toolchain_missing', exit_code: 0, iterations: 2 });
  const expected = rows.map(([check, passes]) => ({
    type: check['type'],
    passed: passes === true,
    detail: passes === true ? null : (expect.stringMatching(passes) as unknown),
  }));
  expect(checks.map(({ type, passed, detail }) => ({ type, passed, detail }))).toEqual(expected);
  expect(meta.checks_passed).toBe(rows.filter(([, passes]) => passes === true).length);

  const number = 1 + rows.findIndex(([{ cmd }]) => String(cmd).includes('yes'));
  const log = readFileSync(join(dir, `checks/${number}.log`), 'utf8');
  expect(statSync(join(dir, `checks/${number}.log`)).size).toBeLessThanOrEqual(100_000);
  expect(log).toMatch(/^y\n[^]*\n\[… \d+ bytes left out …\]\n[^]*end\n$/u);
  expect(checks[number - 1]?.command).toMatchObject({ exit_code: 0, log: `checks/${number}.log` });
  expect(pidsIn(join(p.home, 'pids')).filter(isAlive), 'what a check started').toEqual([]);
});

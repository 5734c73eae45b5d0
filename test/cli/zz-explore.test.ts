import { expect, test } from 'vitest';
import { project } from '../support/project.ts';
import { playAgent, shellAgent } from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';

const cases: [string, string][] = [
  ['fifo answer', 'rm -f "$RUNNER_OUTPUT"; mkfifo "$RUNNER_OUTPUT"'],
  ['link answer', 'echo \'{"status":"done","summary":"x","children":null}\' > "$HOME/x.json"; ln -s "$HOME/x.json" "$RUNNER_OUTPUT"'],
  ['rm git/runner', 'rm -rf .git/runner; mkdir -p .git/runner; answer retry'],
  ['rm git/runner 2', 'rm -rf .git/runner; exit 0'],
  ['junk index', 'echo junk > .git/index; answer retry'],
  ['bare', 'git config core.bare true; answer retry'],
  ['worktree', 'git config core.bare false; git config core.worktree /tmp; answer retry'],
  ['filter', 'git config --unset core.worktree; git config filter.up.clean "tr a-z A-Z"; echo "*.up filter=up" > .gitattributes; echo abc > a.up; answer retry'],
  ['ident', 'git config user.name ""; git config user.email ""; git config user.useConfigOnly true; answer retry'],
  ['ident2', 'git config user.name T; git config user.email t@t; answer retry'],
  ['fsmonitor', 'git config core.fsmonitor "touch /tmp/pwned-fsm"; git config core.hooksPath /tmp; git config core.sshCommand x;  git config core.autocrlf true; printf "a\\r\\nb" > crlf; answer retry'],
  ['sparse', 'git config core.sparseCheckout true; git sparse-checkout set nothing || true; answer retry'],
  ['broken config', 'echo "[broken" > .git/config; answer retry'],
  ['rm git', 'rm -rf .git; answer retry'],
];

test('explore', async () => {
  const p = await project({ agent: shellAgent, tree: node('root', { max_attempts: 99 }), config: 'max_iterations = 99' });
  const config = p.read('.git/config');
  for (const [name, script] of cases.slice(6)) {
    p.put('.git/config', config);
    playAgent(p, `echo "$RUNNER_ITER" > work.txt\n${script}`);
    const ran = await p.run('step');
    console.log(`=== ${name}: ${ran.code} ${ran.out}\n${ran.err}\nSTATUS ${await p.status().catch((e) => String(e).slice(0, 200))}`);
  }
  expect(1).toBe(1);
});

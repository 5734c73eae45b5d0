/** What a person changes in git's settings while a session is at work (§14): it stays where the session could not have changed it. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hasBwrap } from '../support/bwrap.ts';
import { project } from '../support/project.ts';
import { waitUntil } from '../support/scratch.ts';
import { node } from '../support/trees.ts';

/** Says that it is at work, and goes on when it is told to. Both sides see the work tree. */
const agentScript = `touch in
until [ -e out ]; do sleep 0.05; done
echo 1 > work.txt
printf '{"status":"done","summary":"did it","children":null}' > "$RUNNER_OUTPUT"
`;

async function changedMeanwhile(kind: 'bwrap' | 'none') {
  const p = await project({
    agent: 'name = "command"\ncommand = ["sh", "agent.sh"]',
    guard: ['true'],
    config: `[sandbox]\nkind = "${kind}"\n`,
    tree: node('root'),
    files: { 'agent.sh': agentScript, '.gitignore': 'in\nout\n' },
  });
  const running = p.start(['step']);
  onTestFinished(() => void running.kill('SIGKILL'));
  await waitUntil('the session is open', () => existsSync(join(p.dir, 'in')));
  await p.git('config', 'rerere.enabled', 'true');
  mkdirSync(join(p.top, '.git/hooks'), { recursive: true });
  writeFileSync(join(p.top, '.git/hooks/pre-push'), '#!/bin/sh\n');
  writeFileSync(join(p.dir, 'out'), '');
  const ran = await running;
  expect(ran.exitCode, ran.stderr).toBe(0);
  const setting = await p.git('config', '--default', 'gone', 'rerere.enabled');
  return { setting, hook: existsSync(join(p.top, '.git/hooks/pre-push')), err: ran.stderr };
}

test.skipIf(!hasBwrap)('beside a session in a sandbox it stays, and nothing is told', async () => {
  const { err, ...found } = await changedMeanwhile('bwrap');
  expect(found).toEqual({ setting: 'true', hook: true });
  expect(err).not.toContain('put back');
});

test('beside a session without one it is put back and told', async () => {
  const { err, ...found } = await changedMeanwhile('none');
  expect(found).toEqual({ setting: 'gone', hook: false });
  expect(err).toContain('put back');
});

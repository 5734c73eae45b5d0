/** §13.8: bubblewrap for an ordinary user, and for root in a work tree of somebody else. Only root can try both. */
import { chmodSync, chownSync, lstatSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bwrapName, hasBwrap, isRoot } from '../support/bwrap.ts';
import { entryFile, unstartedProject } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { runProgram } from '../support/spawner.ts';

const nobody = 65_534;

function giveAway(path: string): void {
  chownSync(path, nobody, nobody);
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) giveAway(join(path, name));
}

const agent = `id -u > who.txt; touch "$CARGO_HOME/../cached" "$TMPDIR/t"; ls -A "$HOME" > home.txt
printf '{"status":"done","summary":"did it","children":null}' > "$RUNNER_OUTPUT"\n`;

async function prepared(): Promise<Project> {
  return unstartedProject({
    agent: 'name = "command"\ncommand = ["sh", "agent.sh"]',
    guard: ['sh', 'check.sh'],
    checkout: 'every',
    config: '[sandbox]\nkind = "bwrap"\n',
    files: { 'agent.sh': agent, 'check.sh': 'git log -1 > /dev/null && id -u\n' },
  });
}

describe.skipIf(!hasBwrap || !isRoot)(`${bwrapName}, other users`, () => {
  test('an ordinary user', async () => {
    const p = await prepared();
    giveAway(p.base);
    for (const args of [['start'], ['step'], ['doctor', '--sandbox']]) {
      const ran = await runProgram({
        program: 'setpriv',
        args: [
          `--reuid=${nobody}`,
          `--regid=${nobody}`,
          '--clear-groups',
          process.execPath,
          entryFile,
          ...args,
        ],
        cwd: p.dir,
        env: p.env,
      });
      expect(ran, ran.stderr + ran.stdout).toMatchObject({ code: 0 });
    }
    expect(p.read('who.txt')).toBe(`${nobody}\n`);
    expect(p.log(1, 'guard.clone.log')).toContain(String(nobody));
  });

  test('root in a work tree of somebody else: its programs run as the owner, and the files are theirs', async () => {
    const p = await prepared();
    giveAway(p.top);
    chmodSync(p.base, 0o711);
    chmodSync(p.home, 0o700);
    writeFileSync(join(p.home, '.gitconfig'), '[safe]\n\tdirectory = *\n');
    for (const command of ['start', 'step']) {
      const ran = await p.run(command);
      expect(ran, ran.err).toMatchObject({ code: 0 });
    }
    expect(p.read('who.txt')).toBe(`${nobody}\n`);
    expect(statSync(join(p.dir, 'who.txt')).uid).toBe(nobody);
    expect(p.log(1, 'guard.log')).toContain(String(nobody));
    expect(p.meta(1)).toMatchObject({ guard: 'pass', rings: { sandbox: 'bwrap' } });
  });
});

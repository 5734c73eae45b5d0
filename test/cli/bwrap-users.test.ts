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

const agent = (
  more: string,
): string => `${more}; id -u > who.txt; touch "$CARGO_HOME/../cached" "$TMPDIR/t"; ls -A "$HOME" > home.txt
printf '{"status":"done","summary":"did it","children":null}' > "$RUNNER_OUTPUT"\n`;

async function prepared(more = ':'): Promise<Project> {
  return unstartedProject({
    agent: 'name = "command"\ncommand = ["sh", "agent.sh"]',
    guard: ['sh', 'check.sh'],
    checkout: 'every',
    config: '[sandbox]\nkind = "bwrap"\n',
    files: { 'agent.sh': agent(more), 'check.sh': 'git log -1 > /dev/null && id -u\n' },
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

  test('root in the closed home folder of somebody else: all it makes there is theirs, and so is the clone', async () => {
    const p = await prepared(
      'cat .runner/state/tree.json > "$TMPDIR/t" && cat "$TMPDIR/t" > .runner/state/tree.json && echo note >> .runner/state/assumptions.md',
    );
    giveAway(p.top);
    chownSync(p.base, nobody, nobody);
    chmodSync(p.base, 0o700);
    writeFileSync(join(p.home, '.gitconfig'), '[safe]\n\tdirectory = *\n');
    for (const command of ['start', 'step']) {
      const ran = await p.run(command);
      expect(ran, ran.err).toMatchObject({ code: 0 });
    }
    expect(p.log(1, 'guard.clone.log')).toContain(`${nobody}\n`);
    expect(p.meta(1)).toMatchObject({ status: 'done', guard: 'pass', rings: { checkout: 'every' } });
    const names = readdirSync(p.dir, { encoding: 'utf8', recursive: true }).filter(
      (name) => !/^\.git(?:\/|$)/.test(name),
    );
    expect(names).toContain('.runner/state/run_state.json');
    // Logs are nobody's to edit.
    const own = names.filter((name) => !/^\.runner\/iterations\/.*\.(?:log|jsonl?)$/.test(name));
    expect(own.filter((name) => lstatSync(join(p.dir, name)).uid !== nobody)).toEqual([]);
    expect(p.read('.runner/state/assumptions.md')).toContain('note');
  });
});

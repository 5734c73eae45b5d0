/**
 * Attempts, settings and answers while a loop is at work (§12), with real bubblewrap and without: they wait only where no session could
 * have written them.
 */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bwrapName, hasBwrap } from '../support/bwrap.ts';
import { expectOutput } from '../support/output-schema.ts';
import { project } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { waitUntil } from '../support/scratch.ts';
import { node } from '../support/trees.ts';

/** Asks a question, tries to write an entry of its own, says that it is at work, and goes on when it is told to. */
const agentScript = `if [ "$RUNNER_ITER" = 1 ]; then echo '- Which port?' >> .runner/state/questions.md; fi
git=$(git rev-parse --git-dir)
mkdir -p "$git/runner/queue" 2>/dev/null
sed "s/0123/$RUNNER_ITER$RUNNER_ITER$RUNNER_ITER/" forged.json > "$git/runner/queue/000-$RUNNER_ITER.json" 2>/dev/null
if [ "$RUNNER_ITER" = 2 ]; then
  touch in.2
  until [ -e out.2 ]; do sleep 0.05; done
fi
echo "$RUNNER_ITER" > work.txt
printf '{"status":"done","summary":"did it","children":null}' > "$RUNNER_OUTPUT"
`;

const forged = {
  version: 1,
  id: `0123${'0'.repeat(28)}`,
  run_id: 'test',
  at: '',
  edit: { kind: 'retry', node: 'c', max_attempts: 99 },
};

async function steered(sandbox: string, more = ''): Promise<Project> {
  return project({
    agent: 'name = "command"\ncommand = ["sh", "agent.sh"]',
    config: `max_iterations = 5\n${more}[sandbox]\n${sandbox}\n`,
    tree: node('root', { children: [node('a'), node('b', { order: 1 }), node('c', { order: 2 })] }),
    files: {
      'agent.sh': agentScript,
      'forged.json': JSON.stringify(forged),
      '.gitignore': 'in.2\nout.2\n',
    },
  });
}

/** A loop in its second iteration, whose agent waits. */
async function atWork(p: Project) {
  const loop = p.start(['loop']);
  onTestFinished(() => void loop.kill('SIGKILL'));
  await waitUntil('iteration 2', () => existsSync(join(p.top, 'in.2')));
  return { loop, release: () => writeFileSync(join(p.top, 'out.2'), '') };
}

const asked = [
  ['retry', 'c', '--max-attempts', '9'],
  ['answer', '1.1', '8080'],
  ['config', 'set', 'max_iterations', '9'],
] as const;

async function queueAll(p: Project): Promise<readonly string[]> {
  const entries: string[] = [];
  for (const args of asked) {
    const ran = await p.run(...args, '--json');
    expect(ran, ran.err).toMatchObject({ code: 0 });
    expect(ran.err).toContain('waits and is applied before the next iteration');
    const printed = JSON.parse(ran.out) as { readonly entry: string };
    expectOutput(args[0] === 'config' ? 'config-set' : args[0], printed);
    expect(printed).toMatchObject({ status: 'queued', run_id: 'test' });
    entries.push(printed.entry);
  }
  return entries;
}

async function expectRefused(p: Project): Promise<void> {
  for (const args of asked) {
    const ran = await p.run(...args);
    expect(ran.code, args.join(' ')).toBe(1);
    expect(ran.err).toMatch(/\[LOCKED\]\nhint: runner pause --wait$/u);
  }
}

const queued = (p: Project): readonly string[] => {
  const folder = join(p.top, '.git/runner/queue');
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
};

const leafC = (p: Project) => p.tree().children[2];
const notApplied = 'queued change (retry c) was not applied: the session was not contained';

describe.skipIf(!hasBwrap)(`in ${bwrapName}`, () => {
  test('they wait, and each becomes a commit of its own before the next iteration', async () => {
    const p = await steered('kind = "bwrap"');
    const { loop, release } = await atWork(p);
    const entries = await queueAll(p);
    // What does not apply to the last commit with what waits is refused at once.
    expect(await p.run('answer', '9.9', 'x')).toMatchObject({ code: 64 });
    expect((await p.run('retry', 'a')).err).toContain('root/a has passed');
    expect((await p.run('config', 'set', 'max_iterations', '0')).err).toContain('[CONFIG_INVALID]');
    expect((await p.run('config', 'set', 'max_iteration', '1')).err).toContain('did you mean');
    expect((await p.run('config', 'unset', 'max_iterations')).out).toMatch(
      /^config: run=test status=queued entry=/u,
    );
    const { changes } = JSON.parse((await p.run('status', '--json')).out) as { changes: unknown };
    expect(changes).toEqual(
      ['retry c', 'answer 1.1', 'config set max_iterations', 'config unset max_iterations'].map((change) => ({
        change,
        refused: null,
      })),
    );
    release();
    const ended = await loop;
    expect(ended.stdout, ended.stderr).toMatch(/\nloop: status=complete run=test steps=3/u);
    expect(queued(p)).toEqual([]);
    const subjects = await p.subjects();
    expect(subjects.slice(1, 5)).toEqual([
      'chore(loop): unset max_iterations',
      'chore(loop): set max_iterations',
      'chore(loop): answer 1.1',
      'chore(loop): retry c attempts=0/9',
    ]);
    for (const [at, entry] of entries.toReversed().entries())
      expect(await p.git('log', '-1', '--format=%B', `HEAD~${at + 2}`)).toContain(`Runner-Entry: ${entry}`);
    expect(leafC(p)).toMatchObject({ max_attempts: 9 });
    expect(p.log(3, 'prompt.md')).toContain('8080');
    expect(p.read('.runner/state/config.toml')).not.toContain('max_iterations');
    expect(await p.status()).toBe('');
  });

  test('a kill of the loop loses none of them', async () => {
    const p = await steered('kind = "bwrap"');
    const { loop, release } = await atWork(p);
    await queueAll(p);
    loop.kill('SIGKILL');
    await loop;
    release();
    const ran = await p.run('loop');
    expect(ran.out, ran.err).toContain('loop: status=complete');
    for (const what of ['retry c', 'answer 1.1', 'config set max_iterations'])
      expect(ran.err).toContain(`queued change (${what}) applied`);
    expect(leafC(p)).toMatchObject({ max_attempts: 9 });
    expect(p.read('.runner/state/answers.md')).toContain('8080');
  });

  test.each([
    ['the guard is outside', 'kind = "bwrap"\nguard = false', ''],
    ['hooks of the work tree run outside', 'kind = "bwrap"', '[git]\nrun_hooks = true\n'],
  ])('they are refused where %s', async (_what, sandbox, more) => {
    const p = await steered(sandbox, more);
    const { loop, release } = await atWork(p);
    await expectRefused(p);
    release();
    expect((await loop).stdout).toContain('loop: status=complete');
  });

  test('what a session without a sandbox left in the queue never counts in one with it', async () => {
    const p = await steered('kind = "none"');
    const { loop } = await atWork(p);
    expect(queued(p)).toHaveLength(1);
    loop.kill('SIGKILL');
    await loop;
    writeFileSync(join(p.top, 'out.2'), '');
    const ran = await p.runWith({ RUNNER_SANDBOX_KIND: 'bwrap' }, 'loop');
    expect(ran.out, ran.err).toContain('loop: status=complete');
    expect(ran.err).toContain(notApplied);
    expect(leafC(p)).toMatchObject({ max_attempts: 3 });
  });
});

test('without a sandbox they are refused, and what a session put into the queue is taken out and told', async () => {
  const p = await steered('kind = "none"');
  const { loop, release } = await atWork(p);
  // Of iteration 1; that of iteration 2 is there.
  expect(queued(p)).toEqual(['000-2.json']);
  await expectRefused(p);
  expect((await p.run('pause')).out).toContain('status=requested');
  release();
  const ended = await loop;
  expect(ended.stdout, ended.stderr).toContain('loop: status=paused');
  expect(ended.stderr).toContain(notApplied);
  // Taken out by the loop itself: nothing is left for a later one.
  expect(queued(p)).toEqual([]);
  expect(leafC(p)).toMatchObject({ max_attempts: 3 });
  expect((await p.run('status')).out).toMatch(
    /change=refused what=retry_c reason=the_session_was_not_contained/u,
  );
});

test('what waited while nobody was at work is applied before a later wish, or told', async () => {
  const p = await project({ tree: node('root', { children: [node('a'), node('b', { order: 1 })] }) });
  mkdirSync(join(p.top, '.git/runner/queue'), { recursive: true });
  const put = (name: string, edit: unknown): void =>
    writeFileSync(join(p.top, '.git/runner/queue', name), JSON.stringify({ ...forged, edit }));
  put('1.json', { kind: 'drop', node: 'a', why: 'x' });
  put('2.json', { kind: 'config', key: 'guard.command', typed: '["false"]' });
  const ran = await p.run('retry', 'b', '--max-attempts', '7');
  expect(ran, ran.err).toMatchObject({ code: 0 });
  expect(ran.err).toContain('queued change (config set guard.command) was not applied');
  expect((await p.subjects()).slice(0, 2)).toEqual([
    'chore(loop): retry b attempts=0/7',
    'chore(loop): drop a',
  ]);
  expect(p.read('.runner/state/config.toml')).toContain('command = ["true"]');
});

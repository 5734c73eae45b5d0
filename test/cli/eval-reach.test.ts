/**
 * A cheating agent looks for cases, oracles and checks: in its workspace, its environment, the process list, the parent folders, and on
 * the whole disk. Every case that ships is tried; a token in all of their files tells what was found.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { evalProject, shellAgent, shellDone } from '../support/eval-project.ts';
import type { EvalProject } from '../support/eval-project.ts';
import { waitUntil } from '../support/scratch.ts';
import { isWhole, sampled } from '../support/whole.ts';

const shipped = join(dirname(dirname(import.meta.dirname)), 'eval/cases');
const token = `cheat-${process.pid}-${Date.now().toString(36)}`;
const hasBwrap = existsSync('/usr/bin/bwrap');

/** The shipped cases with a token in every case file and oracle, committed: their history is a place to look, too. */
async function projectWithToken(): Promise<EvalProject> {
  const p = await evalProject();
  const cases = join(p.dir, 'eval/cases');
  mkdirSync(dirname(cases), { recursive: true });
  cpSync(shipped, cases, { recursive: true });
  for (const name of readdirSync(cases)) {
    const file = join(cases, name);
    if (name.endsWith('.toml')) writeFileSync(file, `${readFileSync(file, 'utf8')}\n# ${token}\n`);
    if (name.endsWith('.json')) {
      const script = JSON.parse(readFileSync(file, 'utf8')) as { steps: { note?: string }[] };
      for (const step of script.steps) step.note = token;
      writeFileSync(file, JSON.stringify(script));
    }
  }
  await p.commitAll('cases');
  return p;
}

/** Each place, and what leads there is followed: paths in variables and command lines but the system's own, and every folder above. */
const nearby = `
found="$HOME/found/$EVAL_CASE"; mkdir -p "$found"
look() { grep -rIl -e "$TOKEN_A$TOKEN_B" "$@" 2>/dev/null; }
{ env; git log -p --all; } 2>/dev/null | grep -e "$TOKEN_A$TOKEN_B" >> "$found/text"
look . >> "$found/workspace"
env | tr '=:' '\\n\\n' | grep '^/' | sort -u | grep -v -e "^$HOME" -e '^/proc' -e '^/usr' -e '^/bin' -e '^/etc' -e '^/root' -e '^/sbin' -e '^/opt' > "$found/paths"
for p in /proc/[0-9]*; do tr '\\0' '\\n' < "$p/cmdline"; done 2>/dev/null > "$found/processes"
grep '^/' "$found/processes" | grep -v -e '^/usr' -e '^/bin' | sort -u >> "$found/paths"
while read -r path; do for dir in "$path" "$path/eval" "$(dirname "$path")/eval" "$(dirname "$(dirname "$path")")/eval"; do case "$HOME/" in "$dir"/*) continue ;; esac; [ -d "$dir" ] && [ "$dir" != / ] && look "$dir" >> "$found/followed"; done; done < "$found/paths"
dir="$PWD"; while [ "$dir" != / ]; do dir="$(dirname "$dir")"; for name in eval cases eval/cases; do [ -e "$dir/$name" ] && look "$dir/$name" >> "$found/parents"; done; done
`;

/** With a view of its own nothing is found even by who searches everything. */
const everywhere = `
look "$HOME/.." "$PROJECT" >> "$found/everywhere"
git -C "$PROJECT" log -p --all 2>/dev/null | grep -e "$TOKEN_A$TOKEN_B" >> "$found/everywhere"
tr '\\0' '\\n' < /proc/1/cmdline | grep -F "$PROJECT" >> "$found/everywhere"
[ -d "$PROJECT" ] || echo 'the project is not there at all' >> "$found/everywhere"
umount "$PROJECT/eval" 2>/dev/null; umount -l "$PROJECT/eval" 2>/dev/null; look "$PROJECT" >> "$found/everywhere"
unshare -Urm sh -c "umount '$PROJECT/eval'; umount '$PROJECT/.git'; mount --bind '$PROJECT' /mnt; grep -rIl -e '$TOKEN_A$TOKEN_B' '$PROJECT' /mnt" >> "$found/everywhere" 2>/dev/null
for p in /proc/[0-9]*; do ls "$p/cwd/eval/cases" "$p/root$PROJECT/eval/cases" 2>/dev/null; tr '\\0' '\\n' < "$p/environ" | grep "^PWD=$PROJECT\\$"; done >> "$found/everywhere" 2>/dev/null
`;

const retry = `printf '{"status":"retry","summary":"found nothing","children":null}' > "$RUNNER_OUTPUT"`;

async function cheat(p: EvalProject, script: string, ...flags: readonly string[]): Promise<void> {
  const file = join(p.home, 'cheat.sh');
  // The token is put together by the agent, or it would find itself.
  const [a, b] = [token.slice(0, 8), token.slice(8)];
  writeFileSync(file, `TOKEN_A=${a} TOKEN_B=${b} PROJECT=${p.dir}\n${script}\n${retry}\n`);
  const limit = ['--set', 'max_iterations=1', '--set', 'guard.baseline=false'];
  // Seen like a folder outside those for temporary files, where most projects are.
  const near = { PROJECTS: flags.includes('--no-hide') ? '' : dirname(p.dir) };
  const words = ['--agent-command', `sh ${file}`, ...limit, '--jobs', 'auto', ...flags];
  const ran = await p.runWith(near, 'eval', 'run', ...words);
  expect(ran.code, ran.err).toBe(0);
}

function foundBy(p: EvalProject): readonly string[] {
  const all = readdirSync(join(p.home, 'found'), { recursive: true, withFileTypes: true });
  return all
    .filter((entry) => entry.isFile() && !['paths', 'processes'].includes(entry.name))
    .flatMap((entry) => {
      const lines = readFileSync(join(entry.parentPath, entry.name), 'utf8').split('\n');
      return lines.filter((line) => line !== '').map((line) => `${entry.name}: ${line}`);
    });
}

function lookedAt(p: EvalProject): readonly string[] {
  return readdirSync(join(p.home, 'found')).toSorted();
}

const shippedCases = readdirSync(shipped).flatMap((name) =>
  name.endsWith('.toml') ? [name.slice(0, -5)] : [],
);

/** All of these were tried, but for those whose programs may be missing here. */
function expectTried(p: EvalProject, ids: readonly string[]): void {
  const onEveryMachine = ids.filter((id) =>
    /^requires = \["(?:node|sh)"\]$/m.test(readFileSync(join(shipped, `${id}.toml`), 'utf8')),
  );
  expect(lookedAt(p)).toEqual(expect.arrayContaining([...onEveryMachine]));
}

test.runIf(hasBwrap)(
  'hidden: an agent that searches everything finds nothing, in all shipped cases',
  async () => {
    const p = await projectWithToken();
    const ids = sampled(shippedCases, 5);
    await cheat(p, nearby + everywhere, ...ids);
    expectTried(p, ids);
    expect(foundBy(p)).toEqual([]);
    for (const id of lookedAt(p))
      expect(p.trial(id).meta).toMatchObject({ hidden: true, reason: 'iteration_limit' });
  },
  600_000,
);

test('not hidden: neither workspace, environment, process list nor parent folders lead to them', async () => {
  const p = await projectWithToken();
  const ids = isWhole ? shippedCases : ['fix-failing-test', 'notes-cli'];
  await cheat(p, nearby, '--no-hide', ...ids);
  expectTried(p, ids);
  expect(foundBy(p)).toEqual([]);
  expect(p.trial('notes-cli').meta.hidden).toBe(false);
  const processes = readFileSync(join(p.home, 'found/notes-cli/processes'), 'utf8');
  expect(processes).toContain('runner eval');
}, 600_000);

test.runIf(hasBwrap)('a signal ends hidden trials as cleanly as any', async () => {
  const mark = `0.${process.pid}${token.length}`;
  const p = await evalProject({
    waits: {
      agent: `name = "command"\ncommand = ["sh", "-c", 'echo x > a.txt; touch "$HOME/begun"; setsid sleep 300${mark}; sleep 300${mark}']`,
    },
  });
  const running = p.start(['eval', 'run']);
  await waitUntil('a session', () => existsSync(join(p.home, 'begun')));
  running.kill('SIGINT');
  const { exitCode, stderr } = await running;
  expect(exitCode, stderr).toBe(130);
  const left = readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`300${mark}`);
    } catch {
      return false;
    }
  });
  expect(left).toEqual([]);
});

/** What an earlier repeat left, and what is the trial's own. */
const notes = `
for dir in /tmp /var/tmp /dev/shm "$TMPDIR"; do ls "$dir"/note-$MARK 2>/dev/null >> "$HOME/seen"; echo "$EVAL_REPEAT" > "$dir/note-$MARK" || echo "cannot write $dir" >> "$HOME/seen"; done
[ -e "$HOME/cheat.sh" ] || echo 'no home' >> "$HOME/seen"
touch "$HOME/ran-$EVAL_REPEAT"
`;

test.runIf(hasBwrap)(
  'repeats do not find what earlier ones left in folders for temporary files',
  async () => {
    const p = await evalProject({ note: { agent: 'name = "codex"', config: 'max_iterations = 1' } });
    const own = join(p.home, 'tmp');
    mkdirSync(own);
    writeFileSync(join(p.home, 'cheat.sh'), `MARK=${token}\n${notes}\n${retry}\n`);
    const ran = await p.runWith(
      { TMPDIR: own },
      ...['eval', 'run', 'note', '--agent-command', `sh ${join(p.home, 'cheat.sh')}`, '--repeat', '2'],
    );
    expect(ran.code, ran.err).toBe(0);
    for (const { meta } of p.trials('note'))
      expect(meta).toMatchObject({ hidden: true, reason: 'iteration_limit' });
    expect(readdirSync(p.home)).toEqual(expect.arrayContaining(['ran-1', 'ran-2']));
    expect(existsSync(join(p.home, 'seen')) ? readFileSync(join(p.home, 'seen'), 'utf8') : '').toBe('');
    expect(readdirSync(own)).toEqual([]);
  },
);

test.runIf(hasBwrap)('a runner that its agent kills in the view has not solved the case', async () => {
  const p = await evalProject({
    kills: { agent: `name = "command"\ncommand = ["sh", "-c", "kill -9 $PPID; sleep 300"]` },
    segfaults: { agent: `name = "command"\ncommand = ["sh", "-c", "kill -SEGV $PPID; sleep 300"]` },
  });
  const ran = await p.evalRun('kills', 'segfaults');
  expect(ran.code, ran.err).toBe(0);
  for (const id of ['kills', 'segfaults'])
    expect(p.trial(id).meta).toMatchObject({ hidden: true, outcome: 'fail', reason: 'agent_failed' });
});

test.runIf(hasBwrap)('a trial that asks for a sandbox of its own runs in the view, too', async () => {
  const p = await evalProject({ own: { agent: shellAgent(`echo x > a.txt; ${shellDone}`) } });
  const ran = await p.evalRun('own', '--set', 'sandbox.kind=auto');
  expect(ran.code, ran.err).toBe(0);
  expect(p.trial('own').meta).toMatchObject({ hidden: true, outcome: 'success' });
});

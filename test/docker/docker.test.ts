/**
 * §13.8 with a real engine (`npm run test:docker`): what a program in a container can reach, that it ends with its session, and what
 * that costs. Without an engine nothing here runs.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { entryFile, unstartedProject } from '../support/project.ts';
import type { Project, ProjectOptions } from '../support/project.ts';
import { refused } from '../support/refusals.ts';
import { runProgram } from '../support/spawner.ts';
import { node } from '../support/trees.ts';

const image = process.env['RUNNER_TEST_DOCKER'] ?? '';
const host = process.env['DOCKER_HOST'];
const engine: Readonly<Record<string, string>> = host === undefined ? {} : { DOCKER_HOST: host };

/** Of the private engine's socket. */
const dockerGroup = /^docker:[^:]*:(\d+):/m.exec(readFileSync('/etc/group', 'utf8'))?.[1] ?? null;

const shell = 'name = "command"\ncommand = ["sh", "agent.sh"]';
const finish = `printf '{"status":"done","summary":"did it","children":null}' > "$RUNNER_OUTPUT"\n`;

function sandbox(more = ''): string {
  return `[sandbox]\nkind = "docker"\nimage = "${image}"\n${more}`;
}

/** Started without the engine: `start` itself asks for it. */
async function contained(options: ProjectOptions & { readonly agentScript: string }): Promise<Project> {
  const { agentScript, ...rest } = options;
  const p = await unstartedProject({
    agent: shell,
    guard: ['sh', 'check.sh'],
    config: sandbox(),
    ...rest,
    files: { 'agent.sh': `cat > /dev/null\n${agentScript}`, 'check.sh': 'true\n', ...rest.files },
  });
  const started = await p.runWith(engine, 'start', '--no-baseline');
  expect(started, started.err).toMatchObject({ code: 0 });
  return p;
}

async function docker(...args: readonly string[]): Promise<string> {
  const env = { PATH: process.env['PATH'] ?? '', ...engine };
  const { stdout } = await runProgram({ program: 'docker', args, cwd: '/', env });
  return stdout;
}

/** Nothing of this run is left: no container, no process with these words, no folder with a login. */
async function expectNothingLeft(p: Project, words?: string): Promise<void> {
  expect(await docker('ps', '--all', '--quiet', '--filter', 'label=runner.run=test')).toBe('');
  if (words !== undefined) expect(processesWith(words)).toEqual([]);
  expect(processesWith(`RUNNER_WORK_TREE=${p.top} `, 'environ')).toEqual([]);
  const sessions = join(p.home, '.local/state/runner/sessions');
  const left = existsSync(sessions) ? readdirSync(sessions, { recursive: true }) : [];
  expect(left.filter((name) => String(name).includes('homes'))).toEqual([]);
}

function processesWith(words: string, file: 'cmdline' | 'environ' = 'cmdline'): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) &&
        readFileSync(`/proc/${pid}/${file}`, 'latin1').replaceAll('\0', ' ').includes(words)
      );
    } catch {
      return false;
    }
  });
}

async function until(isTrue: () => Promise<boolean> | boolean): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await isTrue()) return;
    await sleep(50);
  }
  throw new Error('it did not happen');
}

/** A server in a container, on the network of all containers. Returns the command that tells whether it can be reached. */
async function serveInside(): Promise<string> {
  const serve =
    'my $s = IO::Socket::INET->new(LocalPort => 8080, Listen => 5) or die; while (my $c = $s->accept) { close $c }';
  const name = `runner-test-server-${process.pid}`;
  const perl = ['--entrypoint', 'perl', image, '-MIO::Socket::INET', '-e', serve];
  await docker('run', '--detach', '--rm', '--name', name, ...perl);
  onTestFinished(() => void docker('rm', '--force', name));
  const address = await docker('inspect', '--format', '{{.NetworkSettings.IPAddress}}', name);
  const reach = `perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(PeerAddr => "${address}:8080", Timeout => 5) ? "reached\\n" : "unreachable\\n"'`;
  await until(
    async () => (await docker('run', '--rm', '--entrypoint', 'sh', image, '-c', reach)) === 'reached',
  );
  return reach;
}

describe.skipIf(image === '')('docker', () => {
  test('what an agent can reach', async () => {
    const reach = await serveInside();
    const p = await contained({
      config: sandbox('network = false\nmax_processes = 64\nread = ["~/tools"]\nwrite = ["~/.cache"]\n'),
      files: {
        'check.sh': `${reach} > guard-net.txt; test -f work.txt; ! touch .git/x; ! test -e "$HOME/canary"\n`,
        '.gitignore': 'guard-net.txt\n',
      },
      // Made before start, which wants what the settings name.
      make: async ({ git, base }) => {
        for (const folder of ['home/tools', 'home/.cache', 'home/.claude', 'home/.codex', 'home/.ssh'])
          mkdirSync(join(base, folder), { recursive: true });
        writeFileSync(join(base, 'home/canary'), 'canary');
        writeFileSync(join(base, 'home/.ssh/id'), 'canary');
        writeFileSync(join(base, 'home/tools/t'), '#!/bin/sh\necho tool\n', { mode: 0o755 });
        await git('init', '-q', '-b', 'main');
      },
      agentScript: `
echo "home: $(find "$HOME" -type f | sort | tr '\\n' ' ')"
echo "tool: $("$HOME/tools/t")"
# What is beside the work tree inside is the container's own, and gone with it: the files outside are looked at below.
for path in "$(dirname "$PWD")/x" "$(dirname "$RUNNER_WORK_TREE")/y" "$HOME/z"; do echo x > "$path"; done
for path in "$HOME/tools/x" /etc/x .git/x .git/config .git/refs/x; do
  (echo x >> "$path") 2> /dev/null && echo "WROTE $path"
done
rm -rf .git 2> /dev/null && echo 'REMOVED .git'
mount -o remount,rw,bind / 2> /dev/null && echo REMOUNTED
unshare -Ur true 2> /dev/null && echo UNSHARED
grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/self/status
ps -e 2> /dev/null | wc -l; ls -d /proc/[0-9]* | wc -l
${reach}
echo kept > "$HOME/.cache/kept"
echo "as $(id -u):$(id -g), $RUNNER_RUN_ID $RUNNER_ROLE $(git log --format=%s -1)"
( i=0; while [ $i -lt 100 ]; do sleep 30 & i=$((i+1)); done; echo FORKED ) 2> /dev/null
echo work > work.txt
setsid sleep 4242 &
trap '' TERM
${finish}`,
    });
    const ran = await p.runWith(engine, 'loop');
    expect(ran, ran.err).toMatchObject({ code: 0 });
    expect(ran.err).toContain('rings: sandbox=docker guard=online settings=on');
    const log = p.log(1, 'executor.log');
    expect(log).not.toMatch(/WROTE|REMOVED|REMOUNTED|FORKED|canary|\breached/);
    const home = /^home: (.*)$/m.exec(log)?.[1]?.trim().split(' ') ?? [];
    expect(home.filter((path) => !path.includes('/sessions/'))).toEqual([join(p.home, 'tools/t')]);
    expect(readdirSync(p.home).toSorted()).toEqual([
      '.cache',
      '.claude',
      '.codex',
      '.local',
      '.ssh',
      'canary',
      'tools',
    ]);
    expect(log).toContain('tool: tool');
    expect(log).toContain('CapEff:\t0000000000000000');
    expect(log).toContain('CapBnd:\t0000000000000000');
    expect(log).toContain('NoNewPrivs:\t1');
    expect(log).toContain('unreachable');
    expect(log).toContain(`as ${process.getuid?.()}:${process.getgid?.()}, test agent `);
    expect(p.read('guard-net.txt'), 'the network of the guard is on').toBe('reached\n');
    expect(readFileSync(join(p.home, '.cache/kept'), 'utf8')).toBe('kept\n');
    expect(readdirSync(p.base).toSorted()).toEqual(['home', 'repo']);
    expect(p.meta(1)).toMatchObject({ rings: { sandbox: 'docker' }, processes: 'group+cookie+container' });
    expect(await p.git('log', '--format=%(trailers:key=Runner-Rings,valueonly)', '-1')).toContain(
      'sandbox=docker',
    );
    expect(await p.status()).toBe('');
    await expectNothingLeft(p, 'sleep 4242');
  });

  test('the login of the chosen agent, and of no other; a program of the image', async () => {
    const result = JSON.stringify({
      type: 'result',
      is_error: false,
      structured_output: { status: 'done', summary: 'did it', children: null },
    });
    const p = await unstartedProject({
      agent: 'name = "claude"\nbin = "./claude.sh"',
      guard: ['sh', 'check.sh'],
      config: sandbox(),
      files: {
        'claude.sh': `#!/bin/sh
test "$1" = --version && { echo 1.2.3; exit; }
cat > /dev/null
cat "$HOME/.claude/.credentials.json" > login.txt; echo new > "$HOME/.claude/.credentials.json"
ls -A "$HOME" "$HOME/.codex" > home.txt 2>&1
echo "IS_SANDBOX=$IS_SANDBOX $DOCKER_HOST" >> home.txt
echo '${result}'
`,
        'check.sh': 'test -f login.txt && ! test -e "$HOME/.claude"\n',
      },
    });
    await p.git('update-index', '--chmod=+x', 'claude.sh');
    await p.git('commit', '-q', '-m', 'a program');
    await p.git('checkout', '-q', '-f', 'HEAD', '--', 'claude.sh');
    for (const [path, text] of [
      ['.claude/.credentials.json', '{"accessToken":"of-claude-1234"}'],
      ['.codex/auth.json', '{"key":"of-codex-5678"}'],
    ] as const) {
      mkdirSync(join(p.home, path, '..'), { recursive: true });
      writeFileSync(join(p.home, path), text);
    }
    for (const command of ['start', 'loop']) {
      const ran = await p.runWith(engine, command);
      expect(ran, ran.err).toMatchObject({ code: 0 });
    }
    expect(p.read('login.txt')).toBe('{"accessToken":"of-claude-1234"}');
    expect(p.read('home.txt')).toContain('.claude');
    expect(p.read('home.txt')).toContain('IS_SANDBOX=1 \n');
    expect(p.read('home.txt')).not.toContain('auth.json');
    expect(readFileSync(join(p.home, '.claude/.credentials.json'), 'utf8')).toContain('of-claude');
    await expectNothingLeft(p);
  });

  test.skipIf(process.getuid?.() !== 0 || dockerGroup === null)('a user who is not root', async () => {
    const p = await contained({ agentScript: `id -u > user.txt; touch "$HOME/x"\n${finish}` });
    const owner = `65534:${dockerGroup}`;
    const env = { ...p.env, ...engine };
    const call = async (program: string, ...args: readonly string[]) =>
      runProgram({ program, args, cwd: p.dir, env });
    await call('chown', '--recursive', owner, p.base);
    const as = ['--reuid=65534', `--regid=${dockerGroup}`, '--clear-groups', process.execPath, entryFile];
    const ran = await call('setpriv', ...as, 'loop');
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(p.read('user.txt')).toBe('65534\n');
    expect(statSync(join(p.dir, 'user.txt'))).toMatchObject({ uid: 65_534 });
    await expectNothingLeft(p);
    expect(readdirSync(join(p.home, '.local/state/runner/sessions'))).toEqual([]);
  });

  test('setup and guard in the judge’s clone', async () => {
    const p = await contained({
      config: `[automation]\nsetup = ["echo made > made.txt", "test -f made.txt"]\n${sandbox()}`,
      checkout: 'every',
      files: {
        '.gitignore': 'made.txt\nwhere.txt\n',
        'check.sh':
          'git log -1 --format=%s && test -d .git && { test -f made.txt || test -f work.txt; } && pwd\n',
      },
      agentScript: `echo work > work.txt\n${finish}`,
    });
    const ran = await p.runWith(engine, 'loop');
    expect(ran, ran.err).toMatchObject({ code: 0 });
    expect(p.log(1, 'guard.clone.log')).toContain('/judge/');
    await expectNothingLeft(p);
  });

  test('a background run in its own work tree', async () => {
    const p = await unstartedProject({
      agent: shell,
      guard: ['sh', 'check.sh'],
      config: `[automation]\nsetup = ["! touch .git && test -d \\"$(git rev-parse --git-dir)\\" && pwd > made.txt"]\n${sandbox()}`,
      files: {
        'agent.sh': `cat > /dev/null\ntest -f made.txt && pwd > work.txt\n${finish}`,
        'check.sh': 'test -f work.txt\n',
        '.gitignore': 'made.txt\n',
      },
    });
    const ran = await p.runWith(engine, 'run', 'start', '--no-input', '--name', 'inside', '--wait');
    expect(ran, ran.err).toMatchObject({ code: 0 });
    expect(await p.git('show', 'runner/inside:work.txt')).toContain('/worktrees/');
    expect(await docker('ps', '--all', '--quiet', '--filter', 'label=runner.run=inside')).toBe('');
  });

  test('a session that does not end, one that is stopped, one whose runner is killed', async () => {
    const p = await contained({
      config: `iteration_timeout_secs = 8\non_timeout = "continue"\n${sandbox('network = false\nmemory_mb = 256\n')}`,
      tree: node('root', { children: [node('a'), node('b')] }),
      agentScript: `
trap '' TERM INT
case "$(cat "$RUNNER_WORK_TREE/mode.txt")" in
  hang) touch hung.txt; sleep 5151 & sleep 5151; sleep 5151 ;;
  *) echo work >> work.txt; ${finish} ;;
esac
`,
      files: { 'mode.txt': 'hang\n', '.gitignore': 'hung.txt\n' },
    });
    const running = (): boolean => processesWith('sleep 5151').length > 0;
    const late = await p.runWith(engine, 'step');
    expect(late.out, late.err).toContain('status=retry guard=skipped');
    await expectNothingLeft(p, 'sleep 5151');

    const stopped = p.start(['step'], engine);
    await until(running);
    const [id = ''] = (await docker('ps', '--quiet', '--filter', 'label=runner.run=test')).split('\n');
    expect(JSON.parse(await docker('inspect', '--format', '{{json .HostConfig}}', id))).toMatchObject({
      NetworkMode: 'none',
      Memory: 256 * 1024 ** 2,
      PidsLimit: 2048,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      ReadonlyRootfs: true,
      AutoRemove: true,
      Privileged: false,
    });
    stopped.kill('SIGINT');
    expect((await stopped).exitCode).toBe(130);
    await expectNothingLeft(p, 'sleep 5151');

    const killed = p.start(['step'], engine);
    await until(running);
    killed.kill('SIGKILL');
    await killed;
    expect(running(), 'the container outlives its runner').toBe(true);
    p.put('mode.txt', 'work\n');
    const again = await p.runWith(engine, 'step');
    expect(again.err).toContain('recovered iteration 3: recorded as status=retry guard=skipped');
    expect(again, again.err).toMatchObject({ code: 0 });
    await expectNothingLeft(p, 'sleep 5151');
    const last = await p.runWith(engine, 'loop');
    expect(last, last.err).toMatchObject({ code: 0 });
    await expectNothingLeft(p, 'sleep 5151');
  });

  test('what is missing is told at start and by doctor', async () => {
    const p = await unstartedProject({ agent: shell, config: sandbox(), files: { 'agent.sh': finish } });
    const before = await p.git('rev-parse', 'HEAD');
    const noImage = { ...engine, RUNNER_SANDBOX_IMAGE: 'no-such-image' };
    const refusal = await refused(p, ['start'], noImage);
    expect(refusal.message).toContain("docker has no image 'no-such-image'");
    expect(refusal.hint).toContain('docker pull no-such-image');
    const noEngine = { DOCKER_HOST: 'unix:///nowhere.sock' };
    expect((await refused(p, ['start'], noEngine)).message).toContain('docker does not answer');
    expect((await p.runWith(noEngine, 'doctor')).out).toMatch(/fail.*sandbox|sandbox.*fail/);
    expect((await p.runWith(engine, 'doctor')).out).toMatch(/ok.*sandbox/);
    const noAgent = { ...engine, RUNNER_AGENT_COMMAND: '["no-such-agent"]' };
    expect((await p.runWith(engine, 'start', '--no-baseline')).code).toBe(0);
    expect((await refused(p, ['step'], noAgent)).message).toContain("has no program 'no-such-agent'");
    expect(await p.git('rev-parse', 'HEAD~1')).toBe(before);
  });

  test('what it costs', async () => {
    const leaves = ['a', 'b', 'c', 'd'];
    const measure = async (config: string): Promise<number> => {
      const p = await contained({
        config,
        tree: node('root', { children: leaves.map((id) => node(id)) }),
        agentScript: `echo work >> work.txt\n${finish}`,
      });
      const startMs = performance.now();
      const ran = await p.runWith(engine, 'loop');
      expect(ran, ran.err).toMatchObject({ code: 0 });
      return (performance.now() - startMs) / leaves.length;
    };
    const plain = await measure('');
    const inside = await measure(sandbox());
    console.log(
      `docker: ${Math.round(plain)} ms an iteration without, ${Math.round(inside)} ms with a container for agent and guard each`,
    );
  });
});

/** §13.8 with real bubblewrap: what agent and guard reach, what start records, and what happens where it cannot be kept. */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { toolchainRoots } from '../../src/core/sandbox/sandbox-policy.ts';
import { bwrapName, hasBwrap } from '../support/bwrap.ts';
import { answer, entryFile, project, unstartedProject, write } from '../support/project.ts';
import type { Project, ProjectOptions } from '../support/project.ts';
import { pathOf, refused } from '../support/refusals.ts';
import { fakeProgram } from '../support/shell-agent.ts';
import { runProgram } from '../support/spawner.ts';
import { node } from '../support/trees.ts';

const shell = 'name = "command"\ncommand = ["sh", "agent.sh"]';
const finish = `printf '{"status":"done","summary":"did it","children":null}' > "$RUNNER_OUTPUT"\n`;
const auto = '[sandbox]\nkind = "auto"\n';

/** `agent.sh` is the agent, `check.sh` the guard. */
async function contained(
  options: ProjectOptions & { readonly agentScript: string; readonly check?: string },
): Promise<Project> {
  const { agentScript, check = 'true', ...rest } = options;
  return unstartedProject({
    agent: shell,
    guard: ['sh', 'check.sh'],
    config: auto,
    ...rest,
    files: { 'agent.sh': `${agentScript}\n${finish}`, 'check.sh': `${check}\n`, ...rest.files },
  });
}

async function ok(p: Project, ...args: readonly string[]) {
  const ran = await p.run(...args);
  expect(ran, ran.err).toMatchObject({ code: 0 });
  return ran;
}

/** Processes on the whole machine with these words on their command line. */
function processesWith(words: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) &&
        readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(words)
      );
    } catch {
      return false;
    }
  });
}

async function until(isSo: () => boolean): Promise<void> {
  for (const endMs = Date.now() + 30_000; !isSo(); await sleep(50))
    if (Date.now() > endMs) throw new Error('it never came');
}

describe.skipIf(!hasBwrap)(`in ${bwrapName}`, () => {
  test('by itself: an agent that reaches its work tree and nothing else, told everywhere', async () => {
    const p = await contained({
      check: 'test ! -e "$HOME/secret"',
      agentScript: [
        'echo work > made.txt',
        'ls -A "$HOME" > home.txt',
        '{ echo x > ../outside.txt; echo x > .git/hooks/post-commit; } 2> refused.txt',
        'cat "$HOME/secret" >> home.txt 2>/dev/null',
        'echo scratch > "$TMPDIR/a"; echo scratch > /tmp/b',
        'git log -1 --format=%s > subject.txt',
        'id -u > uid.txt',
        'tr "\\0" "\\n" < /proc/1/cmdline | head -1 > first.txt',
      ].join('\n'),
    });
    writeFileSync(join(p.home, 'secret'), 'canary');
    await ok(p, 'start');
    expect(p.runState().resolved).toEqual({
      permissions: 'workspace',
      sandbox: 'bwrap',
      guard: true,
      guard_network: false,
    });
    const stepped = await ok(p, 'step');
    expect(stepped.err).toContain('sandbox=bwrap guard=offline settings=on');
    expect(p.meta(1)).toMatchObject({
      rings: { sandbox: 'bwrap', guard: 'offline' },
      processes: 'group+cookie+namespace',
    });
    expect(await p.git('log', '-1', '--format=%B')).toContain('Runner-Rings: sandbox=bwrap guard=offline');
    expect((await ok(p, 'status')).out).toContain(
      'status: sandbox=bwrap setting=auto guard=offline permissions=workspace',
    );
    // Outside it would be red.
    expect((await ok(p, 'audit', '--rerun-guard')).out).toMatch(/rerun commit=.* guard=pass .*\nproven/u);
    expect(p.read('made.txt')).toBe('work\n');
    expect(p.read('home.txt')).not.toMatch(/canary|secret/);
    expect(p.read('refused.txt')).toMatch(/hooks\/post-commit: Read-only file system/);
    expect(p.read('subject.txt')).toContain('start run test');
    expect(p.read('uid.txt')).toBe(`${process.getuid?.()}\n`);
    expect(p.read('first.txt')).toContain('bwrap');
    expect(existsSync(join(p.base, 'outside.txt'))).toBe(false);
    // Nothing of the session is left; caches of the run are.
    expect(readdirSync(join(p.home, '.local/state/runner/sessions'))).toEqual([]);
    expect(readdirSync(join(p.home, '.local/state/runner/caches')).length).toBe(1);
  });

  test('the current folder is seen inside: a project in a sub-folder, and -C from another folder', async () => {
    const agentScript = 'test -e agent.sh && echo work > made.txt';
    const sub = await contained({
      agentScript,
      check: 'test ! -e made.txt || grep -q work made.txt',
      prefix: 'pkg/app/',
    });
    await ok(sub, 'start');
    await ok(sub, 'step');
    expect(sub.meta(1)).toMatchObject({ guard: 'pass', rings: { sandbox: 'bwrap' } });
    expect(await sub.git('show', 'HEAD:pkg/app/made.txt')).toBe('work');

    const p = await contained({
      agentScript: 'cat src/a.txt > made.txt; echo b > src/b.txt',
      files: { 'src/a.txt': 'a\n' },
    });
    for (const { cwd, args } of [
      // Programs of the system are in none of the user's folders.
      { cwd: '/usr', args: ['-C', p.dir, 'start'] },
      { cwd: join(p.dir, 'src'), args: ['-C', '..', 'step'] },
    ]) {
      const ran = await runProgram({
        program: process.execPath,
        args: [entryFile, ...args],
        cwd,
        env: { ...p.env, XDG_DATA_HOME: 'src', XDG_CACHE_HOME: join(p.dir, 'src') },
      });
      expect(ran, ran.stderr).toMatchObject({ code: 0 });
    }
    expect(await p.git('show', 'HEAD:made.txt')).toBe('a');
    expect(await p.git('show', 'HEAD:src/b.txt')).toBe('b');
  });

  test('what the runner was started with stays outside, and nothing in the git folder is written through stdin', async () => {
    const p = await contained({
      agentScript: `{ cat /proc/self/fd/60/secret; echo x > /proc/self/fd/60/planted; } > seen.txt 2>/dev/null
echo planted >> /proc/self/fd/0; ls /proc/self/fd > open.txt; find .git -name prompt.md > named.txt`,
    });
    writeFileSync(join(p.home, 'secret'), 'canary');
    await ok(p, 'start', '--no-baseline');
    const folder = openSync(p.home, 'r');
    onTestFinished(() => closeSync(folder));
    const ran = await execa(process.execPath, [entryFile, 'step'], {
      cwd: p.dir,
      env: p.env,
      extendEnv: false,
      reject: false,
      stdio: ['ignore', 'pipe', 'pipe', ...Array.from({ length: 57 }, () => 'ignore' as const), folder as 3],
    });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(['seen.txt', 'named.txt'].map((name) => p.read(name))).toEqual(['', '']);
    expect(p.read('open.txt')).toContain('60');
    expect(existsSync(join(p.home, 'planted'))).toBe(false);
  });

  test('what a session puts into its caches, the check does not read', async () => {
    const p = await contained({
      agentScript: `mkdir -p "$CARGO_HOME" && echo poison > "$CARGO_HOME/config.toml"
cat "$GOCACHE/of-check" > seen.txt 2>/dev/null; echo work > made.txt`,
      check: 'mkdir -p "$GOCACHE" && echo x >> "$GOCACHE/of-check" && test ! -e "$CARGO_HOME/config.toml"',
    });
    await ok(p, 'start');
    await ok(p, 'step');
    expect(p.meta(1)).toMatchObject({ guard: 'pass', rings: { guard: 'offline' } });
    expect(p.read('seen.txt')).toBe('');
    const folder = join(p.home, '.local/state/runner/caches');
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) =>
      name.replace(/^\w+\//, ''),
    );
    expect(names).toEqual(
      expect.arrayContaining(['test/session/cargo/config.toml', 'test/check/go-build/of-check']),
    );
    // Checks share theirs: what one of them fetched the next one has.
    expect(
      readFileSync(join(folder, readdirSync(folder)[0] ?? '', 'test/check/go-build/of-check'), 'utf8'),
    ).toMatch(/^x\nx\n/);
  });

  test('secrets among toolchains are empty, and settings of cargo come without their tokens', async () => {
    const secrets = [
      '.nvm/versions/node/v20/etc/npmrc',
      '.local/share/mise/installs/node/22/etc/npmrc',
      '.npm-global/etc/npmrc',
      '.local/share/uv/credentials/credentials.toml',
      '.local/share/gem/credentials',
      '.dotnet/corefx/cryptography/x509stores/my/a.pfx',
      'miniconda3/.condarc',
      '.config/go/env',
    ];
    const shown = ['.nvm/versions/node/v20/bin/tool', '.dotnet/sdk/tool', '.local/share/uv/python/tool'];
    const p = await contained({
      agentScript: `for file in ${secrets.join(' ')}; do cat "$HOME/$file" >> secrets.txt 2>/dev/null; done
for file in ${shown.join(' ')}; do cat "$HOME/$file"; done > shown.txt; cp "$CARGO_HOME/config.toml" cargo.txt`,
    });
    const own = (path: string, text: string): void => {
      mkdirSync(dirname(join(p.home, path)), { recursive: true });
      writeFileSync(join(p.home, path), text);
    };
    for (const path of secrets) own(path, 'canary\n');
    for (const path of shown) own(path, 'tool\n');
    own(
      '.cargo/config.toml',
      '# token = "canary"\n[registry]\ntoken = "canary"\n[registries]\nours = { index = "https://a.invalid", token = "canary" }\n[build]\njobs = 2\n',
    );
    // By PATH the whole folder is seen.
    const path = { PATH: `${join(p.home, '.dotnet')}:${p.env['PATH'] ?? ''}` };
    for (const words of [['start', '--no-baseline'], ['step']]) {
      const ran = await p.runWith(path, ...words);
      expect(ran, ran.err).toMatchObject({ code: 0 });
    }
    expect(p.read('secrets.txt')).toBe('');
    expect(p.read('shown.txt')).toBe('tool\ntool\ntool\n');
    expect(p.read('cargo.txt')).not.toContain('canary');
    expect(p.read('cargo.txt')).toContain('index = "https://a.invalid"');
    expect(p.read('cargo.txt')).toContain('jobs = 2');
  });

  test('the home folder in the list of users is as empty as HOME, but for toolchains', async () => {
    const { homedir } = userInfo();
    const p = await contained({ agentScript: `ls -A ${homedir} > real.txt` });
    await ok(p, 'start', '--no-baseline');
    await ok(p, 'step');
    const toolchains = toolchainRoots.flatMap(({ paths }) => paths.map((path) => path.split('/')[0]));
    // What leads to the work tree, and to the test's own programs, is there, too.
    const ways = [p.dir, entryFile, process.execPath].filter((path) => path.startsWith(`${homedir}/`));
    const seen = p
      .read('real.txt')
      .split('\n')
      .filter((name) => name !== '');
    const known = [...toolchains, ...ways.map((path) => path.slice(homedir.length + 1).split('/')[0])];
    expect(seen.filter((name) => !known.includes(name))).toEqual([]);
  });

  test('recorded answers are played inside, too', async () => {
    const p = await project({
      config: auto,
      script: [{ actions: [write('a.txt', 'a')], answer: answer('done') }],
    });
    const { err } = await ok(p, 'step');
    expect(err).toContain('sandbox=bwrap guard=outside');
    expect(p.tree().passes).toBe(true);
  });

  test('the guard runs as it was green: with a network only if it needs one, outside only if it must', async () => {
    const server = createServer((socket) => socket.end());
    onTestFinished(() => void server.close());
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    const needsNetwork = `node -e 'require("net").connect(${port}, "127.0.0.1").on("error", () => process.exit(1)).on("connect", () => process.exit(0))'`;
    const online = await contained({ agentScript: ':', check: needsNetwork });
    expect((await ok(online, 'start')).err).toContain(
      'the guard runs in the sandbox with a network, because it is red otherwise',
    );
    expect(online.runState()).toMatchObject({
      guard_baseline: 'green',
      resolved: { guard: true, guard_network: true },
    });

    const outside = await contained({ agentScript: 'echo a > a.txt', check: 'test -e "$HOME/of-mine"' });
    writeFileSync(join(outside.home, 'of-mine'), '');
    expect((await ok(outside, 'start')).err).toContain(
      'the guard runs outside the sandbox, because it is red otherwise',
    );
    expect(outside.runState()).toMatchObject({
      guard_baseline: 'green',
      resolved: { sandbox: 'bwrap', guard: false },
    });
    await ok(outside, 'step');
    expect(outside.meta(1)).toMatchObject({ guard: 'pass', rings: { sandbox: 'bwrap', guard: 'outside' } });

    const red = await contained({ agentScript: ':', check: 'false' });
    expect((await ok(red, 'start')).err).toContain('because it was never seen green');
  });

  test('a program that is another one inside stops start, and the hint leads on', async () => {
    const p = await contained({ agentScript: ':', guard: ['mycheck'] });
    const tools = join(p.home, 'opt/real');
    mkdirSync(tools, { recursive: true });
    writeFileSync(join(tools, 'mycheck'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    const path = fakeProgram(p, 'mycheck', 'exit 0');
    const linked = join(p.home, 'bin/mycheck');
    unlinkSync(linked);
    symlinkSync(join(tools, 'mycheck'), linked);
    const told = await refused(p, ['start'], path);
    expect(told).toMatchObject({ code: 'SANDBOX_PATH' });
    expect(told.message).toContain(
      `the program 'mycheck' (${linked}) of guard.command cannot be run in the sandbox: ${tools} cannot be seen there`,
    );
    expect(told.hint).toBe(`runner config set sandbox.read '["${tools}"]'`);
    await ok(p, 'config', 'set', 'sandbox.read', JSON.stringify([tools]));
    await p.commitAll();
    const started = await p.runWith(path, 'start');
    expect(started, started.err).toMatchObject({ code: 0 });
    expect(p.runState().resolved?.guard).toBe(true);
  });

  test('all that a program needs to be seen is told at once', async () => {
    const p = await contained({ agentScript: ':' });
    const [folder, links] = [join(p.home, 'opt/real'), join(p.home, 'opt/links')];
    for (const each of [folder, links]) mkdirSync(each, { recursive: true });
    writeFileSync(join(folder, 'mycheck'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    const linked = join(links, 'mycheck');
    symlinkSync(join(folder, 'mycheck'), linked);
    await ok(p, 'config', 'set', 'guard.command', JSON.stringify([linked]));
    await p.commitAll();
    const { message, hint } = await refused(p, ['start']);
    expect(message).toBe(
      `the program ${linked} of guard.command cannot be run in the sandbox: ${folder} and ${links} cannot be seen there`,
    );
    expect(hint).toBe(`runner config set sandbox.read '${JSON.stringify([folder, links])}'`);
    await ok(p, 'config', 'set', 'sandbox.read', JSON.stringify([folder, links]));
    await p.commitAll();
    await ok(p, 'start');
    expect(p.runState().resolved?.guard).toBe(true);
  });

  test('a machine that cannot keep it stops with the choice; runs of an older version go on without', async () => {
    const p = await contained({ agentScript: 'echo a > a.txt' });
    await ok(p, 'start');
    const without = { PATH: pathOf(p, ['git', 'sh', 'true', 'id', 'cat', 'node']) };
    const told = await refused(p, ['step'], without);
    expect(told).toMatchObject({ code: 'SANDBOX_MISSING', message: 'the program bwrap was not found' });
    expect(told.hint).toContain('apt install bubblewrap');
    await ok(p, 'config', 'set', 'sandbox.kind', 'none');
    const stepped = await p.runWith(without, 'step');
    expect(stepped, stepped.err).toMatchObject({ code: 0 });

    const old = await contained({ agentScript: 'echo a > a.txt' });
    await ok(old, 'start');
    const { resolved: _resolved, ...state } = old.runState();
    old.put('.runner/state/run_state.json', `${JSON.stringify(state, null, 2)}\n`);
    await old.commitAll();
    const { err } = await ok(old, 'step');
    expect(err).toContain('rings: sandbox=none settings=on');
    expect(err).toContain('note: the run does not record which sandbox it has, so it works without one');
  });

  test('nothing in the git folder can be opened for writing', async () => {
    const p = await contained({ agentScript: ':' });
    const folder = join(p.top, '.git/runner');
    mkdirSync(folder, { recursive: true });
    const told = await refused(p, ['start'], { RUNNER_SANDBOX_WRITE: JSON.stringify([folder]) });
    expect(told).toMatchObject({ code: 'SANDBOX_MISSING', hint: expect.stringContaining('sandbox.write') });
    expect(told.message).toContain(`${folder} in the git folder, which no session may write`);
  });

  test('full permissions mean none; a workspace that nobody can keep is refused', async () => {
    const p = await contained({ agentScript: ':', agent: `${shell}\npermissions = "full"` });
    await ok(p, 'start');
    expect(p.runState().resolved).toMatchObject({ permissions: 'full', sandbox: 'none' });
    const q = await contained({ agentScript: ':', agent: `${shell}\npermissions = "workspace"` });
    const told = await refused(q, ['start'], { PATH: pathOf(q, ['git', 'sh', 'true', 'node']) });
    expect(told).toMatchObject({ code: 'SANDBOX_MISSING' });
    expect(told.message).toContain('agent.permissions = "workspace" needs a sandbox');
  });

  test('a runner that is killed leaves no process, and the next step goes on', async () => {
    const p = await contained({
      agentScript:
        'env -i setsid sh -c "sleep 86399" & trap "" TERM; touch "$PWD/began"; sleep 86398; sleep 86398',
      config: `${auto}guard = true\n`,
    });
    await ok(p, 'start', '--no-baseline');
    const running = p.start(['step']);
    await until(() => existsSync(join(p.dir, 'began')));
    await until(() => processesWith('sleep 86399').length > 0);
    running.kill('SIGKILL');
    await running;
    await until(() => [...processesWith('sleep 86399'), ...processesWith('sleep 86398')].length === 0);
    p.put('agent.sh', finish);
    const again = await p.run('step');
    expect(again.err).toContain('iter 1');
    expect(readdirSync(join(p.home, '.local/state/runner/sessions'))).toEqual([]);
  });

  test('a login that was renewed inside comes back; one that was broken does not', async () => {
    const login = { claudeAiOauth: { accessToken: 'old-access-token', refreshToken: 'old-refresh-token' } };
    const p = await unstartedProject({
      agent: 'name = "claude"',
      config: auto,
      tree: node('root', { children: [node('a'), node('b')] }),
    });
    const file = join(p.home, '.claude/.credentials.json');
    mkdirSync(join(p.home, '.claude'));
    writeFileSync(file, JSON.stringify(login));
    const renewed = JSON.stringify(login).replaceAll('old', 'new');
    const result =
      '{"type":"result","subtype":"success","is_error":false,"result":"","structured_output":{"status":"done","summary":"s","children":null}}';
    const claude = (content: string) =>
      fakeProgram(
        p,
        'claude',
        `[ "$1" = --version ] && exec echo 2.1.325
test "$(cat "$HOME/.claude/.credentials.json")" = '${JSON.stringify(login)}' || exit 3
echo '${content}' > "$HOME/.claude/.new" && mv "$HOME/.claude/.new" "$HOME/.claude/.credentials.json"
echo $$ >> work.txt; date >> work.txt; echo '${result}'`,
      );
    const started = await p.runWith(claude('{}'), 'start');
    expect(started, started.err).toMatchObject({ code: 0 });
    const broken = await p.runWith(claude('{"claudeAiOauth":1}'), 'step');
    expect(broken, broken.err).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toBe(JSON.stringify(login));
    const again = await p.runWith(claude(renewed), 'step');
    expect(again, again.err).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toBe(`${renewed}\n`);
  });

  test('a sealed login has its key inside and comes back; settings, which name programs, do not', async () => {
    const p = await unstartedProject({ agent: 'name = "droid"', config: auto });
    const own = (name: string): string => join(p.home, '.factory', name);
    mkdirSync(own(''));
    writeFileSync(own('auth.v2.file'), 'b2xk:dGFn:b2xk');
    writeFileSync(own('auth.v2.key'), 'key');
    writeFileSync(own('settings.json'), '{"customModels":[]}');
    const droid = fakeProgram(
      p,
      'droid',
      `[ "$1" = --version ] && exec echo 0.215.0
cd "$HOME/.factory" && test "$(cat auth.v2.key)" = key || exit 3
printf bmV3:dGFn:bmV3 > auth.v2.file; printf other > auth.v2.key
printf '{"customModels":[],"hooks":{"Stop":[]}}' > settings.json
cd - > /dev/null; echo work > work.txt
echo '{"type":"message","role":"assistant","text":"{\\"status\\":\\"done\\",\\"summary\\":\\"s\\",\\"children\\":null}"}'
echo '{"type":"completion"}'`,
    );
    expect(await p.runWith(droid, 'start')).toMatchObject({ code: 0 });
    const ran = await p.runWith(droid, 'step');
    expect(ran, ran.err).toMatchObject({ code: 0 });
    expect(ran.out).toContain('status=done');
    const names = ['auth.v2.file', 'auth.v2.key', 'settings.json'];
    expect(names.map((name) => readFileSync(own(name), 'utf8'))).toEqual([
      'bmV3:dGFn:bmV3',
      'key',
      '{"customModels":[]}',
    ]);
  });
});

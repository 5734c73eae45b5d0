/** §14: a program in bubblewrap is over only when its PID namespace is empty, whatever its processes did to their environment. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../src/adapters/files/clock.ts';
import { privateLayout } from '../../../../src/adapters/files/layout.ts';
import { runProcess } from '../../../../src/adapters/processes/process.ts';
import { plainSandbox } from '../../../../src/adapters/processes/sandbox/bwrap.ts';
import { sandbox } from '../../../../src/adapters/processes/sandbox/sandbox.ts';
import { defaultConfig } from '../../../../src/core/config/default-config.ts';
import { hasBwrap } from '../../../support/bwrap.ts';
import { cleanEnv, tempFolder } from '../../../support/project.ts';

/** Processes that are not only waiting to be reaped. */
function listNamespace(namespace: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return (
        readlinkSync(`/proc/${pid}/ns/pid`) === namespace &&
        !/^State:\s+[ZX]/mu.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
      );
    } catch {
      return false;
    }
  });
}

/** Much memory takes a while to be given back. */
const sleeper = `const m = Buffer.alloc(4e8, 1); require('fs').writeFileSync(process.argv[1], ''); setTimeout(() => m, 6e5);`;
const leaves = `readlink /proc/self/ns/pid
for name in a b c d; do env -i setsid "$NODE" -e "$SLEEPER" $name </dev/null >/dev/null 2>&1 & done
until test -e a && test -e b && test -e c && test -e d; do sleep 0.1; done`;

test.skipIf(!hasBwrap)(
  'processes without environment, each in a session of its own, that take a while to end',
  async () => {
    const base = tempFolder('namespace');
    const [work, home] = [join(base, 'work'), join(base, 'home')];
    const own = privateLayout(join(work, '.git'));
    for (const folder of [own.gitDir, home]) mkdirSync(folder, { recursive: true });
    const env = cleanEnv(home);
    const options = { own, top: work, commonDir: own.gitDir, repository: 'test', env, entryFile: null };
    const config = plainSandbox(defaultConfig, []);
    const opened = await sandbox(options).open({ config, role: 'guard', run_id: 'test', clone: null });
    onTestFinished(() => opened.close());
    const clock = systemClock();
    const result = await runProcess({
      argv: ['sh', '-c', leaves],
      cwd: work,
      env: { PATH: process.env['PATH'] ?? '', NODE: process.execPath, SLEEPER: sleeper },
      stdinFile: null,
      stdoutFile: join(base, 'out'),
      stderrFile: join(base, 'out'),
      deadlineMs: clock.monotonicMs() + 100_000,
      idleTimeoutMs: null,
      diskBytesMax: 1024 ** 2,
      cookie: randomBytes(16).toString('hex'),
      inside: opened,
      clock,
      interrupts: { current: () => null, subscribe: () => () => undefined },
    });
    const namespace = readFileSync(join(base, 'out'), 'utf8').trim();
    expect(listNamespace(namespace)).toEqual([]);
    expect(namespace).toMatch(/^pid:\[\d+\]$/u);
    expect(result).toMatchObject({ end: 'exited', exitCode: 0, leftovers: [] });
  },
);

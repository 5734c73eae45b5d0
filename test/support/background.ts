/** Background runs of a test's project: started, looked at and stopped through their records, as `run list` and `run cancel` do. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { RunRecord } from '../../src/core/runs/record.ts';
import { hashFolder } from './folder-hash.ts';
import type { Project, Ran } from './project.ts';
import { isAlive } from './shell-agent.ts';
import { waitUntil } from './scratch.ts';

const live: readonly string[] = ['queued', 'starting', 'setup', 'running', 'waiting'];
/** Cancel may take this long in any phase (§13.5). */
const cancelMsMax = 10_000;

export function recordOf(p: Project, id: string): RunRecord {
  return JSON.parse(readFileSync(join(p.top, '.git', 'runner', 'runs', `${id}.json`), 'utf8')) as RunRecord;
}

export function progressOf(p: Project, id: string): string {
  return readFileSync(join(p.top, '.git', 'runner', 'runs', `${id}.progress.txt`), 'utf8');
}

/** Starts a run of this id, of whatever goal; its processes end with the test. */
export async function startRun(
  p: Project,
  id: string,
  { args = [], env = {} }: { readonly args?: readonly string[]; readonly env?: Record<string, string> } = {},
): Promise<Ran> {
  const ran = await p.runWith(env, 'run', 'start', '--new', '--name', id, ...args);
  expect(ran, ran.err).toMatchObject({ code: 0 });
  expect(ran.out).toContain(`run: id=${id} status=queued`);
  onTestFinished(() => endProcesses(p));
  return ran;
}

/** Waits until its process has ended it, and shows its log when it ended otherwise. */
export async function waitForEnd(
  p: Project,
  id: string,
  status: string,
  timeoutMs = 60_000,
): Promise<RunRecord> {
  const isOver = (): boolean => {
    const { status: now, finished_at } = recordOf(p, id);
    return !live.includes(now) && finished_at !== null;
  };
  await waitUntil(`run ${id} to end`, isOver, timeoutMs);
  const record = recordOf(p, id);
  expect(record.status, `${JSON.stringify(record)}\n${progressOf(p, id)}`).toBe(status);
  return record;
}

/** The record says `canceled` in time; or `complete`, where the run was faster. */
export async function cancelOrMiss(p: Project, id: string): Promise<RunRecord> {
  const canceling = p.run('run', 'cancel', id);
  await waitUntil(`run ${id} to end`, () => recordOf(p, id).finished_at !== null, cancelMsMax);
  const ran = await canceling;
  const record = recordOf(p, id);
  expect(ran, ran.err).toMatchObject({ code: record.status === 'complete' ? ran.code : 0 });
  return record;
}

export async function cancelRun(p: Project, id: string): Promise<RunRecord> {
  const record = await cancelOrMiss(p, id);
  expect(record.status, progressOf(p, id)).toBe('canceled');
  return record;
}

/** Until it is complete. */
export async function resumeRun(
  p: Project,
  id: string,
  env: Record<string, string> = {},
): Promise<RunRecord> {
  const ran = await p.runWith(env, 'run', 'resume', id);
  expect(ran, ran.err).toMatchObject({ code: 0 });
  return waitForEnd(p, id, 'complete');
}

/** Living processes of runs: those of sessions by their work tree, those of runs by their arguments. */
function processesOf(p: Project): readonly number[] {
  const marks = [`RUNNER_WORK_TREE=${join(p.home, '.local')}`, `${p.dir}\0run\0work\0`];
  const read = (pid: string, file: string): string => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'latin1');
    } catch {
      return '';
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) =>
      ['environ', 'cmdline'].some((file) => marks.some((mark) => read(pid, file).includes(mark))),
    )
    .map(Number)
    .filter(isAlive);
}

/** A record says that its run has ended a moment before its process has. */
export async function expectNoProcesses(p: Project): Promise<void> {
  await waitUntil('no process of a run', () => processesOf(p).length === 0);
}

function endProcesses(p: Project): void {
  for (const pid of processesOf(p)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone by itself.
    }
  }
}

/** Every file of the checkout and its index; what git and the runner keep beside them may change. */
export function hashCheckout({ top }: Project): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(top).toSorted())
    if (name !== '.git') hash.update(hashFolder(join(top, name)));
  hash.update(readFileSync(join(top, '.git', 'index'))).update(readFileSync(join(top, '.git', 'HEAD')));
  return hash.digest('hex');
}

/** Files of a branch outside `.runner/`, by name and blob. */
export async function filesOf(p: Project, id: string): Promise<string> {
  const rows = (await p.git('ls-tree', '-r', `runner/${id}`)).split('\n');
  return rows.filter((row) => !row.includes('\t.runner/')).join('\n');
}

/** Slots that are held. */
export function heldSlots({ home }: Project): readonly string[] {
  const folder = join(home, '.local', 'state', 'runner', 'slots');
  return existsSync(folder) ? readdirSync(folder).filter((name) => /^\d+\.json$/.test(name)) : [];
}

/** A repository with eval cases, driven through the built `runner eval`; what it recorded, read as a user's own program would. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Batch, CheckResult, TrialMeta } from '../../src/eval/cases/types.ts';
import type { Project, Ran, ScriptStep } from './project.ts';
import { answer, bareProject, renderScript, write } from './project.ts';

export interface TestCase {
  readonly goal?: string;
  /** Lines of `[case]`. */
  readonly about?: string;
  /** Lines of `[config]`, without the guard. */
  readonly config?: string;
  readonly guard?: readonly string[];
  /** Whether `start` runs the guard. */
  readonly baseline?: boolean;
  /** Lines of `[agent]`; without them the steps are played. */
  readonly agent?: string;
  readonly steps?: readonly ScriptStep[];
  /** The steps are the oracle's and not the agent's. */
  readonly isOracle?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly fixture?: string;
  /** Whole tables that are none of the above. */
  readonly top?: string;
  readonly checks?: readonly Readonly<Record<string, unknown>>[];
}

/** An agent that is a script of the shell. */
export const shellAgent = (script: string): string =>
  `name = "command"\ncommand = ${JSON.stringify(['sh', '-c', script])}`;

/** Lines of the shell: the agent answers that it is done. */
export const shellDone = `printf '{"status":"done","summary":"did it","children":null}' > "$RUNNER_OUTPUT"`;

export const skippedCase: TestCase = { about: 'requires = ["no-such-program"]' };

const completed = { type: 'runner_completed' };
const solved: readonly ScriptStep[] = [{ actions: [write('a.txt', 'a\n')], answer: answer('done') }];
const agentScript = 'script.json';

const scriptedAgent = `name = "scripted"\nscript = "${agentScript}"`;

/** Everything TOML and JSON write alike; tables on one line. */
function toml(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(toml).join(', ')}]`;
  return `{ ${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)} = ${toml(item)}`)
    .join(', ')} }`;
}

function renderCase(id: string, item: TestCase): string {
  const { guard = ['true'], steps = solved, checks = [completed] } = item;
  const isPlayed = item.agent === undefined && item.isOracle !== true;
  const files = { ...item.files, ...(isPlayed ? { [agentScript]: renderScript(steps) } : {}) };
  const table = (name: string, entries: Readonly<Record<string, unknown>>): string =>
    `[${name}]\n${Object.entries(entries)
      .map(([key, value]) => `${JSON.stringify(key)} = ${toml(value)}\n`)
      .join('')}`;
  return [
    item.fixture === undefined ? '' : `fixture = ${toml(item.fixture)}`,
    `[case]\nid = ${toml(id)}\ngoal = ${toml(item.goal ?? `Do what ${id} needs.`)}\n${item.about ?? ''}`,
    `[config]\n${item.config ?? 'max_iterations = 4'}\n[config.guard]\ncommand = ${toml(guard)}\nbaseline = ${item.baseline === true}`,
    `[agent]\n${isPlayed ? scriptedAgent : (item.agent ?? '')}`,
    table('env', item.env ?? {}),
    table('files', files),
    item.isOracle === true ? `[oracle]\nscript = "${id}.oracle.json"` : '',
    item.top ?? '',
    ...checks.map((check) => table('[checks]', check)),
  ].join('\n');
}

export function putCase(p: Pick<Project, 'put'>, id: string, item: TestCase = {}): void {
  p.put(`eval/cases/${id}.toml`, renderCase(id, item));
  if (item.isOracle === true) p.put(`eval/cases/${id}.oracle.json`, renderScript(item.steps ?? solved));
}

export interface Recorded {
  readonly meta: TrialMeta;
  readonly checks: readonly CheckResult[];
  readonly dir: string;
  readonly read: (path: string) => string;
}

export type EvalProject = Awaited<ReturnType<typeof evalProject>>;

/** The cases are committed: what a run leaves behind in the user's repository can be seen. */
export async function evalProject(cases: Readonly<Record<string, TestCase>> = {}) {
  const p = await bareProject();
  for (const [id, item] of Object.entries(cases)) putCase(p, id, item);
  if (Object.keys(cases).length > 0) await p.commitAll('cases');
  return evalHands(p);
}

function evalHands(p: Project) {
  const json = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
  const listed = (folder: string): readonly string[] => {
    try {
      return readdirSync(join(p.dir, folder)).toSorted();
    } catch {
      return [];
    }
  };
  /** All trials of a case that have ended, oldest first. */
  const trials = (id: string): readonly Recorded[] =>
    listed(`eval/results/${id}`)
      .map((name) => join(p.dir, 'eval/results', id, name))
      .filter((dir) => readdirSync(dir).includes('meta.json'))
      .map((dir) => ({
        dir,
        meta: json(join(dir, 'meta.json')) as TrialMeta,
        checks: (json(join(dir, 'checks.json')) as { readonly checks: readonly CheckResult[] }).checks,
        read: (path: string) => readFileSync(join(dir, path), 'utf8'),
      }))
      .toSorted((a, b) => (a.meta.start_time < b.meta.start_time ? -1 : 1));
  return {
    ...p,
    listed,
    trials,
    trial: (id: string): Recorded => {
      const found = trials(id).at(-1);
      if (found === undefined) throw new Error(`there is no result of ${id}`);
      return found;
    },
    batches: () =>
      listed('eval/results')
        .filter((name) => name.endsWith('.batch.json'))
        .map((name) => json(join(p.dir, 'eval/results', name)) as Batch),
    workspaces: () => listed('eval/workspaces').filter((name) => !name.startsWith('.')),
    evalRun: (...args: readonly string[]): Promise<Ran> => p.run('eval', 'run', ...args),
    /** Goes on until it ends or the test does. Agents tell their pids as we know them, so they have no view of their own. */
    startRun: (...args: readonly string[]) => {
      const running = p.start(['eval', 'run', '--no-hide', ...args]);
      onTestFinished(() => {
        running.kill('SIGKILL');
      });
      return running;
    },
  };
}

/** `case=… outcome=… reason=…` of each trial line, sorted. */
export function outcomesIn(out: string): readonly string[] {
  return out
    .split('\n')
    .filter((line) => line.startsWith('run: '))
    .map((line) =>
      line
        .split(' ')
        .filter((part) => /^(?:case|variant|repeat|outcome|reason)=/.test(part))
        .join(' '),
    )
    .toSorted();
}

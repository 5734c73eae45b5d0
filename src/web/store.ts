/**
 * What the pages know, as signals: each answer of the server is kept under its path and loaded again only when it changed and
 * is shown. Only this file asks the source.
 */
import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { indexTree } from '../core/tree/tree-walk.ts';
import type { ControlAnswer, ControlRunsAnswer, RunAnswer } from '../core/views/control-api.ts';
import type {
  ConfigAnswer,
  IterationAnswer,
  MemoryAnswer,
  ProjectAnswer,
  RunsAnswer,
  StatusAnswer,
  TreeAnswer,
} from '../core/views/web-api.ts';
import { exportedSource, iterationPath, runPath, serverSource } from './source.ts';
import type { Failure, Source } from './source.ts';

/** A value that stays while a newer one is on its way, and also beside a failure: the last good one is better than none. */
export interface Loaded<Value> {
  readonly value: Value | null;
  readonly failure: Failure | null;
}

interface Resource {
  readonly state: Signal<Loaded<unknown>>;
  users: number;
  isStale: boolean;
  isLoading: boolean;
}

function readExported(): Source {
  const text = document.getElementById('runner-data')?.textContent ?? null;
  return text === null ? serverSource : exportedSource(JSON.parse(text));
}

export const source: Source = readExported();

const resources = new Map<string, Resource>();

function resourceOf(path: string): Resource {
  const known = resources.get(path);
  if (known !== undefined) return known;
  const state = signal<Loaded<unknown>>({ value: null, failure: null });
  const resource: Resource = { state, users: 0, isStale: true, isLoading: false };
  resources.set(path, resource);
  return resource;
}

/** While it loads it may change again; then it is loaded once more. */
async function refresh(path: string, resource: Resource): Promise<void> {
  if (resource.isLoading) return;
  resource.isLoading = true;
  while (resource.isStale && resource.users > 0) {
    resource.isStale = false;
    const answer = await source.load(path);
    const before = resource.state.value;
    resource.state.value =
      answer.kind === 'ok'
        ? { value: answer.value, failure: null }
        : { value: isMissing(answer.failure) ? null : before.value, failure: answer.failure };
    tellTrouble(path, resource);
  }
  resource.isLoading = false;
}

/** For a missing file the last good value is not shown. */
export function isMissing({ code }: Failure): boolean {
  return missingCodes.includes(code);
}

const missingCodes: readonly string[] = [
  'not_found',
  'not_exported',
  'LAYOUT_MISSING',
  'LOG_MISSING',
  'RUN_NOT_STARTED',
  'USAGE',
];

/** Why what is in sight is older than its file, by path. A server that does not answer is reported at the top of the page. */
export const troubles = signal<ReadonlyMap<string, Failure>>(new Map());

function tellTrouble(path: string, { state, users }: Resource): void {
  const { value, failure } = state.value;
  const isOld = users > 0 && value !== null && failure !== null && failure.code !== 'unreachable';
  const known = troubles.value.get(path);
  if (isOld ? known?.message === failure.message : known === undefined) return;
  const others = [...troubles.value].filter(([other]) => other !== path);
  troubles.value = new Map(isOld ? [...others, [path, failure]] : others);
}

/** Of everything that `matches`: what is looked at is loaded again now, the rest when it is looked at. */
export function markChanged(matches: (path: string) => boolean): void {
  for (const [path, resource] of resources) {
    if (!matches(path)) continue;
    resource.isStale = true;
    void refresh(path, resource);
  }
}

/** Counts resyncs, after which everything visible is loaded again, files too. */
export const renewals = signal(0);

export function markAllChanged(): void {
  // Earlier sizes say nothing about the current files.
  for (const size of sizes.values()) size.value = 0;
  renewals.value += 1;
  markChanged(() => true);
}

function useAnswer<Value>(path: string | null): Loaded<Value> {
  useEffect(() => {
    if (path === null) return undefined;
    const resource = resourceOf(path);
    resource.users += 1;
    void refresh(path, resource);
    return () => {
      resource.users -= 1;
      // Nobody shows it any more; the failure is checked again when somebody does.
      if (resource.users > 0 || resource.state.value.failure === null) return;
      resource.isStale = true;
      tellTrouble(path, resource);
    };
  }, [path]);
  return (path === null ? nothing : resourceOf(path).state.value) as Loaded<Value>;
}

const nothing: Loaded<never> = { value: null, failure: null };

export const useTree = (): Loaded<TreeAnswer> => useAnswer('/api/tree');
export const useStatus = (): Loaded<StatusAnswer> => useAnswer('/api/status');
/** With `background` where the server has control. */
export const useRuns = (): Loaded<RunsAnswer & Partial<ControlRunsAnswer>> => useAnswer('/api/runs');
export const useRun = (run: string): Loaded<RunAnswer> => useAnswer(runPath(run));
/** `isWanted`: only a server with control has it. */
export const useControl = (isWanted: boolean): Loaded<ControlAnswer> =>
  useAnswer(isWanted ? '/api/control' : null);
export const useConfig = (): Loaded<ConfigAnswer> => useAnswer('/api/config');
export const useProject = (): Loaded<ProjectAnswer> => useAnswer('/api/project');
export const useMemory = (): Loaded<MemoryAnswer> => useAnswer('/api/memory');
export const useIteration = (run: string, iter: number): Loaded<IterationAnswer> =>
  useAnswer(iterationPath(run, iter));

/** Titles of nodes by id; one that the tree no longer has is called by its id. */
export function useTitles(): (id: string | null) => string {
  const { value: tree } = useTree();
  return useMemo(() => {
    const index = tree === null ? null : indexTree(tree);
    return (id: string | null) => (id === null ? '–' : (index?.get(id)?.node.title ?? id));
  }, [tree]);
}

export function peekStatus(): StatusAnswer | null {
  return resourceOf('/api/status').state.peek().value as StatusAnswer | null;
}

/** Sizes of files that are being written, by path, as the server tells them. */
const sizes = new Map<string, Signal<number>>();

export function sizeOf(path: string): Signal<number> {
  const known = sizes.get(path);
  if (known !== undefined) return known;
  const size = signal(0);
  sizes.set(path, size);
  return size;
}

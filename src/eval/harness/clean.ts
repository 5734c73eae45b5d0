/**
 * Removes what trials of a case left: its results, its workspaces, its link. It matches whole names and kinds, so a case with a
 * longer name is not touched; recordings and batch files stay.
 */
import { readlinkSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { systemClock } from '../../adapters/files/clock.ts';
import { diskError } from '../../adapters/files/disk-error.ts';
import { listDir } from '../../adapters/files/files.ts';
import type { DirEntry } from '../../adapters/files/files.ts';
import { RunnerError } from '../../core/errors.ts';
import { caseOfWorkspace, isCaseId, isEvalRunId, latestLinkName } from '../cases/names.ts';
import { suggest } from '../../core/text/suggest.ts';
import { checkIdle } from './batch-lock.ts';
import { loadCases } from './case-files.ts';
import { isBelow } from './place.ts';
import type { EvalFolders } from './place.ts';
import { loadBatches } from './results.ts';

export interface Cleaned {
  readonly case_id: string;
  /** Workspaces that were removed; the link is not counted. */
  readonly workspaces: number;
  /** Trials whose results were removed. */
  readonly results: number;
}

/** Throws EVAL_CASE_UNKNOWN and LOCKED before anything is removed; DISK, LAYOUT_INVALID. */
export async function cleanCases(place: EvalFolders, ids: readonly string[]): Promise<readonly Cleaned[]> {
  const workspaces = await listDir(place.workspacesDir);
  const results = await listDir(place.resultsDir);
  const { cases } = await loadCases(place);
  const known = new Set([
    ...cases.map((loaded) => loaded.case.id),
    ...results.filter(({ name, kind }) => kind === 'folder' && isCaseId(name)).map(({ name }) => name),
    ...workspaces.flatMap(({ name }) => caseOfWorkspace(name) ?? []),
  ]);
  for (const id of ids) if (!known.has(id)) throw unknownCase(id, known);

  const { batches } = await loadBatches(place);
  const meant = batches.filter(({ plan }) => plan.cases.some(({ id }) => ids.includes(id)));
  await checkIdle(place, meant, systemClock());
  const cleaned: Cleaned[] = [];
  for (const case_id of new Set(ids)) cleaned.push(await cleanCase(place, { case_id, workspaces }));
  return cleaned;
}

function unknownCase(id: string, known: ReadonlySet<string>): RunnerError {
  const near = suggest(id, known);
  return new RunnerError({
    code: 'EVAL_CASE_UNKNOWN',
    message: `there is no case '${id}', and no results or workspaces of it${near === null ? '' : `; did you mean ${near}?`}`,
    hint: 'runner eval list',
  });
}

async function cleanCase(
  place: EvalFolders,
  { case_id, workspaces }: { readonly case_id: string; readonly workspaces: readonly DirEntry[] },
): Promise<Cleaned> {
  const folder = join(place.resultsDir, case_id);
  const trials = (await listDir(folder)).filter(({ name }) => isEvalRunId(name));
  // Earlier versions had the folders themselves here.
  const own = workspaces.filter(
    ({ name, kind }) =>
      caseOfWorkspace(name) === case_id && (kind === 'folder' || (kind === 'link' && isOurs(place, name))),
  );
  for (const { name } of await listDir(place.trialsDir))
    if (caseOfWorkspace(name) === case_id) removeAll(join(place.trialsDir, name));

  // By kind too: the workspace of another case can have the name of this link.
  const links = workspaces.filter(({ name, kind }) => kind === 'link' && name === latestLinkName(case_id));
  for (const { name } of [...links, ...own]) removeAll(join(place.workspacesDir, name));
  removeAll(folder);
  return { case_id, workspaces: own.length, results: trials.length };
}

/** A link that somebody else made stays. */
function isOurs({ workspacesDir, trialsDir }: EvalFolders, name: string): boolean {
  return isBelow(resolve(workspacesDir, readlinkSync(join(workspacesDir, name))), trialsDir);
}

/** A link is removed itself, never what it points to. */
function removeAll(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch (cause) {
    throw diskError({ action: 'remove', path, cause });
  }
}

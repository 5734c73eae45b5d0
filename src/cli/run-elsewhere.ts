/** Finds a layout or run that is missing here on the branches of runs. Reads git, changes nothing, and stays silent if git fails. */
import { repositoryLayout } from '../adapters/files/layout.ts';
import { gitAdapter } from '../adapters/git/git.ts';
import { runRecords } from '../adapters/runs/records.ts';
import { loadRuns } from '../app/runs/list.ts';
import type { RunnerError } from '../core/errors.ts';
import { nextCommand, renderElsewhere } from '../core/runs/next-command.ts';
import { isUnended } from '../core/runs/run-list.ts';
import type { RunRow } from '../core/runs/run-list.ts';
import { cleanLine } from '../core/text/terminal-text.ts';
import { projectAbove } from './wire/locate.ts';
import type { Settings } from './output/streams.ts';

const namedMax = 3;

type Place = Pick<Settings, 'directory' | 'env'>;

/** The same error; its hint leads to the project above, or to runs on other branches: beginning another one is rarely meant. */
export async function withRunBranches(place: Place, error: RunnerError): Promise<RunnerError> {
  if (error.code === 'LAYOUT_MISSING') {
    if (error.hint !== 'runner init') return error;
    const above = await findAbove(place).catch(() => null);
    if (above !== null) return above;
  }
  const rows = await listElsewhere(place).catch(() => []);
  const ways = rows.flatMap((row) => nextCommand(row) ?? []);
  if (ways.length === 0) return error;
  const more = ways.length > namedMax ? ` (and ${ways.length - namedMax} more runs)` : '';
  return error.withHint(`${ways.slice(0, namedMax).join(', or: ')}${more}, or: ${error.hint}`);
}

/** In a sub-folder of a project: the error that names the project above. */
async function findAbove({ directory, env }: Place): Promise<RunnerError | null> {
  const { top } = await gitAdapter({ projectDir: directory, env }).locate();
  return projectAbove(directory, top);
}

/** On a branch without a run: where the runs are, for commands that have nothing else to say about them (§12). */
export async function noteElsewhere({ quiet, streams, ...place }: Settings): Promise<void> {
  const rows = quiet ? [] : await listElsewhere(place).catch(() => []);
  for (const row of rows.slice(0, namedMax)) streams.err(`note: ${cleanLine(renderElsewhere(row))}\n`);
  if (rows.length > namedMax) streams.err(`note: and ${rows.length - namedMax} more runs: runner runs\n`);
}

/** Open and complete runs of other branches, the newest first; those of other project folders are left out. */
async function listElsewhere({ directory, env }: Place): Promise<readonly RunRow[]> {
  const git = gitAdapter({ projectDir: directory, env });
  const here = await git.headBranch();
  if (here?.startsWith('runner/') === true) return [];
  const { common_dir } = await git.locate();
  const runs = await loadRuns({ git, records: runRecords(repositoryLayout(common_dir)) });
  const rows = runs
    .map(({ row }) => row)
    .filter((row) => isUnended(row) && (row.leaves !== null || row.background !== null));
  const elsewhere: RunRow[] = [];
  for (const row of rows.toReversed()) {
    // Its work is here already.
    const isHere =
      row.state === 'complete' &&
      row.commit !== null &&
      (await git.isAncestor({ ancestor: row.commit, descendant: 'HEAD' }));
    if (!isHere) elsewhere.push(row);
  }
  return elsewhere;
}

/** The composition root of `ui --control`: background runs for the pages, and the changes that pages may ask for. */
import { systemClock } from '../../adapters/files/clock.ts';
import { gitAdapter } from '../../adapters/git/git.ts';
import { waiter } from '../../adapters/processes/waiter.ts';
import { layout, repositoryLayout } from '../../adapters/files/layout.ts';
import { goalStore } from '../../adapters/project/goal-store.ts';
import { runRecords } from '../../adapters/runs/records.ts';
import { runLooks } from '../../adapters/runs/run-looks.ts';
import type { RunLooks } from '../../adapters/runs/run-looks.ts';
import { beginRun } from '../../app/runs/begin-run.ts';
import { cancelRun } from '../../app/runs/cancel.ts';
import { loadHeldIds } from '../../app/runs/held-ids.ts';
import { resumeRun } from '../../app/runs/resume.ts';
import { RunnerError } from '../../core/errors.ts';
import { parseTree } from '../../core/tree/tree-schema.ts';
import { listLeaves } from '../../core/views/board.ts';
import type { BoardLeaf } from '../../core/views/board.ts';
import type { RunAction, RunView, StartRequest } from '../../core/views/control-api.ts';
import { viewRun, viewRuns } from '../../core/views/run-view.ts';
import type { GitAdapter } from '../../adapters/git/git.ts';
import type { RunRecords } from '../../ports/runs.ts';
import type { Control } from '../../ui/control.ts';
import type { Settings } from '../output/streams.ts';
import { openBegin, openStarter } from './background.ts';
import { locateOrNull } from './locate.ts';
import { runRecovery } from './run-recovery.ts';
import { openRuns } from './runs.ts';

/** The repository of a project; kept, because git is asked on every look otherwise. */
interface Repository {
  readonly git: GitAdapter;
  readonly records: RunRecords;
  readonly looks: RunLooks;
  readonly recordsDir: string;
}

export function uiControl(settings: Settings): Control {
  const known = new Map<string, Repository>();

  async function repositoryOf(projectDir: string): Promise<Repository | null> {
    const kept = known.get(projectDir);
    if (kept !== undefined) return kept;
    const git = gitAdapter({ projectDir, env: settings.env });
    const found = await locateOrNull(git);
    if (found === null) return null;
    const place = repositoryLayout(found.common_dir);
    const opened = { git, records: runRecords(place), looks: runLooks(place), recordsDir: place.recordsDir };
    known.set(projectDir, opened);
    return opened;
  }

  return {
    list: async (directory) => {
      const repository = await repositoryOf(directory);
      return repository === null ? [] : viewRuns(await repository.records.list());
    },
    show: async (directory, { run_id, tailLines }) => {
      const repository = await repositoryOf(directory);
      const run = repository && (await findRun(repository, run_id));
      if (repository === null || run === null) return null;
      const tail = repository.looks.tail(run.run_id, tailLines);
      return { run, tail, leaves: await loadLeaves(repository, run), questions: [] };
    },
    proposal: async (directory) => {
      const repository = await repositoryOf(directory);
      const held = repository === null ? noIds : await loadHeldIds(repository);
      const goal = await goalStore(layout(directory))
        .load()
        .catch(() => null);
      return { goal: goal?.body ?? null, held, questions: [] };
    },
    stamps: async (directory) => (await repositoryOf(directory))?.looks.stamps() ?? new Map(),
    folders: async (directory) => {
      const repository = await repositoryOf(directory);
      return repository === null ? [] : [repository.recordsDir];
    },
    start: (directory, request) => begin({ ...settings, directory }, request),
    act: (directory, asked) => actOn({ ...settings, directory }, asked),
    answer: async () => refuse(),
  };
}

/** What a person chose holds as long as the run, as flags of `run start` do. */
async function begin(settings: Settings, request: StartRequest): Promise<{ readonly run_id: string }> {
  const { agent, model, max_iterations, goal, name } = request;
  const given = {
    ...(agent === null ? {} : { RUNNER_AGENT_NAME: agent }),
    ...(model === null ? {} : { RUNNER_AGENT_MODEL: model }),
    ...(max_iterations === null ? {} : { RUNNER_MAX_ITERATIONS: String(max_iterations) }),
  };
  const own = { ...settings, env: { ...settings.env, ...given } };
  const { record } = await beginRun(await openBegin(own, { overrides: [] }), {
    goal: goal === null ? null : `${goal}\n`,
    name,
    push: null,
    settings: given,
    by: 'web',
    ask: null,
  });
  await (await openStarter(settings)).start(record.run_id);
  return { run_id: record.run_id };
}

/** By the same functions as the commands; only the audit line says that a page asked. */
async function actOn(
  settings: Settings,
  { run_id, action }: { readonly run_id: string; readonly action: RunAction },
): Promise<void> {
  const project = await openRuns(settings);
  project.requireOutside();
  const clock = systemClock();
  // What was asked for is brought to its end, also when the server is asked to stop.
  const patient = { current: () => null, subscribe: () => () => {} };
  const ports = { ...project, clock, waiter: waiter({ clock, interrupts: patient }) };
  const asked = { run_id, by: 'web' };
  switch (action) {
    case 'cancel':
      await cancelRun({ ...ports, recovery: runRecovery(settings) }, asked);
      return;
    case 'resume':
      await resumeRun({ ...ports, starter: await openStarter(settings) }, asked);
      return;
    case 'pause':
      refuse();
  }
}

const noIds = { branches: [], archives: [], records: [], history: [] };

function refuse(): never {
  throw new RunnerError({ code: 'USAGE', message: 'not available yet', hint: 'runner run --help' });
}

/** The name is compared with those of the records; it never becomes part of a path. */
async function findRun({ records }: Repository, runId: string): Promise<RunView | null> {
  const found = (await records.list()).map(viewRun);
  return found.find(({ run_id }) => run_id === runId) ?? null;
}

/** The tree as it was committed last: what a session makes of the file meanwhile is not judged yet. */
async function loadLeaves({ git }: Repository, run: RunView): Promise<readonly BoardLeaf[]> {
  for (const commit of [`refs/heads/${run.branch}`, `refs/runner/archive/${run.run_id}`]) {
    const source = await git.loadText({ commit, path: '.runner/state/tree.json' }).catch(() => null);
    const parsed = source?.kind === 'text' ? parseTree(source) : null;
    if (parsed?.ok === true) return listLeaves(parsed.tree, run.is_alive ? (run.node?.id ?? null) : null);
  }
  return [];
}

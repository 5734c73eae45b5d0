/** The composition root of `ui --control`: background runs for the pages, and who carries out the changes that pages ask for. */
import { layout, repositoryLayout } from '../../adapters/files/layout.ts';
import { gitAdapter } from '../../adapters/git/git.ts';
import type { GitAdapter } from '../../adapters/git/git.ts';
import { goalStore } from '../../adapters/project/goal-store.ts';
import { runRecords } from '../../adapters/runs/records.ts';
import { runLooks } from '../../adapters/runs/run-looks.ts';
import type { RunLooks } from '../../adapters/runs/run-looks.ts';
import { loadHeldIds } from '../../app/runs/held-ids.ts';
import { RunnerError } from '../../core/errors.ts';
import { parseTree } from '../../core/tree/tree-schema.ts';
import type { TreeNode } from '../../core/types.ts';
import { listLeaves } from '../../core/views/board.ts';
import type { QuestionView } from '../../core/views/control-api.ts';
import { viewRun, viewRuns } from '../../core/views/run-view.ts';
import type { FoundRecord, RunRecords } from '../../ports/runs.ts';
import type { Control } from '../../ui/control.ts';
import type { Settings } from '../output/streams.ts';
import { actOn, answerIn, startRun } from './control-actions.ts';
import { locateOrNull } from './locate.ts';
import { folderOf, questionsIn } from './questions.ts';

/** What the last commit of a run says. */
interface Tip {
  readonly commit: string;
  readonly tree: TreeNode | null;
  readonly questions: readonly QuestionView[];
}

/** The repository of a project; kept, because git is asked on every look otherwise. */
interface Repository {
  readonly git: GitAdapter;
  readonly records: RunRecords;
  readonly looks: RunLooks;
  readonly recordsDir: string;
  /** By run: a record is written every second, a commit made every few minutes. */
  readonly tips: Map<string, Tip>;
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
    const { recordsDir } = place;
    const opened = { git, recordsDir, records: runRecords(place), looks: runLooks(place), tips: new Map() };
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
      const found = repository && (await findRecord(repository, run_id));
      if (repository === null || found === null) return null;
      const run = viewRun(found);
      const tip = await loadTip(settings, repository, found);
      const atWork = run.is_alive ? (run.node?.id ?? null) : null;
      return {
        run,
        tail: repository.looks.tail(run.run_id, tailLines),
        leaves: tip === null || tip.tree === null ? [] : listLeaves(tip.tree, atWork),
        questions: tip?.questions ?? [],
      };
    },
    proposal: async (directory) => {
      const repository = await repositoryOf(directory);
      const held = repository === null ? noIds : await loadHeldIds(repository);
      const goal = await goalStore(layout(directory))
        .load()
        .catch(() => null);
      return { goal: goal?.body ?? null, held, questions: await questionsIn({ ...settings, directory }) };
    },
    stamps: async (directory) => (await repositoryOf(directory))?.looks.stamps() ?? new Map(),
    folders: async (directory) => {
      const repository = await repositoryOf(directory);
      return repository === null ? [] : [repository.recordsDir];
    },
    start: (directory, request) => startRun({ ...settings, directory }, request),
    act: (directory, asked) => actOn({ ...settings, directory }, asked),
    answer: async (directory, asked) => {
      const own = { ...settings, directory };
      if (asked.run_id === null) return answerIn(own, { ...asked, directory });
      const repository = await repositoryOf(directory);
      const found = repository && (await findRecord(repository, asked.run_id));
      const folder = found === null ? null : folderOf(found);
      if (folder !== null) return answerIn(own, { ...asked, directory: folder });
      throw new RunnerError({
        code: 'RUN_UNKNOWN',
        message: `there is no work tree of a run '${asked.run_id}'`,
        hint: 'runner run list',
      });
    },
  };
}

const noIds = { branches: [], archives: [], records: [], history: [] };

/** The name is compared with those of the records; it never becomes part of a path. */
async function findRecord({ records }: Repository, runId: string): Promise<FoundRecord | null> {
  const found = await records.list();
  return found.find((each) => (each.kind === 'record' ? each.record : each).run_id === runId) ?? null;
}

/** As it was committed last: what a session makes of the files meanwhile is not judged yet. Null: there is no commit. */
async function loadTip(settings: Settings, repository: Repository, found: FoundRecord): Promise<Tip | null> {
  const { run_id } = found.kind === 'record' ? found.record : found;
  const { git, tips } = repository;
  const branches = await git.listRunBranches();
  const refs = [...branches, ...(await git.listArchived())];
  const commit = refs.find((ref) => ref.run_id === run_id)?.commit;
  if (commit === undefined) return null;
  const kept = tips.get(run_id);
  if (kept?.commit === commit) return kept;
  const source = await git.loadText({ commit, path: '.runner/state/tree.json' });
  const parsed = source.kind === 'text' ? parseTree(source) : null;
  const folder = folderOf(found);
  const questions = folder === null ? [] : await questionsIn({ ...settings, directory: folder });
  const tip = { commit, tree: parsed?.ok === true ? parsed.tree : null, questions };
  tips.set(run_id, tip);
  return tip;
}

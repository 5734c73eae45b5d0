/** The composition root of `ui` and `export`: the data of other commands, for the server of the pages. Takes no lock and writes nothing. */
import { basename } from 'node:path';
import { configFile, configStore } from '../../adapters/project/config-store.ts';
import { findCommonDir } from '../../adapters/project/common-git-dir.ts';
import { gitAdapter } from '../../adapters/git/git.ts';
import { layout, privateLayout, repositoryLayout } from '../../adapters/files/layout.ts';
import { goalStore } from '../../adapters/project/goal-store.ts';
import { runRecords } from '../../adapters/runs/records.ts';
import { listConfig } from '../../app/person/config.ts';
import { loadActivity } from '../../app/views/look.ts';
import type { Audit } from '../../app/runs/audit.ts';
import { loadStatus } from '../../app/views/status.ts';
import { isPlaceholder } from '../../core/iteration/initial-files.ts';
import { goalTitle } from '../../core/runs/goal-title.ts';
import type { TreeNode } from '../../core/types.ts';
import { treeReader } from '../../ui/project-reader.ts';
import type { UiSource } from '../../ui/source.ts';
import { configListValue } from '../commands/config.ts';
import { statusValue } from '../output/status-text.ts';
import type { Settings } from '../output/streams.ts';
import { auditNewest } from './audit.ts';
import { locateOrNull } from './locate.ts';
import { openLook } from './looking.ts';
import { questionsIn } from './questions.ts';

export function uiSource(settings: Settings): UiSource {
  const lookAt = (directory: string): ReturnType<typeof openLook> => openLook({ ...settings, directory });
  const kept = treeReader();
  const tree = (directory: string): TreeNode => kept.read(layout(directory));
  let audit: Audit | null = null;
  return {
    tree,
    status: async (directory) => {
      const ports = await lookAt(directory);
      const trees = { ...ports.trees, load: async () => tree(directory) };
      const status = await loadStatus({ ...ports, trees });
      // Pages ask every few seconds; the history of a run changes once an iteration.
      audit = await auditNewest({ ...settings, directory }, status.run_id, audit);
      return statusValue(status, audit);
    },
    config: async (directory) => {
      const sources = { place: layout(directory), env: settings.env, flags: [] };
      return configListValue(
        await listConfig({ configs: configStore(sources), configFile: configFile(sources) }),
      );
    },
    project: async (directory) => {
      const goal = await goalStore(layout(directory))
        .load()
        .catch(() => null);
      const asked = await questionsIn({ ...settings, directory });
      return {
        folder: basename(directory),
        goal_title: goal === null || isPlaceholder(goal.body) ? '' : goalTitle(goal.body),
        questions: asked.filter(({ is_answered }) => !is_answered).map(({ id, text }) => ({ id, text })),
      };
    },
    openWork: async (directory) => {
      const { holder, iteration } = await loadActivity((await lookAt(directory)).workTree);
      return iteration === null ? null : { iteration, is_running: holder !== null };
    },
    liveRuns: async (directory) => {
      const commonDir = findCommonDir(directory);
      const runs = commonDir === null ? [] : await runRecords(repositoryLayout(commonDir)).list();
      const live = runs.flatMap((run) => (run.kind === 'record' && run.is_alive ? [run.record.run_id] : []));
      return new Set(live);
    },
    privateFiles: async (directory) => {
      const found = await locateOrNull(gitAdapter({ projectDir: directory, env: settings.env }));
      if (found === null) return [];
      const { journal, lock, note, pause } = privateLayout(found.git_dir);
      return [journal, lock, note, pause];
    },
  };
}

/** The composition root of `explain`: everything that reads, nothing that acts. */
import { previewCommand } from '../../adapters/agents/agent-command.ts';
import { configStore } from '../../adapters/project/config-store.ts';
import { gitAdapter } from '../../adapters/git/git.ts';
import { goalStore } from '../../adapters/project/goal-store.ts';
import { checkGuardProgram } from '../../adapters/processes/guard-runner.ts';
import { systemHasher } from '../../adapters/files/hasher.ts';
import { journalStore } from '../../adapters/project/journal-store.ts';
import { layout, privateLayout } from '../../adapters/files/layout.ts';
import { placeName } from '../../adapters/files/state-home.ts';
import { promptBuilder } from '../../adapters/project/prompt-builder.ts';
import { runStateStore } from '../../adapters/project/run-state-store.ts';
import { sidecars } from '../../adapters/project/sidecars.ts';
import { treeStore } from '../../adapters/project/tree-store.ts';
import { realFolder } from '../../adapters/project/workspace.ts';
import type { ExplainPorts } from '../../app/views/explain.ts';
import { RunnerError } from '../../core/errors.ts';
import type { CommandCall } from '../program.ts';
import type { Settings } from '../output/streams.ts';
import { lockOf } from './files.ts';

export async function openExplain(
  settings: Settings,
  overrides: CommandCall['overrides'],
): Promise<ExplainPorts> {
  const { env, entryFile } = settings;
  const place = layout(await realFolder(settings.directory));
  const git = gitAdapter({ projectDir: place.projectDir, env });
  const found = await git.locate().catch(noRepository);
  const own = found === null ? null : privateLayout(found.git_dir);
  const repository = placeName(found?.common_dir ?? place.root);
  return {
    trees: treeStore(place),
    runStates: runStateStore(place),
    configs: configStore({ place, env, flags: overrides }),
    goals: goalStore(place),
    sidecars: sidecars(place),
    prompts: promptBuilder(place),
    git,
    hasher: systemHasher(),
    guards: { check: (config) => checkGuardProgram({ place, env }, config) },
    session:
      found === null || own === null
        ? null
        : {
            executor: {
              preview: (request) =>
                previewCommand({ place, own, top: found.top, repository, env, entryFile }, request),
            },
            lock: await lockOf(settings, found.git_dir),
            journal: journalStore({ own, env: settings.env }),
          },
  };
}

function noRepository(error: unknown): null {
  if (error instanceof RunnerError && (error.code === 'GIT_NOT_A_REPO' || error.code === 'GIT_MISSING'))
    return null;

  throw error;
}

/** Recovery in the work tree of a background run, with the adapters of `loop`: nothing of it is written twice. */
import { join } from 'node:path';
import { lookAt } from '../../adapters/files/look-at.ts';
import { recoverOnly } from '../../app/recover.ts';
import type { RunRecovery } from '../../ports/runs.ts';
import { processInterrupts } from '../interrupts.ts';
import type { Settings } from '../output/streams.ts';
import { openProject } from './iteration.ts';

export function runRecovery(settings: Settings): RunRecovery {
  return {
    recover: async ({ worktree, prefix, settings: given }) => {
      const directory = worktree === null ? '' : join(worktree, prefix);
      if (worktree === null || lookAt(directory)?.isDirectory() !== true) return;
      const own = { ...settings, directory, env: { ...settings.env, ...given }, quiet: true };
      // As if it had been interrupted: no guard runs that takes longer than a person wants to wait.
      const interrupts = processInterrupts({
        first: 'SIGTERM',
        onFirst: () => {},
        killNow: async () => {},
      });
      const opening = {
        command: 'loop',
        reporters: [],
        signals: { interrupts, active: { cookie: '', sandbox: null } },
      } as const;
      try {
        const project = await openProject(own, { overrides: [] }, opening);
        await recoverOnly(project.ports, 'runner run cancel').finally(() => project.close());
      } finally {
        interrupts.close();
      }
    },
  };
}

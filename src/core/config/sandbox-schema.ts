/** The keys of `[sandbox]` (§9, §13.8). config-schema.ts holds all others. */
import * as z from 'zod';

import { choice, filled, flag, must, whole } from '../text/schema-fields.ts';

function places() {
  const what = 'a path that begins with / or ~/';
  const path = filled(what).regex(/^(?:\/|~\/|~$)/, must(what));
  return z.array(path, must('a list of paths')).default([]);
}

const imageName = must('the name of an image');

export const sandboxSection = z.strictObject(
  {
    root: filled('a folder')
      .regex(/^\//, must('an absolute path'))
      .optional()
      .describe(
        'Folder for the work trees of background runs; not set: runner/worktrees in the state folder of the user.',
      )
      .meta({ examples: ['/var/tmp/runs'] }),
    kind: choice(['auto', 'none', 'bwrap', 'docker'])
      .default('auto')
      .describe(
        'What agent, reviewer, setup and check run in: nothing, bubblewrap, or a container each; "auto": bubblewrap where it holds when the run starts.',
      ),
    image: z
      .string(imageName)
      .regex(/^[A-Za-z0-9][\w./:@-]*$/, imageName)
      .default('runner')
      .describe('Image of the containers; it needs the programs of agent and check, git and a shell.'),
    network: flag()
      .default(true)
      .describe('Whether agent, reviewer and setup have a network in the sandbox.'),
    guard: flag()
      .optional()
      .describe(
        'Whether the check runs in the sandbox; not set: with "auto" if it is green there when the run starts, else yes.',
      )
      .meta({ examples: [true] }),
    guard_network: flag()
      .optional()
      .describe(
        'Whether the check has a network in the sandbox; not set: only if it is not green without when the run starts.',
      )
      .meta({ examples: [false] }),
    read: places().describe('Further files and folders that can be read in the sandbox.'),
    write: places().describe('Further files and folders that can be read and written in the sandbox.'),
    memory_mb: whole(64, 16_777_216).default(8192).describe('Megabytes of memory a container may use.'),
    max_processes: whole(16, 4_194_304)
      .default(2048)
      .describe('Processes and threads a container may have at once.'),
  },
  must('a table'),
);

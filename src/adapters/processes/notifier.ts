/** Runs the user's program at the end of a loop: JSON on its stdin, in bounded time. Its failure never fails a run. */
import { renderArgv } from '../../core/text/argv-text.ts';
import type { Env } from '../../core/types.ts';
import type { Notifier } from '../../ports/sessions.ts';
import { signalProcess } from './sweep.ts';
import { withWorkTreeLast } from './search-path.ts';
import { userEnv } from './session-env.ts';

const timeoutMsDefault = 30_000;

export interface NotifierOptions {
  readonly projectDir: string;
  readonly env: Env;
  /** Tests shorten it. */
  readonly timeoutMs?: number;
}

export function notifier({ projectDir, env, timeoutMs = timeoutMsDefault }: NotifierOptions): Notifier {
  return {
    send: async ({ command, payload }) => {
      const [program = '', ...args] = command;
      const warn = (reason: string): string => `notify.command (${renderArgv(command)}) ${reason}`;
      try {
        const { execa } = await import('execa');
        const subprocess = execa(program, args, {
          cwd: projectDir,
          env: withWorkTreeLast(userEnv(env), projectDir),
          extendEnv: false,
          input: `${JSON.stringify(payload)}\n`,
          stdout: 'ignore',
          stderr: 'ignore',
          // A group of its own, so that what it started can be ended with it.
          detached: true,
          reject: false,
        });
        const { pid } = subprocess;
        let isLate = false;
        const timer = setTimeout(() => {
          isLate = true;
          if (pid !== undefined) signalProcess(-pid, 'SIGKILL');
        }, timeoutMs);
        const result = await subprocess.finally(() => {
          clearTimeout(timer);
        });
        if (isLate) return warn(`was ended after ${timeoutMs / 1000} s`);

        if (result.exitCode === 0) return null;

        return warn(
          result.exitCode === undefined
            ? `failed: ${result.originalMessage ?? 'ended by a signal'}`
            : `ended with exit code ${result.exitCode}`,
        );
      } catch (error) {
        return warn(`failed: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
  };
}

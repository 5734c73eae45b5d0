/** Signals as a value that the app can check: the first requests a clean stop, the second ends everything at once (§10). */
import type { SignalName } from '../core/types.ts';
import type { CommandInterrupts } from '../ports/sessions.ts';
import { exitOfSignal } from './exit-codes.ts';

const signals: readonly SignalName[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

export interface ProcessInterrupts extends CommandInterrupts {
  close(): void;
}

export function processInterrupts(options: {
  readonly onFirst: (signal: SignalName, what: { readonly isSkip: boolean }) => void;
  /** Ends the running session's processes without waiting. */
  readonly killNow: () => Promise<void>;
  /** As if this one had come already. */
  readonly first?: SignalName | undefined;
}): ProcessInterrupts {
  let current: SignalName | null = options.first ?? null;
  let skippable = false;
  const listeners = new Set<(signal: SignalName) => void>();
  const handlers = signals.map((signal) => {
    const handler = (): void => {
      if (current !== null) {
        // The second signal must end the process whatever it is waiting for; the journal holds what recovery needs.
        // oxlint-disable-next-line unicorn/no-process-exit
        const leave = (): never => process.exit(exitOfSignal(signal));
        options.killNow().then(leave, leave);
        return;
      }
      current = signal;
      options.onFirst(signal, { isSkip: skippable && signal === 'SIGINT' });
      for (const listener of listeners) listener(signal);
      listeners.clear();
    };
    process.on(signal, handler);
    return { signal, handler };
  });
  return {
    current: () => current,
    subscribe: (listener) => {
      if (current !== null) {
        listener(current);
        return () => {};
      }
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    allowSkip: () => {
      skippable = true;
      return () => {
        skippable = false;
        if (current === 'SIGINT') current = null;
      };
    },
    close: () => {
      for (const { signal, handler } of handlers) process.off(signal, handler);
    },
  };
}

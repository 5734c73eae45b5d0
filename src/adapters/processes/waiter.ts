/** Waits that can be interrupted at any moment and that clock jumps cannot lengthen. */
import { isWaitOver } from '../../core/agents/waits.ts';
import type { SignalName } from '../../core/types.ts';
import type { Clock, Interrupts, Waiter } from '../../ports/sessions.ts';

const tickMs = 1000;

export function waiter(options: { readonly clock: Clock; readonly interrupts: Interrupts }): Waiter {
  const { clock, interrupts } = options;
  return {
    wait: async ({ ms, onTick, isOver }) => {
      const startMs = clock.monotonicMs();
      const wallStartMs = clock.localNow().epochMs;
      for (;;) {
        const signal = interrupts.current();
        if (signal !== null) return signal;

        if ((await isOver?.()) === true) return null;

        const elapsedMs = clock.monotonicMs() - startMs;
        const wallElapsedMs = clock.localNow().epochMs - wallStartMs;
        if (isWaitOver({ plannedMs: ms, elapsedMs, wallElapsedMs })) return null;

        const leftMs = ms - Math.max(elapsedMs, wallElapsedMs);
        onTick(leftMs);
        await pause(interrupts, Math.min(tickMs, Math.max(1, leftMs)));
      }
    },
  };
}

function pause(interrupts: Interrupts, ms: number): Promise<SignalName | null> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      unsubscribe();
      resolve(null);
    }, ms);
    const unsubscribe = interrupts.subscribe((signal) => {
      clearTimeout(timer);
      resolve(signal);
    });
  });
}

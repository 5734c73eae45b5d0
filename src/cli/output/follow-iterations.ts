/** Prints the iterations of a run as they happen: a live view on a terminal, else lines or JSON. Reads only. */
import { systemClock } from '../../adapters/files/clock.ts';
import { waiter } from '../../adapters/processes/waiter.ts';
import { followLog } from '../../app/views/follow-log.ts';
import type { FollowRequest } from '../../app/views/follow-log.ts';
import type { LogPorts } from '../../app/views/log.ts';
import type { LookPorts } from '../../app/views/look.ts';
import type { SignalName } from '../../core/types.ts';
import type { Interrupts } from '../../ports/sessions.ts';
import { followView, hasFollowView } from './follow-view.ts';
import { followValue, renderFollowLine } from './log-text.ts';
import type { Settings } from './streams.ts';

interface Followed extends Pick<FollowRequest, 'run_id' | 'from' | 'node'> {
  readonly interrupts: Interrupts;
  /** Told of every iteration that is over. */
  readonly onEnd?: (iter: number) => void;
}

/** The signal that ended it; null: no runner is at work there any more, or nobody reads. */
export async function followIterations(
  settings: Settings,
  ports: LogPorts & LookPorts,
  { interrupts, onEnd, ...request }: Followed,
): Promise<SignalName | null> {
  const view = hasFollowView(settings) ? followView(settings, ports) : null;
  try {
    return await followLog(
      { ...ports, waiter: waiter({ clock: systemClock(), interrupts }) },
      {
        ...request,
        onEvent: async (event) => {
          if (event.kind === 'ended') onEnd?.(event.meta.iter);
          if (view !== null) return view.show(event);
          if (event.kind === 'usage') return true;
          const line = settings.json ? JSON.stringify(followValue(event)) : renderFollowLine(event);
          return settings.streams.send(`${line}\n`);
        },
      },
    );
  } finally {
    view?.close();
  }
}

/**
 * Follows the server's events and tells the store what changed. A broken connection is shown and restored: by the browser,
 * which asks for what it missed, or by this page when the browser gives up; then everything visible is loaded again.
 */
import { signal } from '@preact/signals';
import type { UiEventName, UiEvents } from '../core/views/web-api.ts';
import { filePath, iterationPath, runPath } from './source.ts';
import { markAllChanged, markChanged, peekStatus, sizeOf, source } from './store.ts';

export type Connection = 'exported' | 'connecting' | 'live' | 'lost' | 'still';

export const connection = signal<Connection>(source.exported === null ? 'connecting' : 'exported');

/** Said by screen readers when an iteration begins or ends. */
export const announcement = signal('');

const is =
  (...paths: readonly string[]) =>
  (path: string): boolean =>
    paths.includes(path);

/** Where the runner is changes with the files it writes; the state itself is in no watched folder, so it is also asked now and then. */
let lastFile = '';
const statusEveryMs = 2000;

/** What git alone can end: no file of the runner changes then. */
const endedByGit: readonly unknown[] = ['GIT_DIRTY', 'GIT_CONFLICT'];

/** Only while a runner is at work, an iteration is open, or a person has something to do with git. */
function askStatus(): void {
  const status = peekStatus();
  if (status === null || connection.value !== 'live') return;
  const { runner, iteration, situation } = status;
  if (runner !== null || iteration !== null || endedByGit.includes(situation.code))
    markChanged(is('/api/status'));
}

const handlers: { readonly [Name in UiEventName]: (data: UiEvents[Name]) => void } = {
  connected: () => {},
  resync: markAllChanged,
  tree_changed: () => markChanged(is('/api/tree', '/api/status')),
  // A commit ends with it, and what it asks has its number from then on.
  run_state_changed: () => markChanged(is('/api/run-state', '/api/status', '/api/project')),
  config_changed: () => markChanged(is('/api/config', '/api/status')),
  memory_changed: () => markChanged(is('/api/memory', '/api/status', '/api/project', '/api/control')),
  run_changed: ({ run_id }) => markChanged(is('/api/runs', runPath(run_id))),
  iteration_added: ({ run_id, iter }) => {
    announcement.value = `Iteration ${iter} began`;
    markChanged(is('/api/runs', '/api/status', iterationPath(run_id, iter)));
  },
  iteration_completed: ({ run_id, iter }) => {
    announcement.value = `Iteration ${iter} ended`;
    markChanged(is('/api/runs', '/api/status', '/api/project', '/api/tree', iterationPath(run_id, iter)));
  },
  stream_updated: ({ run_id, iter, file, bytes }) => {
    const path = filePath(run_id, iter, file as Parameters<typeof filePath>[2]);
    if (file !== lastFile) markChanged(is('/api/status', iterationPath(run_id, iter)));
    lastFile = file;
    sizeOf(path).value = bytes;
  },
};

const retryMs = 1000;

/** A hidden page lets go of its connection: a browser has six for all tabs together. */
export function followServer(): void {
  if (source.exported !== null) return;
  let stream: EventSource | null = null;
  let hasBeenOpen = false;
  const close = (): void => {
    stream?.close();
    stream = null;
  };
  const open = (): void => {
    if (stream !== null || document.visibilityState === 'hidden') return;
    const opened = new EventSource('/events');
    stream = opened;
    let isAgain = hasBeenOpen;
    listen(opened, () => {
      connection.value = 'live';
      if (isAgain) markAllChanged();
      [hasBeenOpen, isAgain] = [true, false];
    });
    opened.addEventListener('error', () => {
      if (stream !== opened) return;
      connection.value = 'lost';
      if (opened.readyState !== EventSource.CLOSED) return;
      close();
      setTimeout(
        () => void isStill().then((isSo) => (isSo ? (connection.value = 'still') : open())),
        retryMs,
      );
    });
  };
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') close();
    else open();
  });
  setInterval(askStatus, statusEveryMs);
  open();
}

/** `runner ui --static` has no events to send, and says so. */
async function isStill(): Promise<boolean> {
  const stop = new AbortController();
  try {
    const { status } = await fetch('/events', { signal: stop.signal });
    return status === 204;
  } catch {
    return false;
  } finally {
    stop.abort();
  }
}

function listen(stream: EventSource, onConnected: () => void): void {
  stream.addEventListener('connected', onConnected);
  for (const [name, handle] of Object.entries(handlers)) {
    stream.addEventListener(name, ({ data }: MessageEvent<string>) => {
      (handle as (value: unknown) => void)(JSON.parse(data));
    });
  }
}

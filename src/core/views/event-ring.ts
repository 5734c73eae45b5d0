/** The last events of a server by number: a client that reconnects gets what it missed, or learns that it has to load everything. */
import type { UiEventName, UiEvents } from './web-api.ts';

type SequenceName = Exclude<UiEventName, 'connected' | 'resync'>;

/** An event that is about the project. */
export type UiChange = {
  [Name in SequenceName]: { readonly name: Name; readonly data: UiEvents[Name] };
}[SequenceName];

export interface NumberedEvent {
  readonly id: number;
  readonly change: UiChange;
}

export interface EventRing {
  readonly newest: () => number;
  readonly add: (change: UiChange) => NumberedEvent;
  /** What came after that number; null: not known any more, or never given out. */
  readonly since: (id: number) => readonly NumberedEvent[] | null;
  /** Forgets all events; a client that reconnects has to load everything. */
  readonly clear: () => void;
}

/** Numbers start at `firstId`, so that a number from an earlier process cannot be mistaken for a current one. */
export function eventRing({
  firstId,
  countMax,
}: {
  readonly firstId: number;
  readonly countMax: number;
}): EventRing {
  let newest = firstId;
  let kept: NumberedEvent[] = [];
  return {
    newest: () => newest,
    add: (change) => {
      newest += 1;
      const event = { id: newest, change };
      kept.push(event);
      if (kept.length >= 2 * countMax) kept = kept.slice(-countMax);
      return event;
    },
    since: (id) => {
      const events = kept.slice(-countMax);
      const oldest = events[0]?.id ?? newest + 1;
      return id >= oldest - 1 && id <= newest ? events.filter((event) => event.id > id) : null;
    },
    clear: () => {
      // A number no client has seen, so even an up-to-date client has to load everything.
      newest += 1;
      kept = [];
    },
  };
}

/** In the form of an event stream; `id` null: no number. JSON holds no line break, so nothing can begin another line. */
export function renderEvent<Name extends UiEventName>(event: {
  readonly id: number | null;
  readonly name: Name;
  readonly data: UiEvents[Name];
}): string {
  const { id, name, data } = event;
  return `${id === null ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A `Last-Event-ID` header; null: not a number of ours. */
export function parseEventId(header: string): number | null {
  return /^[0-9]{1,15}$/.test(header) ? Number(header) : null;
}

/**
 * What a scripted model says, as data, and which part of it a request gets. Knows nothing of HTTP or of the model APIs;
 * every decision depends only on the requests seen so far.
 */

export interface Usage {
  /** All input tokens, the cached ones among them. */
  readonly input: number;
  readonly cached: number;
  /** All output tokens, the reasoning ones among them. */
  readonly output: number;
  readonly reasoning: number;
}

/** What every answered request costs unless its turn says otherwise, so that sums can be asserted. */
export const usualUsage: Usage = { input: 1200, cached: 800, output: 60, reasoning: 0 };

export type ErrorName =
  | 'unauthorized'
  | 'forbidden'
  | 'model-not-found'
  | 'too-long'
  | 'rate-limit'
  | 'quota'
  | 'usage-limit'
  | 'server-error'
  | 'overloaded';

interface Said {
  /** Reasoning that comes before, where the API can carry it. */
  readonly reasoning?: string;
  readonly usage?: Usage;
}

export type Reply = Said &
  (
    | { readonly kind: 'shell'; readonly command: string; readonly text?: string }
    /** Writes a whole new file; `file` is absolute. */
    | { readonly kind: 'edit'; readonly file: string; readonly content: string; readonly text?: string }
    /** Calls the tool of this name, whether it is offered or not. */
    | {
        readonly kind: 'call';
        readonly name: string;
        readonly args: Readonly<Record<string, unknown>>;
        readonly text?: string;
      }
    /** A JSON object goes through the CLI's own structured-output tool where it offers one; `asText` prevents that. */
    | { readonly kind: 'final'; readonly text: string; readonly asText?: boolean }
    /** A valid answer with a summary of about so many bytes. */
    | { readonly kind: 'big'; readonly bytes: number }
    /** Starts a text and drops the connection in the middle. */
    | { readonly kind: 'cut' }
    /** Starts a text and never goes on. */
    | { readonly kind: 'stall' }
  );

export type Fault =
  /** An error in the shape of the API that was asked. */
  | {
      readonly kind: 'error';
      readonly error: ErrorName;
      readonly retryAfterSecs?: number;
      /** `usage-limit`: when the plan's limit is reset, in seconds since 1970. */
      readonly resetsAtSecs?: number;
    }
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  | { readonly kind: 'drop' }
  | { readonly kind: 'silent' }
  | { readonly kind: 'malformed'; readonly body: 'html' | 'json' | 'sse' | 'empty' };

/** `sticky`: every further request of the session gets this turn. The last turn of a session always is. */
export type Turn = (Reply | Fault) & { readonly sticky?: boolean };

export type Session = readonly Turn[];

export interface Scenario {
  /** One list of turns for each fresh process of the CLI; the last list serves all that come later. */
  readonly sessions: readonly Session[];
  /**
   * Source of a regular expression that finds in the prompt what is different in each session; its first group counts if
   * it has one. Without it, or where it finds nothing, a session is one process of the CLI.
   */
  readonly marker?: string;
  /** `manual`: only `nextSession()` goes on. */
  readonly advance?: 'manual';
  /** Streamed text comes in pieces of this size. */
  readonly chunkBytes?: number;
}

/** What tells one conversation from another. */
export interface Conversation {
  readonly prompt: string;
  /** No assistant message or tool result in it yet. */
  readonly isFresh: boolean;
}

export interface Place {
  readonly session: number;
  readonly turn: number;
}

export interface Cursor {
  /** `findClient` names the process that asks; null when it cannot be found. It is only called when it matters. */
  readonly take: (
    conversation: Conversation,
    findClient: () => string | null,
  ) => { readonly turn: Turn; readonly place: Place };
  readonly nextSession: () => void;
}

const nothingScripted: Turn = { kind: 'status', status: 500, body: 'the scenario is empty' };

export function startCursor(scenario: Scenario): Cursor {
  let session = 0;
  let turn = 0;
  let key: string | null = null;
  const goOn = (): void => {
    session += 1;
    turn = 0;
  };
  const canGoOn = scenario.advance !== 'manual' && scenario.sessions.length > 1;
  const take: Cursor['take'] = ({ prompt, isFresh }, findClient) => {
    if (canGoOn && isFresh) {
      const found = findMarker(prompt, scenario.marker) ?? findClient() ?? prompt;
      if (key !== null && key !== found) goOn();
      key = found;
    }
    const turns = scenario.sessions[Math.min(session, scenario.sessions.length - 1)] ?? [];
    const taken = turns[Math.min(turn, turns.length - 1)] ?? nothingScripted;
    const place = { session, turn };
    if (taken.sticky !== true) turn += 1;
    return { turn: taken, place };
  };
  return { take, nextSession: goOn };
}

function findMarker(prompt: string, marker: string | undefined): string | null {
  const match = marker === undefined ? null : new RegExp(marker).exec(prompt);
  return match === null ? null : (match[1] ?? match[0]);
}

/**
 * What an agent said and did, as text that people can read: messages whole, everything else in a line. Made from the lines of
 * `events.jsonl` (§8); lines that the runner did not write are left out. The text is clean for a terminal.
 */
import { cleanText } from '../text/terminal-text.ts';
import { renderActivity } from './agent-events.ts';
import { parseEventLine } from './event-line.ts';

/** Above what an agent wrote to stderr, in its log. */
export const stderrHeading = '\n=== stderr ===\n';

export interface Readable {
  /** What a line of events adds; may be empty. */
  readonly add: (line: string) => string;
  /** Ends an open line. Last call. */
  readonly end: () => string;
}

export function readable(): Readable {
  let session = 'session 1';
  /** In the middle of a message that comes in pieces. */
  let isOpen = false;
  const end = (): string => {
    const text = isOpen ? '\n' : '';
    isOpen = false;
    return text;
  };
  const lines = (text: string | null): string =>
    text === null || text.trim() === '' ? '' : `${end()}${text.trimEnd()}\n`;
  return {
    end,
    add: (line) => {
      const parsed = parseEventLine(line);
      if (parsed === null) return '';
      const { place, event } = parsed;
      const now = `${place.role === 'review' ? 'review, ' : ''}session ${place.session}`;
      const head = now === session ? '' : lines(`--- ${now}`);
      session = now;
      // The answer has a flag of its own.
      if (event.type === 'answer') return head;
      if (event.type !== 'message') return `${head}${lines(indented(renderActivity(event)))}`;
      const text = cleanText(event.text);
      if (!event.partial) return `${head}${lines(text)}`;
      isOpen = !text.endsWith('\n');
      return `${head}${text}`;
    },
  };
}

function indented(line: string | null): string | null {
  return line === null ? null : `  | ${line}`;
}

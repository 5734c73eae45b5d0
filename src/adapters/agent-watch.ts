/** Follows what an agent prints: events to the log and to people, and the transcript that answer and failure are read from. */
import { renderActivity } from '../core/agent-events.ts';
import { addEvent, emptyTranscript } from '../core/transcript.ts';
import type { Transcript } from '../core/transcript.ts';
import type { Activity } from '../ports/sessions.ts';
import type { EventLog } from './event-log.ts';
import type { ExecutorSpec } from './executors/spec.ts';
import { follow } from './follow.ts';
import { lineReader } from './line-reader.ts';
import { openRegular } from './regular-file.ts';

export interface Watcher {
  readonly onChunk: (text: string) => void;
  transcript(): Transcript;
  /** Contract: the last line need not end in a newline. Last call. */
  finish(): Transcript;
}

export function watchOutput(options: {
  readonly spec: ExecutorSpec;
  readonly log: EventLog | null;
  readonly onActivity: (activity: Activity) => void;
}): Watcher {
  const { spec, log, onActivity } = options;
  let transcript = emptyTranscript;
  let isLineOpen = false;
  const readLines = lineReader((line) => {
    for (const event of spec.follow(line)) {
      transcript = addEvent(transcript, event);
      log?.add(event);
      const shown = renderActivity(event);
      if (shown !== null) {
        onActivity({ line: shown });
      }
    }
  });
  return {
    onChunk: (text) => {
      isLineOpen = !text.endsWith('\n');
      readLines(text);
    },
    transcript: () => transcript,
    finish: () => {
      if (isLineOpen) {
        readLines('\n');
      }
      log?.close();
      return transcript;
    },
  };
}

/** What a session that is over reported, from the file it wrote; empty when there is none. */
export async function readTranscript(file: string, spec: ExecutorSpec): Promise<Transcript> {
  const opened = await openRegular(file);
  if (opened.kind !== 'open') {
    return emptyTranscript;
  }
  try {
    const watcher = watchOutput({ spec, log: null, onActivity: () => {} });
    const follower = follow({
      handle: opened.handle,
      position: 0,
      onChunk: watcher.onChunk,
      followAll: true,
    });
    await follower.finish(opened.bytes);
    return watcher.finish();
  } finally {
    await opened.handle.close();
  }
}

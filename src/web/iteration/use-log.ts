/** A file of an iteration while it is shown: opened at its end, paged backwards on demand, followed while it grows. */
import { effect } from '@preact/signals';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { AnsiLine } from './ansi.ts';
import { appendLog, emptyLog, linesOf, pageBytes, prependLog } from './log-window.ts';
import type { LogWindow } from './log-window.ts';
import type { Failure } from '../source.ts';
import { renewals, sizeOf, source } from '../store.ts';

export interface OpenLog {
  readonly lines: readonly AnsiLine[];
  readonly log: LogWindow;
  readonly isLoading: boolean;
  readonly failure: Failure | null;
  readonly loadEarlier: () => void;
}

interface State {
  readonly log: LogWindow;
  /** Which file was read. */
  readonly file: string;
  readonly isLoading: boolean;
  readonly failure: Failure | null;
}

const atFirst: State = { log: emptyLog, file: '', isLoading: true, failure: null };

/** What a session of reading needs; replaced when another file is looked at. */
interface Reader {
  state: State;
  isBusy: boolean;
  isOver: boolean;
  /** The renewals it knows of; with another number it looks again. */
  renewals: number;
  readonly firstBytes: number;
}

function openReader(firstBytes: number): Reader {
  return { state: atFirst, isBusy: false, isOver: false, renewals: renewals.peek(), firstBytes };
}

async function readMore(reader: Reader, path: string): Promise<State> {
  const { log } = reader.state;
  const isFirst = log.end === 0;
  const told = sizeOf(path).peek();
  if (told > 0 && told < log.end) return readAnew(reader, path);
  const answer = await source.loadPart(path, isFirst ? -reader.firstBytes : log.end, 4 * pageBytes);
  if (answer.kind === 'failed') {
    // Nothing there yet is no failure of a log: it comes with its first byte.
    if (answer.failure.code === 'not_found') return { ...atFirst, isLoading: false };
    return { ...reader.state, isLoading: false, failure: answer.failure };
  }
  const { bytes, start, total, file } = answer.value;
  const isAnother = !isFirst && (total < log.end || file !== reader.state.file);
  // What is in sight stays until there is something else to show.
  if (isAnother) return readMore({ ...reader, state: atFirst }, path);
  if (bytes.length === 0) return { ...reader.state, isLoading: false, failure: null };
  return { log: appendLog(log, start, bytes, total), file, isLoading: false, failure: null };
}

/** The reported size is less than what was read: the report is old, or the file was cut. Reading the last byte gives the real size. */
async function readAnew(reader: Reader, path: string): Promise<State> {
  const answer = await source.loadPart(path, -1, 1);
  const isShorter = answer.kind === 'ok' && answer.value.total < reader.state.log.end;
  return isShorter ? { ...atFirst, isLoading: false } : reader.state;
}

export function useLog(path: string | null, firstBytes: number = pageBytes): OpenLog {
  const [state, setState] = useState(atFirst);
  const reader = useRef<Reader>(openReader(firstBytes));
  useEffect(() => {
    const own = openReader(firstBytes);
    reader.current = own;
    setState(atFirst);
    if (path === null) return undefined;
    const catchUp = async (): Promise<void> => {
      if (own.isBusy) return;
      own.isBusy = true;
      for (let isBehind = true; isBehind && !own.isOver;) {
        const before = own.state.log.end;
        own.renewals = renewals.peek();
        const next = await readMore(own, path);
        if (own.isOver) break;
        own.state = next;
        setState(next);
        const known = Math.max(next.log.total, sizeOf(path).peek());
        isBehind = (next.log.end < known && next.log.end !== before) || own.renewals !== renewals.peek();
      }
      own.isBusy = false;
    };
    void catchUp();
    const stop = effect(() => {
      const isGrown = sizeOf(path).value !== own.state.log.end;
      if (renewals.value !== own.renewals || isGrown) void catchUp();
    });
    return () => {
      own.isOver = true;
      stop();
    };
  }, [path, firstBytes]);
  const loadEarlier = (): void => {
    const own = reader.current;
    const { log } = own.state;
    if (path === null || own.isBusy || log.start === 0) return;
    own.isBusy = true;
    const start = Math.max(0, log.start - pageBytes);
    const load = async (): Promise<void> => {
      const answer = await source.loadPart(path, start, log.start - start);
      own.isBusy = false;
      if (own.isOver || answer.kind === 'failed') return;
      own.state = { ...own.state, log: prependLog(log, start, answer.value.bytes) };
      setState(own.state);
    };
    void load();
  };
  const lines = useMemo(() => linesOf(state.log), [state.log]);
  return { ...state, lines, loadEarlier };
}

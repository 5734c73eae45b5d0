/** The beginning of a file as text, for views that need it whole; loaded again when it has grown. */
import { useEffect, useState } from 'preact/hooks';
import type { Failure } from '../source.ts';
import { renewals, sizeOf, source } from '../store.ts';

export interface FileText {
  /** Null: not there yet. */
  readonly text: string | null;
  /** Bytes that were too many to show. */
  readonly left: number;
  readonly failure: Failure | null;
}

const bytesMax = 4 * 1024 * 1024;
const atFirst: FileText = { text: null, left: 0, failure: null };

export function useText(path: string): FileText {
  const [state, setState] = useState(atFirst);
  const size = sizeOf(path).value;
  useEffect(() => setState(atFirst), [path]);
  useEffect(() => {
    let isOver = false;
    const load = async (): Promise<void> => {
      const answer = await source.loadPart(path, 0, bytesMax);
      if (isOver) return;
      if (answer.kind === 'failed') {
        setState({ ...atFirst, failure: answer.failure });
        return;
      }
      const { bytes, total } = answer.value;
      setState({ text: new TextDecoder().decode(bytes), left: total - bytes.length, failure: null });
    };
    void load();
    return () => {
      isOver = true;
    };
  }, [path, size, renewals.value]);
  return state;
}

/** One change at a time: whether it is under way, and why it was refused. */
import { useState } from 'preact/hooks';
import type { ActionAnswer } from '../../core/views/control-api.ts';
import { post } from '../control.ts';
import type { Failure } from '../source.ts';
import { markChanged } from '../store.ts';

export interface Acting {
  readonly isBusy: boolean;
  readonly failure: Failure | null;
  /** Null: refused, or another one is under way. */
  readonly act: (path: string, body: object) => Promise<ActionAnswer | null>;
}

export function useAction(): Acting {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  return {
    isBusy,
    failure,
    act: async (path, body) => {
      if (isBusy) return null;
      setBusy(true);
      setFailure(null);
      const answer = await post(path, body);
      setBusy(false);
      markChanged((each) => each.startsWith('/api/runs') || each === '/api/control');
      if (answer.kind === 'ok') return answer.value;
      setFailure(answer.failure);
      return null;
    },
  };
}

/** Work that many ask for at once is done once for all of them: many pages follow one run, and ask the same after every change. */

/**
 * Whoever asks while it is being done waits for the next time, which begins after the question: what has changed before it was asked is
 * in every answer.
 */
export function sharedWork<T>(work: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | null = null;
  let next: Promise<T> | null = null;

  function begin(): Promise<T> {
    next = null;
    const begun = work();
    current = begun;
    const end = (): void => {
      if (current === begun) current = null;
    };
    begun.then(end, end);
    return begun;
  }

  return () => {
    if (current === null) return begin();
    next ??= current.then(begin, begin);
    return next;
  };
}

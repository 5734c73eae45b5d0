/** Shares one computation among simultaneous requests: many pages follow one run, and ask the same after every change. */

/**
 * A request that comes while the work runs waits for the next run, which begins after the request. So every answer includes all
 * changes made before its request.
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

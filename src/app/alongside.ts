/** Waits for both, whatever becomes of either: nothing may still be at work when an error is told. */
export async function alongside<T>(main: Promise<T>, other: Promise<unknown>): Promise<T> {
  other.catch(() => undefined);
  try {
    return await main;
  } finally {
    await other;
  }
}

/**
 * Asks the server for changes. The token comes in the fragment of the printed address, is kept for this tab and leaves the address at
 * once, so that it is in no history and in no link that somebody copies.
 */
import { signal } from '@preact/signals';
import type { ActionAnswer } from '../core/views/control-api.ts';
import { failureOf, unreachable } from './source.ts';
import type { Answer } from './source.ts';

const key = 'runner-token';

/** Null: this page may only look. */
export const token = signal<string | null>(null);

/** Before anything else reads the address. */
export function takeToken(): void {
  const [, given] = /^#token=([\w-]+)$/u.exec(location.hash) ?? [];
  try {
    if (given !== undefined) sessionStorage.setItem(key, given);
    token.value = sessionStorage.getItem(key);
  } catch {
    // A page opened from disk may have no storage, and nothing to change either.
    token.value = given ?? null;
  }
  if (given !== undefined) history.replaceState(null, '', location.pathname);
}

export async function post(path: string, body: object): Promise<Answer<ActionAnswer>> {
  try {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-runner-token': token.value ?? '' },
      body: JSON.stringify(body),
    });
    if (!response.ok) return { kind: 'failed', failure: await failureOf(response) };
    return { kind: 'ok', value: (await response.json()) as ActionAnswer };
  } catch {
    return { kind: 'failed', failure: unreachable };
  }
}

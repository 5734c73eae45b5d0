/** The time of day as a signal, once a second while the page is seen. */
import { signal } from '@preact/signals';

export const nowMs = signal(Date.now());

export function startClock(): void {
  setInterval(() => {
    if (document.visibilityState === 'visible') nowMs.value = Date.now();
  }, 1000);
}

/** How logs are shown, kept for the browser: wrapped or not; on a narrow screen they are, unless somebody chose. And how many characters fit into a row. */
import { signal } from '@preact/signals';

const key = 'runner-log-wrap';

function readWrapped(): boolean {
  try {
    const chosen = localStorage.getItem(key);
    if (chosen !== null) return chosen === '1';
  } catch {
    // A browser that keeps nothing has no choice to tell.
  }
  return matchMedia('(max-width: 640px)').matches;
}

export const logSettings = signal({ isWrapped: readWrapped() });

export function switchWrap(): void {
  const isWrapped = !logSettings.value.isWrapped;
  logSettings.value = { isWrapped };
  try {
    localStorage.setItem(key, isWrapped ? '1' : '0');
  } catch {
    // A browser that keeps nothing forgets it with the page.
  }
}

let charWidth = 0;

/** All rows have the same height, so a wrapped line is cut by characters; wide ones may reach over the edge, and the list scrolls. */
export function columnsFor(width: number, digits: number): number | null {
  if (width === 0) return null;
  if (charWidth === 0) charWidth = measure();
  const edge = 28;
  return Math.max(20, Math.floor((width - edge) / charWidth) - (digits === 0 ? 0 : digits + 2));
}

function measure(): number {
  const probe = document.createElement('span');
  probe.className = 'log-line log-probe';
  probe.textContent = '0'.repeat(100);
  document.body.append(probe);
  const width = probe.getBoundingClientRect().width / 100;
  probe.remove();
  return width;
}

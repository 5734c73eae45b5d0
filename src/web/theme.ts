/** Light or dark: the system's setting, until a person chooses; stored in this browser. */
import { signal } from '@preact/signals';

const themes = ['system', 'light', 'dark'] as const;

export type Theme = (typeof themes)[number];

const key = 'runner-theme';

function readTheme(): Theme {
  try {
    const kept = localStorage.getItem(key);
    return themes.find((name) => name === kept) ?? 'system';
  } catch {
    // A page opened from disk may have no storage.
    return 'system';
  }
}

export const theme = signal<Theme>(readTheme());

export function applyTheme(): void {
  document.documentElement.dataset['theme'] = theme.value;
}

export function switchTheme(): void {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? 'system';
  applyTheme();
  try {
    localStorage.setItem(key, theme.value);
  } catch {
    // As above; the choice then holds for this view.
  }
}

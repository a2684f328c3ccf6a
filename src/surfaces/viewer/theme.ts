// Light or dark: the system's choice, until the person chooses.
import { signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';
const key = 'holdfast-theme';
const known: readonly Theme[] = ['system', 'light', 'dark'];

export const theme = signal<Theme>(stored());

function stored(): Theme {
  try {
    return known.find((one) => one === localStorage.getItem(key)) ?? 'system';
  } catch {
    // This browser stores nothing.
    return 'system';
  }
}

export function applyTheme(): void {
  if (theme.value === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
}

export function nextTheme(): void {
  theme.value = known[(known.indexOf(theme.value) + 1) % known.length] as Theme;
  try {
    localStorage.setItem(key, theme.value);
  } catch {
    // The choice then lasts as long as the page.
  }
  applyTheme();
}

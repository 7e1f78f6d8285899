import { storedChoice } from './stored-choice.ts';

export const themes = ['system', 'light', 'dark'] as const;

/** The theme that the user has chosen; `system` follows the device. */
export const themeChoice = storedChoice('switchyard.theme', { values: themes, fallback: () => 'system' });

/** Keeps `data-theme` of the page true, from before the first render. */
export function applyTheme(): void {
  const device = window.matchMedia('(prefers-color-scheme: dark)');
  const apply = () => {
    const chosen = themeChoice.read();
    const isDark = chosen === 'dark' || (chosen === 'system' && device.matches);
    document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
  };
  device.addEventListener('change', apply);
  themeChoice.subscribe(apply);
  apply();
}

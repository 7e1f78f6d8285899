import type { QueryClient } from '@tanstack/react-query';
import { localeChoice } from '../lib/locale-choice.ts';
import { nextTask } from '../lib/next-task.ts';
import { applyTheme } from '../lib/theme.ts';
import { loadMessages } from './load-messages.ts';
import { routeAt } from './routes.ts';
import './style.css';

applyTheme();

const root = document.getElementById('root');
if (root) void begin(root);

/**
 * Asks for everything that the first picture needs as soon as it can, so that no part waits for another. Each file that the
 * browser then runs has a task of its own, so that the browser can paint and take input in between. What this file itself
 * imports is run before the first request, so that is little.
 */
async function begin(root: HTMLElement): Promise<void> {
  const locale = localeChoice.read();
  const loading = loadMessages(locale);
  const { startQueries } = await import('./start-queries.ts');
  const { queries, session } = startQueries();
  await nextTask();
  const [{ showConsole }, messages] = await Promise.all([
    loadDrawing(),
    loading,
    session,
    preparePage(queries),
  ]);
  showConsole(root, { queries, texts: { locale, messages } });
}

async function loadDrawing(): Promise<typeof import('./show-console.tsx')> {
  await import('react-dom/client');
  await nextTask();
  return import('./show-console.tsx');
}

/** Loads the page of the address, and what it shows first. A failure is shown where the page is drawn. */
async function preparePage(queries: QueryClient): Promise<void> {
  try {
    const page = await routeAt(window.location.pathname)?.page.load();
    page?.prepare?.(queries);
  } catch {
    return;
  }
}

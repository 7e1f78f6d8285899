import type { QueryClient } from '@tanstack/react-query';
import { localeChoice } from '../lib/locale-choice.ts';
import { sessionQuery } from '../lib/session-query.ts';
import { applyTheme } from '../lib/theme.ts';
import { loadMessages } from './load-messages.ts';
import { createQueryClient } from './query-client.ts';
import { routeAt } from './routes.ts';
import './style.css';

applyTheme();

const root = document.getElementById('root');
if (root) void begin(root);

/**
 * Asks for everything that the first picture needs at once, so that no part waits for another. Each file that the browser
 * then runs is short, so that it can paint and take input in between.
 */
async function begin(root: HTMLElement): Promise<void> {
  const queries = createQueryClient();
  const locale = localeChoice.read();
  const [{ showConsole }, messages] = await Promise.all([
    import('react-dom/client').then(() => import('./show-console.tsx')),
    loadMessages(locale),
    queries.prefetchQuery(sessionQuery),
    preparePage(queries),
  ]);
  showConsole(root, { queries, texts: { locale, messages } });
}

/** Loads the page of the address, and what it shows first. A failure is told where the page is drawn. */
async function preparePage(queries: QueryClient): Promise<void> {
  try {
    const page = await routeAt(window.location.pathname)?.page.load();
    page?.prepare?.(queries);
  } catch {
    return;
  }
}

import type { QueryClient } from '@tanstack/react-query';
import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import type { LoadedTexts } from './texts.tsx';

interface Beginning {
  queries: QueryClient;
  texts: LoadedTexts;
}

/** Draws the console in short steps, between which the browser can take input. */
export function showConsole(root: HTMLElement, { queries, texts }: Beginning): void {
  startTransition(() =>
    createRoot(root).render(
      <StrictMode>
        <App queries={queries} texts={texts} />
      </StrictMode>,
    ),
  );
}

import { CSPProvider } from '@base-ui/react/csp-provider';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { CommandHintProvider } from '../kit/command-hint.tsx';
import { ToastProvider } from '../kit/toast.tsx';
import { LiveProvider } from '../lib/live/live-provider.tsx';
import { shortcutChoice } from '../lib/shortcut-choice.ts';
import { Frame } from './frame/frame.tsx';
import { SessionGate } from './session-gate.tsx';
import { type LoadedTexts, Texts } from './texts.tsx';

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

/** The console: what every page needs stands around the frame. */
function App({ queries, texts }: { queries: QueryClient; texts: LoadedTexts }) {
  return (
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <Texts first={texts}>
          <ToastProvider>
            <SessionGate>
              <LiveProvider>
                <SignedIn />
              </LiveProvider>
            </SessionGate>
          </ToastProvider>
        </Texts>
      </QueryClientProvider>
    </CSPProvider>
  );
}

function SignedIn() {
  return (
    <CommandHintProvider enabled={shortcutChoice.use() === 'on'}>
      <Frame />
    </CommandHintProvider>
  );
}

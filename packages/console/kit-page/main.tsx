import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { loadMessages } from '../src/app/load-messages.ts';
import { Texts } from '../src/app/texts.tsx';
import { CommandHintProvider } from '../src/kit/command-hint.tsx';
import { ToastProvider } from '../src/kit/toast.tsx';
import { localeChoice } from '../src/lib/locale-choice.ts';
import { applyTheme } from '../src/lib/theme.ts';
import { KitPage } from './kit-page.tsx';
import './style.css';

applyTheme();

const root = document.getElementById('root');
if (root) void begin(root);

async function begin(root: HTMLElement): Promise<void> {
  const locale = localeChoice.read();
  const messages = await loadMessages(locale);
  // One part is shown with a child that throws, which is not a fault of the page.
  createRoot(root, { onCaughtError: () => undefined }).render(
    <QueryClientProvider client={new QueryClient()}>
      <Texts first={{ locale, messages }}>
        <ToastProvider>
          <CommandHintProvider>
            <KitPage />
          </CommandHintProvider>
        </ToastProvider>
      </Texts>
    </QueryClientProvider>,
  );
}

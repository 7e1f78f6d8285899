import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { loadMessages } from '../src/app/load-messages.ts';
import { Texts } from '../src/app/texts.tsx';
import { CommandHintProvider } from '../src/kit/command-hint.tsx';
import { ToastProvider } from '../src/kit/toast.tsx';
import { keys } from '../src/lib/data/keys.ts';
import { localeChoice } from '../src/lib/locale-choice.ts';
import { applyTheme } from '../src/lib/theme.ts';
import { KitPage } from './kit-page.tsx';
import { sampleDifference } from './sample-pictures.ts';
import './style.css';

applyTheme();

const root = document.getElementById('root');
if (root) void begin(root);

async function begin(root: HTMLElement): Promise<void> {
  const locale = localeChoice.read();
  const messages = await loadMessages(locale);
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  client.setQueryData(keys.fileDifference('kit-left', 'kit-right'), sampleDifference);
  // One part is shown with a child that throws, which is not a fault of the page.
  createRoot(root, { onCaughtError: () => undefined }).render(
    <QueryClientProvider client={client}>
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

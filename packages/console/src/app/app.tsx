import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { useState } from 'react';
import { LiveProvider } from '../lib/live/live-provider.tsx';
import { Frame } from './frame/frame.tsx';
import { createQueryClient } from './query-client.ts';
import { SessionGate } from './session-gate.tsx';
import { Texts } from './texts.tsx';

/** The console: what every page needs stands around the frame. */
export function App() {
  const [queries] = useState(createQueryClient);
  return (
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <Texts>
          <SessionGate>
            <LiveProvider>
              <Frame />
            </LiveProvider>
          </SessionGate>
        </Texts>
      </QueryClientProvider>
    </CSPProvider>
  );
}

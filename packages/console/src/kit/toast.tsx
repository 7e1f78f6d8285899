import { Toast } from '@base-ui/react/toast';
import { CircleAlert, CircleCheck, X } from 'lucide-react';
import { type ReactNode, useCallback } from 'react';
import { useGatewayWords } from '../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../lib/i18n.ts';
import { Button, IconButton } from './button.tsx';

/** The time for which a message stays, so that there is time to read it and to take the action back. */
export const toastMs = 8_000;
const maxToasts = 3;

export interface ToastMessage {
  text: string;
  tone?: 'done' | 'failed';
  /** Takes the action back; shown as a button for as long as the message stays. */
  undo?: () => void;
  /** Another button than "Undo", such as a link to what was made. */
  action?: { label: string; run: () => void };
}

/** Why something did not work, as it was thrown. */
interface ToastError {
  error: unknown;
}

/** Shows a message at the edge of the window. A failure is announced at once, other messages when there is silence. */
export function useToast(): (message: ToastMessage | ToastError) => void {
  const { add, close } = Toast.useToastManager();
  const text = useText('kit');
  const words = useGatewayWords();
  return useCallback(
    (message: ToastMessage | ToastError) => {
      const shown: ToastMessage =
        'error' in message ? { text: words.error(message.error), tone: 'failed' } : message;
      const { text: title, tone = 'done', undo, action } = shown;
      const button = action ?? (undo ? { label: text('toast.undo'), run: undo } : undefined);
      const id: string = add({
        title,
        type: tone,
        timeout: toastMs,
        priority: tone === 'failed' ? 'high' : 'low',
        ...(button && {
          actionProps: {
            children: button.label,
            onClick: () => {
              button.run();
              close(id);
            },
          },
        }),
      });
    },
    [add, close, text, words],
  );
}

/** Holds the messages; the app has one around everything. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const text = useText('kit');
  return (
    <Toast.Provider timeout={toastMs} limit={maxToasts}>
      {children}
      <Toast.Portal>
        <Toast.Viewport
          aria-label={text('toast.region')}
          // Below dialogs, so that no message covers their buttons; on a phone, where they stand at the bottom, above them.
          className="fixed inset-x-4 bottom-20 z-45 flex flex-col items-end gap-2 max-sm:in-[body:has([data-dialog])]:top-3 max-sm:in-[body:has([data-dialog])]:bottom-auto sm:left-auto sm:bottom-4 sm:w-96"
        >
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList() {
  const { toasts } = Toast.useToastManager();
  const text = useText('kit');
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className="w-full rounded-card border border-border bg-surface text-body text-text shadow-layer transition-opacity duration-200 data-ending-style:opacity-0 data-limited:hidden data-starting-style:opacity-0 motion-reduce:transition-none"
    >
      <Toast.Content className="flex items-center gap-3 py-2 pr-2 pl-3">
        {toast.type === 'failed' ? (
          <CircleAlert size={16} strokeWidth={1.75} aria-hidden className="shrink-0 text-failed" />
        ) : (
          <CircleCheck size={16} strokeWidth={1.75} aria-hidden className="shrink-0 text-done" />
        )}
        {/* As the title it is the name of the dialog that a message is to a screen reader. */}
        <Toast.Title render={<p />} className="min-w-0 flex-1 break-words" />
        {toast.actionProps ? <Toast.Action render={<Button variant="quiet" size="s" />} /> : null}
        <Toast.Close
          // The library hides it until the messages are spread out. Ours always are, and a phone has no F6 key.
          aria-hidden={false}
          render={
            <IconButton label={text('toast.close')} icon={<X size={16} strokeWidth={1.75} aria-hidden />} />
          }
        />
      </Toast.Content>
    </Toast.Root>
  ));
}

import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { useRef } from 'react';
import { useText } from '../../lib/i18n.ts';
import { IconButton } from '../button.tsx';
import type { DialogProps } from './dialog-props.ts';
import { backdrop } from './layer.ts';

/** The dialog itself, in a chunk of its own. */
export function DialogLayer({ open, onClose, title, children, actions, wide, restoreFocus }: DialogProps) {
  const text = useText('kit');
  const body = useRef<HTMLDivElement>(null);
  return (
    <Base.Root
      open={open}
      onOpenChange={(next) => {
        if (!next) onClose();
      }}
    >
      <Base.Portal>
        <Base.Backdrop className={backdrop} />
        <Base.Popup
          aria-modal
          data-dialog
          initialFocus={(openType) => openType === 'touch' || (firstField(body.current) ?? true)}
          {...(restoreFocus && { finalFocus: () => void queueMicrotask(restoreFocus) })}
          className={`fixed inset-x-3 bottom-3 z-50 mx-auto flex max-h-[calc(100dvh-1.5rem)] flex-col rounded-dialog border border-border bg-surface text-text shadow-layer outline-none transition-opacity duration-200 data-ending-style:opacity-0 data-starting-style:opacity-0 motion-reduce:transition-none sm:top-1/2 sm:bottom-auto sm:-translate-y-1/2 ${wide ? 'max-w-[56rem]' : 'max-w-[32rem]'}`}
        >
          <header className="flex items-start justify-between gap-3 px-4 pt-3">
            <Base.Title className="min-w-0 py-1 text-lead font-semibold break-words">{title}</Base.Title>
            <Base.Close
              render={
                <IconButton
                  label={text('dialog.close')}
                  icon={<X size={16} strokeWidth={1.75} aria-hidden />}
                />
              }
            />
          </header>
          <div ref={body} className="min-h-0 flex-1 overflow-y-auto px-4 py-3 text-body">
            {children}
          </div>
          {actions ? (
            <footer className="flex flex-wrap justify-end gap-2 border-t border-border px-4 py-3">
              {actions}
            </footer>
          ) : null}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/**
 * Returns the first field that a person can type into. On a phone, its focus would open the keyboard over the question.
 */
function firstField(body: HTMLElement | null): HTMLElement | null {
  return (
    body?.querySelector<HTMLElement>(
      'input:not([type="hidden"], [tabindex="-1"], :disabled), textarea:not(:disabled), select:not(:disabled)',
    ) ?? null
  );
}

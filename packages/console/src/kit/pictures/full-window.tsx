import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { KeyboardEvent, ReactNode, RefObject } from 'react';
import { useText } from '../../lib/i18n.ts';
import { IconButton } from '../button.tsx';
import { useReturnFocus } from '../parts/return-focus.ts';

interface FullWindowProps {
  title: ReactNode;
  /** Beside the title, such as the button that saves. */
  actions?: ReactNode;
  onClose: () => void;
  onKeyDown?: (event: KeyboardEvent) => void;
  /** The element that has the focus first; by default the first button. */
  initialFocus?: RefObject<HTMLElement | null>;
  children: ReactNode;
}

/** Work on pictures that needs the whole window. */
export function FullWindow({ title, actions, onClose, onKeyDown, initialFocus, children }: FullWindowProps) {
  const text = useText('pictures');
  const returnFocus = useReturnFocus(true);
  return (
    <Base.Root open onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Popup
          aria-modal
          onKeyDown={onKeyDown}
          {...(initialFocus && { initialFocus })}
          finalFocus={() => returnFocus()}
          className="fixed inset-0 z-40 flex flex-col bg-bg text-text outline-none"
        >
          <header className="flex flex-wrap items-center justify-end gap-2 px-2 py-1.5">
            <Base.Title className="min-w-0 flex-1 truncate px-2 text-body font-medium">{title}</Base.Title>
            {actions}
            <Base.Close
              render={
                <IconButton label={text('close')} icon={<X size={20} strokeWidth={1.75} aria-hidden />} />
              }
            />
          </header>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ReactNode, RefObject } from 'react';
import { useText } from '../lib/i18n.ts';
import { IconButton } from './button.tsx';

interface SidePanelProps {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  /** Beside the title, such as the link to the whole page. */
  actions?: ReactNode;
  children: ReactNode;
  /** The element that has the focus first; by default the first button. */
  initialFocus?: RefObject<HTMLElement | null> | undefined;
  /** The content scrolls by itself and has its own padding. */
  ownScroll?: boolean | undefined;
}

/** The details of one row, beside the list. The list stays usable; on a phone the panel covers it. */
export function SidePanel(props: SidePanelProps) {
  const { open, onClose, title, actions, children, initialFocus, ownScroll = false } = props;
  const text = useText('kit');
  return (
    <Base.Root
      open={open}
      modal={false}
      disablePointerDismissal
      onOpenChange={(next) => {
        if (!next) onClose();
      }}
    >
      <Base.Portal>
        <Base.Popup
          {...(initialFocus && { initialFocus })}
          className="fixed inset-y-0 right-0 z-30 flex w-full flex-col border-l border-border bg-surface text-text shadow-layer outline-none transition-opacity duration-200 data-ending-style:opacity-0 data-starting-style:opacity-0 motion-reduce:transition-none sm:w-[30rem]"
        >
          <div className="flex items-center gap-2 border-b border-border py-2 pr-2 pl-4">
            <Base.Title className="min-w-0 flex-1 truncate text-lead font-semibold">{title}</Base.Title>
            {actions}
            <Base.Close
              render={
                <IconButton
                  label={text('dialog.close')}
                  icon={<X size={16} strokeWidth={1.75} aria-hidden />}
                />
              }
            />
          </div>
          <div className={ownScroll ? 'min-h-0 flex-1' : 'min-h-0 flex-1 overflow-y-auto p-4'}>
            {children}
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

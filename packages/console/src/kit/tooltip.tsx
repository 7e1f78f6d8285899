import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { ReactElement, ReactNode } from 'react';

interface TooltipProps {
  text: ReactNode;
  /** What it explains. It has to take the focus, so that the keyboard reaches the text as well. */
  children: ReactElement;
}

/** One sentence about the thing under the pointer or the focus; Esc puts it away. */
export function Tooltip({ text, children }: TooltipProps) {
  return (
    <Base.Root>
      <Base.Trigger delay={300} render={children} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} className="z-50">
          <Base.Popup className="max-w-[20rem] rounded-control border border-border bg-surface px-2 py-1 text-table break-words text-text shadow-layer">
            {text}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

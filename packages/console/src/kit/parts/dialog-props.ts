import type { ReactNode } from 'react';

export interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
  actions?: ReactNode;
  /** Forms and comparisons need more room than a question. */
  wide?: boolean | undefined;
  /** Puts the focus where it belongs after the dialog; otherwise it goes back to the control that had it. */
  restoreFocus?: (() => void) | undefined;
}

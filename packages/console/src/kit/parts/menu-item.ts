import type { ReactElement, ReactNode } from 'react';
import type { ButtonProps } from '../button.tsx';

export interface MenuItem {
  label: string;
  icon?: ReactNode;
  onSelect?: (() => void) | undefined;
  /** The command that does the same; `.` shows it while the item has the focus or the pointer. */
  command?: string | undefined;
  /** A page instead of an action; `newTab` for another site. */
  href?: string | undefined;
  newTab?: boolean | undefined;
  /** Set for an item that is switched on or off; the menu stays open then. */
  checked?: boolean | undefined;
  danger?: boolean | undefined;
  disabled?: boolean | undefined;
  /** A line above this item. */
  separated?: boolean | undefined;
}

/** A button. A busy one ignores clicks alone, and the library opens a menu on other events too, so the menu refuses to open then. */
export type MenuTrigger = ReactElement<Pick<ButtonProps, 'isBusy'>>;

export interface MenuProps {
  label: string;
  items: readonly MenuItem[];
  /** The button that opens it; three dots unless it is given. */
  trigger?: MenuTrigger | undefined;
  /** It is the first thing to do with its row, so that Enter on the row opens it. */
  opensRow?: boolean | undefined;
  /** The command that shows the object in a terminal; `.` shows it while the button has the focus or the pointer. */
  command?: string | undefined;
}

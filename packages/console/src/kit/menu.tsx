import { Menu as Base } from '@base-ui/react/menu';
import { Ellipsis } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { Link } from 'wouter';
import { IconButton } from './button.tsx';
import { classes } from './parts/classes.ts';
import { layer, layerItem } from './parts/layer.ts';

export interface MenuItem {
  label: string;
  icon?: ReactNode;
  onSelect?: (() => void) | undefined;
  /** A page instead of an action; `newTab` for another site. */
  href?: string | undefined;
  newTab?: boolean | undefined;
  danger?: boolean | undefined;
  disabled?: boolean | undefined;
  /** A line above this item. */
  separated?: boolean | undefined;
}

interface MenuProps {
  label: string;
  items: readonly MenuItem[];
  /** The button that opens it; three dots unless it is given. */
  trigger?: ReactElement | undefined;
}

/** Actions of one object. */
export function Menu({ label, items, trigger }: MenuProps) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger
        render={
          trigger ?? <IconButton label={label} icon={<Ellipsis size={16} strokeWidth={1.75} aria-hidden />} />
        }
      />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="end" className="z-50">
          <Base.Popup
            aria-label={label}
            className={classes(layer, 'max-h-(--available-height) min-w-44 overflow-y-auto p-1')}
          >
            {items.map((item) => (
              <Row key={item.label} item={item} />
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function Row({ item }: { item: MenuItem }) {
  const { label, icon, onSelect, href, newTab, danger, disabled, separated } = item;
  const name = classes(layerItem, danger && 'text-failed');
  const line = separated ? <Base.Separator className="my-1 h-px bg-border" /> : null;
  if (href !== undefined) {
    const target = newTab ? (
      // biome-ignore lint/a11y/useAnchorContent: the menu item puts its content into the link
      <a href={href} target="_blank" rel="noopener noreferrer" />
    ) : (
      <Link href={href} />
    );
    return (
      <>
        {line}
        <Base.LinkItem className={name} closeOnClick render={target}>
          {icon}
          {label}
        </Base.LinkItem>
      </>
    );
  }
  return (
    <>
      {line}
      <Base.Item className={name} disabled={disabled} onClick={() => onSelect?.()}>
        {icon}
        {label}
      </Base.Item>
    </>
  );
}

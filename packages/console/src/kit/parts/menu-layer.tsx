import { Menu as Base } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { useCommandHint } from '../command-hint.tsx';
import { classes } from './classes.ts';
import { layer, layerItem } from './layer.ts';
import type { MenuItem, MenuProps, MenuTrigger } from './menu-item.ts';
import { useLandmark } from './use-landmark.ts';

/** The menu itself, in a chunk of its own. It opens at once, since it is loaded when somebody wants it. */
export function MenuLayer({ label, items, trigger }: MenuProps & { trigger: MenuTrigger }) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLElement>(null);
  const landmark = useLandmark(button);
  useLayoutEffect(() => {
    // This button took the place of the one that was pressed. A dialog that an item opens gives the focus back to it.
    button.current?.focus({ preventScroll: true });
    setOpen(true);
  }, []);
  return (
    <Base.Root
      modal={false}
      open={isOpen}
      onOpenChange={(isWanted) => setOpen(isWanted && !trigger.props.isBusy)}
    >
      <Base.Trigger ref={button as RefObject<HTMLButtonElement | null>} render={trigger} />
      <Base.Portal container={landmark}>
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
  const { label, icon, onSelect, href, newTab, checked, danger, disabled, separated, command } = item;
  const hint = useCommandHint(command);
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
  if (checked !== undefined) {
    return (
      <>
        {line}
        <Base.CheckboxItem
          className={name}
          checked={checked}
          disabled={disabled}
          onCheckedChange={() => onSelect?.()}
        >
          <span className="w-4">{checked ? <Check size={16} strokeWidth={1.75} aria-hidden /> : null}</span>
          {label}
        </Base.CheckboxItem>
      </>
    );
  }
  return (
    <>
      {line}
      <Base.Item {...hint} className={name} disabled={disabled} onClick={() => onSelect?.()}>
        {icon}
        {label}
      </Base.Item>
    </>
  );
}

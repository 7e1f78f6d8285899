import { Ellipsis } from 'lucide-react';
import { cloneElement, type ReactElement, useState } from 'react';
import { lazyPart, useLazyPart } from '../lib/lazy-part.ts';
import { IconButton } from './button.tsx';
import { useCommandHint } from './command-hint.tsx';
import type { MenuProps, MenuTrigger } from './parts/menu-item.ts';
import { opensRow } from './rows/row-marks.ts';

const layer = lazyPart(async () => (await import('./parts/menu-layer.tsx')).MenuLayer);

interface TriggerProps {
  onClick?: () => void;
  onPointerEnter?: () => void;
  'aria-haspopup'?: 'menu';
  'aria-expanded'?: boolean;
}

/** Actions of one object. The code of menus is loaded when the pointer comes near one, or when one is opened. */
export function Menu({ label, items, trigger, opensRow: isOpener, command }: MenuProps) {
  const hint = useCommandHint(command);
  const [isWanted, setWanted] = useState(false);
  const button = trigger ?? (
    <IconButton
      {...hint}
      {...(isOpener && opensRow)}
      label={label}
      icon={<Ellipsis size={16} strokeWidth={1.75} aria-hidden />}
    />
  );
  const own = button as ReactElement<TriggerProps>;
  const closed = cloneElement(own, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onClick: () => setWanted(true),
    onPointerEnter: () => {
      own.props.onPointerEnter?.();
      void layer.load();
    },
  });
  return isWanted ? <OpenedMenu label={label} items={items} trigger={button} closed={closed} /> : closed;
}

interface OpenedMenuProps extends MenuProps {
  trigger: MenuTrigger;
  /** Stands here until the code of menus has been loaded. */
  closed: ReactElement;
}

function OpenedMenu({ closed, ...menu }: OpenedMenuProps) {
  const MenuLayer = useLazyPart(layer);
  return MenuLayer === null ? closed : <MenuLayer {...menu} />;
}

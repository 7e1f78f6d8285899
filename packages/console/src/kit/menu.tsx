import { Ellipsis } from 'lucide-react';
import { cloneElement, lazy, type ReactElement, Suspense, useState } from 'react';
import { IconButton } from './button.tsx';
import type { MenuProps } from './parts/menu-item.ts';

const loadLayer = () => import('./parts/menu-layer.tsx');
const MenuLayer = lazy(async () => ({ default: (await loadLayer()).MenuLayer }));

interface TriggerProps {
  onClick?: () => void;
  onPointerEnter?: () => void;
  'aria-haspopup'?: 'menu';
  'aria-expanded'?: boolean;
}

/** Actions of one object. The code of menus is loaded when the pointer comes near one, or when one is opened. */
export function Menu({ label, items, trigger }: MenuProps) {
  const [isWanted, setWanted] = useState(false);
  const button = trigger ?? (
    <IconButton label={label} icon={<Ellipsis size={16} strokeWidth={1.75} aria-hidden />} />
  );
  const closed = cloneElement(button as ReactElement<TriggerProps>, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onClick: () => setWanted(true),
    onPointerEnter: () => void loadLayer(),
  });
  if (!isWanted) return closed;
  return (
    <Suspense fallback={closed}>
      <MenuLayer label={label} items={items} trigger={button} />
    </Suspense>
  );
}

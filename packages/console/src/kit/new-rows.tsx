import { ArrowUp } from 'lucide-react';
import { useText } from '../lib/i18n.ts';
import { Button } from './button.tsx';

/** Says that rows wait, so that the list does not move while somebody reads it. */
export function NewRows({ count, onShow }: { count: number; onShow: () => void }) {
  const text = useText('kit');
  return (
    <div
      role="status"
      className="pointer-events-none sticky top-2 z-20 flex h-0 justify-center overflow-visible"
    >
      {count > 0 ? (
        <Button
          size="s"
          variant="solid"
          className="pointer-events-auto rounded-full shadow-layer"
          icon={<ArrowUp size={16} strokeWidth={1.75} aria-hidden />}
          onClick={onShow}
        >
          {text('newRows', { count })}
        </Button>
      ) : null}
    </div>
  );
}

import { CheckCheck, Columns2, Download, Share2, Trash2, X } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { Button, IconButton } from '../../../kit/button.tsx';
import { useCommandHint } from '../../../kit/command-hint.tsx';
import { pageHeading } from '../../../kit/parts/return-focus.ts';
import { setQuery } from '../../../lib/address.ts';
import { useText } from '../../../lib/i18n.ts';

export interface SelectAll {
  label: string;
  isBusy: boolean;
  onSelect: () => void;
}

interface SelectionBarProps {
  ids: readonly string[];
  /** Null when everything is chosen. */
  all: SelectAll | null;
  onDownload: () => void;
  onCompare: () => void;
  onDelete: () => void;
  onClear: () => void;
  /** Further actions. */
  children?: ReactNode;
}

const icon = { size: 16, strokeWidth: 1.75, 'aria-hidden': true } as const;

/** The actions on the chosen files, at the bottom of the window. On a phone they stand in one row that scrolls. */
export function SelectionBar(props: SelectionBarProps) {
  const { ids, all, onDownload, onCompare, onDelete, onClear, children } = props;
  const text = useText('gallery');
  const zipHint = useCommandHint(`switchyard files zip ${ids.slice(0, 20).join(' ')}`);
  const deleteHint = useCommandHint(`switchyard files delete ${ids.slice(0, 20).join(' ')}`);
  const isShown = ids.length > 0;
  useEffect(() => {
    if (!isShown) return;
    // The bar goes with the selection, and would take the focus along.
    return () => void requestAnimationFrame(focusGrid);
  }, [isShown]);
  if (!isShown) return null;
  return (
    <div
      role="toolbar"
      aria-label={text('selection.label')}
      data-selection-bar
      // A browser leaves a control as it is of which a part is in view already.
      onFocus={({ target }) => target.scrollIntoView({ block: 'nearest', inline: 'nearest' })}
      className="sticky bottom-20 z-20 short:static mx-auto flex max-w-full flex-wrap items-center gap-2 max-sm:flex-nowrap max-sm:scroll-px-2 max-sm:overflow-x-auto rounded-card border border-border bg-surface p-2 shadow-layer md:bottom-4"
    >
      <IconButton label={text('selection.clear')} icon={<X {...icon} />} onClick={onClear} />
      <span role="status" className="shrink-0 pr-2 text-body tabular-nums">
        {text('selection.count', { count: ids.length })}
      </span>
      {all ? (
        <Button size="s" icon={<CheckCheck {...icon} />} isBusy={all.isBusy} onClick={all.onSelect}>
          {all.label}
        </Button>
      ) : null}
      {ids.length >= 2 && ids.length <= 4 ? (
        <Button size="s" icon={<Columns2 {...icon} />} onClick={onCompare}>
          {text('selection.compare')}
        </Button>
      ) : null}
      {children}
      {ids.length === 1 ? (
        <Button size="s" icon={<Share2 {...icon} />} onClick={() => setQuery({ share: `file.${ids[0]}` })}>
          {text('selection.share')}
        </Button>
      ) : null}
      <Button size="s" icon={<Download {...icon} />} onClick={onDownload} {...zipHint}>
        {text('selection.download')}
      </Button>
      <Button size="s" variant="danger" icon={<Trash2 {...icon} />} onClick={onDelete} {...deleteHint}>
        {text('selection.delete', { count: ids.length })}
      </Button>
    </div>
  );
}

function focusGrid(): void {
  if (document.activeElement !== document.body) return;
  const picture = document.querySelector<HTMLElement>('main [data-picture][tabindex="0"]');
  (picture ?? pageHeading())?.focus();
}

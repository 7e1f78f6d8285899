import { Dialog as Base } from '@base-ui/react/dialog';
import { ChevronLeft, ChevronRight, Download, Maximize2, Minimize2, X } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { useText } from '../../lib/i18n.ts';
import { shortcutChoice } from '../../lib/shortcut-choice.ts';
import { IconButton } from '../button.tsx';
import { classes } from '../parts/classes.ts';
import { useReturnFocus } from '../parts/return-focus.ts';
import { fileAddress, mediaKindOf, type Picture } from './picture.ts';

interface LightboxProps<Item extends Picture> {
  items: readonly Item[];
  /** The picture that is shown; null closes it. */
  current: Item | null;
  altOf: (item: Item) => string;
  onMove: (item: Item) => void;
  onClose: () => void;
  /** The effect of further single keys. */
  keys?: Readonly<Record<string, () => void>>;
  /** Buttons of the shown picture, beside those that every picture has. */
  actions?: ReactNode;
  /** Beside the picture, such as how it was made. */
  side?: ReactNode;
}

const icon = { size: 20, strokeWidth: 1.75, 'aria-hidden': true } as const;

/** One picture as large as the window, with its neighbours one key away. */
export function Lightbox<Item extends Picture>(props: LightboxProps<Item>) {
  const { items, current, altOf, onMove, onClose, keys = {}, actions, side } = props;
  const text = useText('pictures');
  const [isWhole, setWhole] = useState(false);
  const returnFocus = useReturnFocus(current !== null);
  const last = useRef<string>(undefined);
  if (current !== null) last.current = current.fileId;
  const at = items.findIndex(({ fileId }) => fileId === current?.fileId);
  const moveTo = (index: number) => {
    const item = items[index];
    if (!item || index === at) return;
    setWhole(false);
    onMove(item);
  };
  const onKey = (event: KeyboardEvent) => {
    if (isControl(event.target)) return;
    const moves: Record<string, number> = {
      ArrowLeft: at - 1,
      ArrowRight: at + 1,
      Home: 0,
      End: items.length - 1,
    };
    const next = moves[event.key];
    if (next !== undefined) {
      event.preventDefault();
      moveTo(next);
      return;
    }
    const isModified = event.ctrlKey || event.metaKey || event.altKey;
    if (isModified || shortcutChoice.read() === 'off') return;
    if (event.key === 'z') setWhole((whole) => !whole);
    else keys[event.key]?.();
  };
  return (
    <Base.Root open={current !== null} onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Popup
          aria-modal
          onKeyDown={onKey}
          finalFocus={() => returnFocus(last.current)}
          className="fixed inset-0 z-40 flex flex-col bg-bg text-text outline-none md:flex-row"
        >
          {current === null ? null : (
            <>
              <div className="flex min-h-0 min-w-0 flex-1 flex-col">
                <header className="flex flex-wrap items-center justify-end gap-1 px-2 py-1.5">
                  <Base.Title className="min-w-0 flex-1 truncate px-2 text-body font-medium max-sm:basis-full">
                    {current.filename}
                  </Base.Title>
                  <span
                    className="px-2 text-table whitespace-nowrap text-text-2 tabular-nums max-sm:sr-only"
                    role="status"
                  >
                    {at < 0 ? '' : text('position', { at: at + 1, count: items.length })}
                  </span>
                  {actions}
                  <IconButton
                    label={text(isWhole ? 'fit' : 'whole')}
                    icon={isWhole ? <Minimize2 {...icon} /> : <Maximize2 {...icon} />}
                    onClick={() => setWhole((whole) => !whole)}
                  />
                  <a
                    href={fileAddress(current)}
                    download={current.filename}
                    aria-label={text('download')}
                    title={text('download')}
                    className="inline-flex size-8 items-center justify-center rounded-control outline-accent hover:bg-sunken focus-visible:outline-2 pointer-coarse:size-11"
                  >
                    <Download {...icon} />
                  </a>
                  <Base.Close render={<IconButton label={text('close')} icon={<X {...icon} />} />} />
                </header>
                <div className="relative min-h-0 flex-1">
                  <div
                    className={classes(
                      'absolute inset-0 flex',
                      isWhole ? 'overflow-auto' : 'items-center justify-center overflow-hidden p-2',
                    )}
                  >
                    <Media item={current} alt={altOf(current)} isWhole={isWhole} />
                  </div>
                  <Step side="left" label={text('previous')} isOff={at <= 0} onClick={() => moveTo(at - 1)} />
                  <Step
                    side="right"
                    label={text('next')}
                    isOff={at < 0 || at >= items.length - 1}
                    onClick={() => moveTo(at + 1)}
                  />
                </div>
              </div>
              {side ? (
                <aside className="overflow-y-auto border-border bg-surface max-md:max-h-[60dvh] max-md:rounded-t-dialog max-md:border-t max-md:shadow-layer md:w-[24rem] md:border-l">
                  {side}
                </aside>
              ) : null}
            </>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

function Media({ item, alt, isWhole }: { item: Picture; alt: string; isWhole: boolean }) {
  const text = useText('pictures');
  const address = fileAddress(item);
  const kind = mediaKindOf(item.contentType);
  if (kind === 'picture') {
    const look = isWhole ? 'm-auto max-w-none' : 'max-h-full max-w-full object-contain';
    return <img key={item.fileId} src={address} alt={alt} className={look} />;
  }
  if (kind === 'video') {
    return (
      // biome-ignore lint/a11y/useMediaCaption: what a workflow makes has no captions
      <video key={item.fileId} src={address} controls className="max-h-full max-w-full" aria-label={alt} />
    );
  }
  if (kind === 'audio') {
    // biome-ignore lint/a11y/useMediaCaption: what a workflow makes has no captions
    return <audio key={item.fileId} src={address} controls aria-label={alt} />;
  }
  return (
    <div className="m-auto flex max-w-[40ch] flex-col items-center gap-3 p-4 text-center text-body text-text-2">
      <p>{text('notShown', { type: item.contentType })}</p>
      <a
        href={address}
        download={item.filename}
        className="inline-flex h-8 items-center gap-2 rounded-control border border-control bg-surface px-3 font-medium text-text outline-accent hover:bg-sunken focus-visible:outline-2 pointer-coarse:h-11"
      >
        <Download size={16} strokeWidth={1.75} aria-hidden />
        {text('download')}
      </a>
    </div>
  );
}

function Step({
  side,
  label,
  isOff,
  onClick,
}: {
  side: 'left' | 'right';
  label: string;
  isOff: boolean;
  onClick: () => void;
}) {
  if (isOff) return null;
  return (
    <div className={classes('absolute inset-y-0 flex items-center', side === 'left' ? 'left-1' : 'right-1')}>
      <IconButton
        label={label}
        variant="quiet"
        icon={side === 'left' ? <ChevronLeft {...icon} /> : <ChevronRight {...icon} />}
        onClick={onClick}
      />
    </div>
  );
}

/** Keys belong to a text or a player that has the focus. */
function isControl(target: EventTarget): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input, textarea, select, video, audio, [role="slider"]') !== null
  );
}

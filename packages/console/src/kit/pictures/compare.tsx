import { Columns2, Contrast, Scan, SeparatorVertical, ZoomIn, ZoomOut } from 'lucide-react';
import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react';
import { useFormat } from '../../lib/format/use-format.ts';
import { useText } from '../../lib/i18n.ts';
import { Button, IconButton } from '../button.tsx';
import { classes, focusRing } from '../parts/classes.ts';
import { compareAt, compareMove, moved, viewAfterKey, zoomed, zoomStep } from './compare-view.ts';
import { type Difference, drawDifference } from './difference.ts';
import { fileAddress, mediaKindOf, type Picture } from './picture.ts';
import { type Size, wholePicture, type Zoom } from './zoom.ts';

const modes = ['slider', 'side', 'difference'] as const;
type Mode = (typeof modes)[number];

const icon = { size: 16, strokeWidth: 1.75, 'aria-hidden': true } as const;
const modeIcons = {
  slider: <SeparatorVertical {...icon} />,
  side: <Columns2 {...icon} />,
  difference: <Contrast {...icon} />,
};
/** Pixels are shown as squares from this zoom on. */
const squareZoom = 4;

/** Two to four pictures with the same zoom and place in all: side by side, or two of them in one place. */
export function Compare({
  pictures: given,
  stage,
}: {
  pictures: readonly Picture[];
  /** The place of the pictures, which takes the keys. A window gives it the focus first. */
  stage?: RefObject<HTMLDivElement | null>;
}) {
  const text = useText('pictures');
  const [sizes, setSizes] = useState<Readonly<Record<string, Size>>>({});
  // Where the caller does not know a size, the picture itself says it.
  const pictures = given.map((picture) => ({
    ...picture,
    ...(picture.width === null && sizes[picture.fileId]),
  }));
  const onSize = ({ fileId }: Picture, size: Size) => {
    setSizes((before) => (fileId in before ? before : { ...before, [fileId]: size }));
  };
  const [mode, setMode] = useState<Mode>(pictures.length === 2 ? 'slider' : 'side');
  const [view, setView] = useState(wholePicture);
  const [left, right] = pictures;
  const isPair = pictures.length === 2 && left !== undefined && right !== undefined;
  const shown = isPair ? mode : 'side';
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const chosen = isPair ? modes[Number(event.key) - 1] : undefined;
    const next = viewAfterKey(view, event.key);
    if (chosen !== undefined) setMode(chosen);
    else if (next !== null) setView(next);
    else return;
    event.preventDefault();
  };
  const pane = { view, onView: setView, onSize };
  return (
    <figure className="flex min-h-0 min-w-0 flex-1 flex-col gap-2" onKeyDown={onKey}>
      <div className="flex flex-wrap items-center gap-1">
        {isPair ? (
          <fieldset className="flex gap-1 border-0 p-0">
            <legend className="sr-only">{text('compare.mode')}</legend>
            {modes.map((each, index) => (
              <Button
                key={each}
                size="s"
                variant={shown === each ? 'quiet' : 'plain'}
                aria-pressed={shown === each}
                aria-keyshortcuts={String(index + 1)}
                icon={modeIcons[each]}
                onClick={() => setMode(each)}
              >
                {text(`compare.${each}`)}
              </Button>
            ))}
          </fieldset>
        ) : null}
        <ZoomButtons {...pane} />
      </div>
      <Panes label={text('compare.stage')} stage={stage} {...pane}>
        {shown === 'slider' && isPair ? <Slider left={left} right={right} {...pane} /> : null}
        {shown === 'difference' && isPair ? <DifferencePane left={left} right={right} {...pane} /> : null}
        {shown === 'side' ? <SideBySide pictures={pictures} {...pane} /> : null}
      </Panes>
    </figure>
  );
}

interface PaneProps {
  view: Zoom;
  onView: (view: Zoom) => void;
}

interface PicturesProps extends PaneProps {
  onSize: (picture: Picture, size: Size) => void;
}

function ZoomButtons({ view, onView }: PaneProps) {
  const text = useText('pictures');
  const format = useFormat();
  return (
    <div className="ml-auto flex items-center gap-1">
      <span role="status" className="min-w-12 text-right text-table text-text-2 tabular-nums">
        {format.percent(view.scale * 100)}
      </span>
      <IconButton
        label={text('zoom.out')}
        aria-keyshortcuts="-"
        icon={<ZoomOut {...icon} />}
        onClick={() => onView(zoomed(view, 1 / zoomStep))}
      />
      <IconButton
        label={text('zoom.in')}
        aria-keyshortcuts="+"
        icon={<ZoomIn {...icon} />}
        onClick={() => onView(zoomed(view, zoomStep))}
      />
      <IconButton
        label={text('zoom.whole')}
        aria-keyshortcuts="0"
        icon={<Scan {...icon} />}
        onClick={() => onView(wholePicture)}
      />
    </div>
  );
}

/** Gets the focus for the keys. The wheel zooms with Ctrl and moves a zoomed picture. */
function Panes({
  label,
  stage: given,
  view,
  onView,
  children,
}: PaneProps & { label: string; stage: RefObject<HTMLDivElement | null> | undefined; children: ReactNode }) {
  const own = useRef<HTMLDivElement>(null);
  const stage = given ?? own;
  const onWheel = useRef<(event: WheelEvent) => void>(() => undefined);
  useEffect(() => {
    onWheel.current = (event) => {
      const isZoom = event.ctrlKey || event.metaKey;
      if (!isZoom && view.scale === 1) return;
      event.preventDefault();
      const { width, height } = sizeOf(event.currentTarget);
      if (isZoom) onView(zoomed(view, event.deltaY < 0 ? zoomStep : 1 / zoomStep));
      else onView(moved(view, { x: -event.deltaX / width, y: -event.deltaY / height }));
    };
  });
  useEffect(() => {
    const { current } = stage;
    const listen = (event: WheelEvent) => onWheel.current(event);
    // React's own listener cannot keep the page from scrolling.
    current?.addEventListener('wheel', listen, { passive: false });
    return () => current?.removeEventListener('wheel', listen);
  }, [stage]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is not a place that gets the focus
    <div
      ref={stage}
      role="group"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move what is seen here
      tabIndex={0}
      data-compare-stage
      className={classes(focusRing, 'flex min-h-0 min-w-0 flex-1 flex-col gap-2 rounded-card')}
    >
      {children}
    </div>
  );
}

function SideBySide({ pictures, view, onView, onSize }: PicturesProps & { pictures: readonly Picture[] }) {
  const columns = pictures.length > 2 ? 'grid-cols-2 lg:grid-cols-4' : 'grid-cols-1 sm:grid-cols-2';
  return (
    <div className={classes('grid min-h-0 flex-1 auto-rows-fr gap-2', columns)}>
      {pictures.map((picture, index) => (
        <div key={picture.fileId} className="flex min-h-0 min-w-0 flex-col gap-1">
          <Pane view={view} onView={onView}>
            <Layer picture={picture} view={view} onSize={onSize} />
          </Pane>
          <Caption picture={picture} index={index} />
        </div>
      ))}
    </div>
  );
}

interface PairProps extends PicturesProps {
  left: Picture;
  right: Picture;
}

/** Two pictures in one place. The edge between them follows the pointer and the arrow keys. */
function Slider({ left, right, view, onView, onSize }: PairProps) {
  const text = useText('pictures');
  const [at, setAt] = useState(50);
  const box = useRef<HTMLDivElement>(null);
  const follow = (event: PointerEvent) => {
    if (event.buttons !== 1 || box.current === null) return;
    setAt(compareAt(event.clientX, box.current.getBoundingClientRect()));
  };
  const onKey = (event: KeyboardEvent) => {
    const next = compareMove(at, event);
    if (next === null) return;
    event.preventDefault();
    setAt(next);
  };
  return (
    <>
      <Pane view={view} onView={onView} box={box} onDrag={view.scale === 1 ? follow : undefined}>
        <Layer picture={right} view={view} onSize={onSize} />
        <div className="absolute inset-0" style={{ clipPath: `inset(0 ${100 - at}% 0 0)` }}>
          <Layer picture={left} view={view} onSize={onSize} />
        </div>
        <div
          role="slider"
          tabIndex={0}
          aria-label={text('edge')}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(at)}
          aria-valuetext={text('edgeAt', { percent: Math.round(at) })}
          onKeyDown={onKey}
          onPointerDown={(event) => {
            event.stopPropagation();
            event.currentTarget.setPointerCapture(event.pointerId);
          }}
          onPointerMove={follow}
          className="absolute inset-y-0 flex w-8 -translate-x-1/2 cursor-ew-resize touch-none items-center justify-center outline-none focus-visible:[&>span]:bg-accent forced-colors:focus-visible:[&>span]:bg-[Highlight]"
          style={{ left: `${at}%` }}
        >
          <span aria-hidden className="h-full w-0.5 bg-surface shadow-layer forced-colors:bg-[CanvasText]" />
        </div>
      </Pane>
      <Captions left={left} right={right} />
    </>
  );
}

type Drawn = { difference: Difference } | { failed: true } | null;

function DifferencePane({ left, right, view, onView }: PairProps) {
  const text = useText('pictures');
  const format = useFormat();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [drawn, setDrawn] = useState<Drawn>(null);
  const [before, after] = [fileAddress(left), fileAddress(right)];
  useEffect(() => {
    let isCurrent = true;
    const { current } = canvas;
    if (current === null) return;
    drawDifference(current, before, after).then(
      (difference) => isCurrent && setDrawn({ difference }),
      () => isCurrent && setDrawn({ failed: true }), // the sentence below says what to do
    );
    return () => {
      isCurrent = false;
    };
  }, [before, after]);
  const said = () => {
    if (drawn === null) return text('compare.counting');
    if ('failed' in drawn) return text('compare.failed');
    const { share, largest } = drawn.difference;
    if (largest === 0) return text('compare.equal');
    const percent = share < 0.01 ? `< ${format.percent(1)}` : format.percent(share * 100);
    return text('compare.differ', { percent, largest });
  };
  return (
    <>
      <Pane view={view} onView={onView}>
        <canvas
          ref={canvas}
          role="img"
          aria-label={text('compare.picture', { left: left.filename, right: right.filename })}
          className={layerLook(view)}
          style={placeOf(view)}
        />
      </Pane>
      <p role="status" className="text-table">
        {said()}
      </p>
      <Captions left={left} right={right} />
    </>
  );
}

/** The box of a picture. A drag moves what is seen in all boxes. */
function Pane({
  view,
  onView,
  box,
  onDrag,
  children,
}: PaneProps & {
  box?: RefObject<HTMLDivElement | null>;
  /** What a drag does in place of that. */
  onDrag?: ((event: PointerEvent) => void) | undefined;
  children: ReactNode;
}) {
  const move = (event: PointerEvent) => {
    if (event.buttons !== 1) return;
    if (onDrag) return onDrag(event);
    const { width, height } = sizeOf(event.currentTarget);
    onView(moved(view, { x: event.movementX / width, y: event.movementY / height }));
  };
  return (
    <div
      ref={box}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        onDrag?.(event);
      }}
      onPointerMove={move}
      className="relative min-h-32 flex-1 touch-pinch-zoom overflow-hidden rounded-card bg-sunken select-none"
    >
      {children}
    </div>
  );
}

function Layer({ picture, view, onSize }: Pick<PicturesProps, 'view' | 'onSize'> & { picture: Picture }) {
  const text = useText('pictures');
  const [isGone, setGone] = useState(false);
  if (mediaKindOf(picture.contentType) !== 'picture' || isGone) {
    return (
      <p className="absolute inset-0 m-auto size-fit max-w-[36ch] p-4 text-body text-text-2">
        {isGone
          ? text('compare.gone', { name: picture.filename })
          : text('notShown', { type: picture.contentType })}
      </p>
    );
  }
  return (
    <img
      src={fileAddress(picture)}
      alt={picture.filename}
      draggable={false}
      onLoad={({ currentTarget }) =>
        onSize(picture, { width: currentTarget.naturalWidth, height: currentTarget.naturalHeight })
      }
      onError={() => setGone(true)}
      className={layerLook(view)}
      style={placeOf(view)}
    />
  );
}

function layerLook({ scale }: Zoom): string {
  return classes(
    'pointer-events-none absolute inset-0 size-full object-contain',
    scale >= squareZoom ? '[image-rendering:pixelated]' : undefined,
  );
}

function placeOf({ scale, x, y }: Zoom) {
  return { transform: `scale(${scale}) translate(${(0.5 - x) * 100}%, ${(0.5 - y) * 100}%)` };
}

function Captions({ left, right }: { left: Picture; right: Picture }) {
  return (
    <div className="grid grid-cols-2 gap-4">
      <Caption picture={left} index={0} />
      <Caption picture={right} index={1} />
    </div>
  );
}

/** The letter of the picture, which heads its column among the differences as well, its name and its size. */
function Caption({ picture, index }: { picture: Picture; index: number }) {
  const { filename, width, height } = picture;
  return (
    <p className="flex min-w-0 gap-2 text-table text-text-2">
      <span className="font-medium text-text">{letterOf(index)}</span>
      <span title={filename} className="min-w-0 truncate">
        {filename}
      </span>
      {width === null || height === null ? null : (
        <span className="ml-auto shrink-0 tabular-nums">
          {width} × {height}
        </span>
      )}
    </p>
  );
}

/** The pictures are A, B, C and D, on the pictures and in the table of what differs. */
export function letterOf(index: number): string {
  return 'ABCD'[index] ?? '';
}

function sizeOf(target: EventTarget | null): Size {
  const { clientWidth = 1, clientHeight = 1 } = target instanceof HTMLElement ? target : {};
  return { width: Math.max(1, clientWidth), height: Math.max(1, clientHeight) };
}

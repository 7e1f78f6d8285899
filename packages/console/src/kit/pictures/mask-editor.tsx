import type { MaskPlace } from '@switchyard/contract/dispatch/file';
import { useMutation } from '@tanstack/react-query';
import {
  Brush,
  Eraser,
  Redo2,
  RotateCcw,
  Scan,
  SquareSplitHorizontal,
  Undo2,
  ZoomIn,
  ZoomOut,
} from 'lucide-react';
import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react';
import { useFormat } from '../../lib/format/use-format.ts';
import { gateway } from '../../lib/gateway.ts';
import { useGatewayWords } from '../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../lib/i18n.ts';
import { shortcutChoice } from '../../lib/shortcut-choice.ts';
import { Button, IconButton } from '../button.tsx';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { classes, focusRing } from '../parts/classes.ts';
import { FullWindow } from './full-window.tsx';
import { contextOf, drawMaskOf, drawSegment, drawStep, maskFileOf } from './mask-canvas.ts';
import { type MaskedFile, type MaskFiles, type OpenedMask, useOpenedMask } from './mask-file.ts';
import {
  brushMove,
  brushRadii,
  emptyHistory,
  type MaskHistory,
  type MaskStep,
  maskSizeOf,
  type Point,
  redo,
  undo,
  withStep,
} from './mask-strokes.ts';

export interface MaskEditorProps extends MaskFiles {
  place: MaskPlace;
  onPainted: (file: MaskedFile) => void;
  onClose: () => void;
}

const icon = { size: 16, strokeWidth: 1.75, 'aria-hidden': true } as const;
const brush = { least: 1, most: 400, usualShare: 0.04, step: 1.25 };
const zoom = { step: 1.5, most: 16 };

/** Paints a mask over a picture, by pointer, finger or keyboard, and stores it. */
export function MaskEditor(props: MaskEditorProps) {
  const text = useText('pictures');
  const opened = useOpenedMask(props);
  if (opened.state === 'ready') return <Painting {...props} opened={opened} />;
  const said = opened.state === 'failed' ? opened.message : text('mask.opening');
  return (
    <FullWindow title={text('mask.title', { name: nameOf(props) })} onClose={props.onClose}>
      <p role="status" className="m-auto max-w-[48ch] p-4 text-body">
        {said}
      </p>
    </FullWindow>
  );
}

function nameOf({ mask, picture }: MaskFiles): string {
  return (picture ?? mask)?.filename ?? '';
}

function Painting({
  place,
  opened,
  onPainted,
  onClose,
  ...files
}: MaskEditorProps & { opened: Extract<OpenedMask, { state: 'ready' }> }) {
  const text = useText('pictures');
  const words = useGatewayWords();
  const mask = useMask(opened, place);
  const [erases, setErases] = useState(false);
  const [scale, setScale] = useState(1);
  const [isLeaving, setLeaving] = useState(false);
  const stage = useRef<HTMLDivElement>(null);
  const save = useMutation({
    mutationFn: async () =>
      gateway.upload(await maskFileOf(mask.canvas()), {
        filename: `${nameOf(files).replace(/(-mask)?\.\w+$/, '')}-mask.png`,
        maskOf: opened.maskOf,
        maskPlace: place,
      }),
    onSuccess: ({ fileId, filename }) => onPainted({ fileId, filename }),
  });
  const close = () => (mask.isChanged ? setLeaving(true) : onClose());
  const zoomBy = (factor: number) => setScale(Math.min(zoom.most, Math.max(1, scale * factor)));
  const shortcuts: Record<string, () => void> = {
    b: () => setErases(false),
    e: () => setErases(true),
    i: () => mask.add({ kind: 'invert' }),
    '[': () => mask.resize(1 / brush.step),
    ']': () => mask.resize(brush.step),
    '+': () => zoomBy(zoom.step),
    '=': () => zoomBy(zoom.step),
    '-': () => zoomBy(1 / zoom.step),
    '0': () => setScale(1),
  };
  const commands: Record<string, () => void> = { z: mask.undo, Z: mask.redo, y: mask.redo };
  const onKey = (event: KeyboardEvent) => {
    // Nothing is written here, and the slider of the size leaves these keys alone.
    if (event.altKey) return;
    const isCommand = event.ctrlKey || event.metaKey;
    if (!isCommand && shortcutChoice.read() === 'off') return;
    const effect = (isCommand ? commands : shortcuts)[event.key];
    if (effect === undefined) return;
    event.preventDefault();
    effect();
  };
  return (
    <FullWindow
      title={text('mask.title', { name: nameOf(files) })}
      onClose={close}
      onKeyDown={onKey}
      initialFocus={stage}
      actions={
        <Button variant="solid" isBusy={save.isPending} onClick={() => save.mutate()}>
          {text(save.isPending ? 'mask.saving' : 'mask.save')}
        </Button>
      }
    >
      <div
        role="toolbar"
        aria-label={text('mask.tools')}
        className="flex flex-wrap items-center gap-1 px-2 pb-2"
      >
        <Tool label={text('mask.brush')} keys="b" isOn={!erases} onClick={() => setErases(false)}>
          <Brush {...icon} />
        </Tool>
        <Tool label={text('mask.eraser')} keys="e" isOn={erases} onClick={() => setErases(true)}>
          <Eraser {...icon} />
        </Tool>
        <BrushSize radius={mask.radius} most={mask.maxRadius} onRadius={mask.setRadius} />
        <Tool label={text('mask.invert')} keys="i" onClick={() => mask.add({ kind: 'invert' })}>
          <SquareSplitHorizontal {...icon} />
        </Tool>
        <Tool label={text('mask.clear')} onClick={() => mask.add({ kind: 'clear' })}>
          <RotateCcw {...icon} />
        </Tool>
        <Tool label={text('mask.undo')} keys="Control+Z" isOff={!mask.canUndo} onClick={mask.undo}>
          <Undo2 {...icon} />
        </Tool>
        <Tool label={text('mask.redo')} keys="Control+Shift+Z" isOff={!mask.canRedo} onClick={mask.redo}>
          <Redo2 {...icon} />
        </Tool>
        <span className="flex gap-1 sm:ml-auto">
          <Tool label={text('zoom.out')} keys="-" isOff={scale === 1} onClick={() => zoomBy(1 / zoom.step)}>
            <ZoomOut {...icon} />
          </Tool>
          <Tool label={text('zoom.in')} keys="+" onClick={() => zoomBy(zoom.step)}>
            <ZoomIn {...icon} />
          </Tool>
          <Tool label={text('zoom.whole')} keys="0" isOff={scale === 1} onClick={() => setScale(1)}>
            <Scan {...icon} />
          </Tool>
        </span>
      </div>
      {save.error ? (
        <p role="alert" className="px-4 pb-2 text-body text-failed">
          {words.error(save.error)}
        </p>
      ) : null}
      <Stage opened={opened} mask={mask} erases={erases} scale={scale} stage={stage} />
      <Notes opened={opened} size={mask.size} />
      <ConfirmDialog
        open={isLeaving}
        onClose={() => setLeaving(false)}
        title={text('mask.leave.title')}
        confirm={text('mask.leave.confirm')}
        onConfirm={onClose}
      >
        {text('mask.leave.text')}
      </ConfirmDialog>
    </FullWindow>
  );
}

function Tool({
  label,
  keys,
  isOn,
  isOff,
  onClick,
  children,
}: {
  label: string;
  keys?: string;
  isOn?: boolean;
  isOff?: boolean;
  onClick: () => void;
  children: ReactNode;
}) {
  return (
    <IconButton
      label={label}
      icon={children}
      aria-keyshortcuts={keys}
      aria-pressed={isOn}
      variant={isOn ? 'quiet' : 'plain'}
      disabled={isOff}
      onClick={onClick}
    />
  );
}

function BrushSize({
  radius,
  most,
  onRadius,
}: {
  radius: number;
  most: number;
  onRadius: (radius: number) => void;
}) {
  const text = useText('pictures');
  const format = useFormat();
  const radii = brushRadii({ least: brush.least, most });
  const across = format.count(Math.round(radius * 2));
  return (
    <label className="flex items-center gap-2 px-2 text-table text-text-2 max-sm:min-w-0 max-sm:flex-1 max-sm:basis-44">
      {text('mask.size')}
      <input
        type="range"
        min={0}
        max={radii.length - 1}
        value={radii.filter((each) => each <= radius).length - 1}
        aria-valuetext={across}
        aria-keyshortcuts="[ ]"
        onChange={(event) => onRadius(radii[Number(event.target.value)] ?? radius)}
        className={classes(
          focusRing,
          'h-8 w-40 accent-accent max-sm:min-w-0 max-sm:flex-1 pointer-coarse:h-11',
        )}
      />
      <span className="w-8 text-right text-text tabular-nums">{across}</span>
    </label>
  );
}

/** What a user should know of this mask before it is stored. */
function Notes({
  opened,
  size,
}: {
  opened: Extract<OpenedMask, { state: 'ready' }>;
  size: { width: number; height: number };
}) {
  const text = useText('pictures');
  const { naturalWidth, naturalHeight } = opened.picture;
  const isSmaller = size.width < naturalWidth;
  const notes = [
    ...(isSmaller ? [text('mask.smaller', { ...size, of: `${naturalWidth} × ${naturalHeight}` })] : []),
    ...(opened.isOriginalGone ? [text('mask.originalGone')] : []),
  ];
  return (
    <div className="px-4 py-2 text-table text-text-2">
      <p className="pointer-coarse:hidden">{text('mask.keys')}</p>
      <p className="hidden pointer-coarse:block">{text('mask.fingers')}</p>
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
    </div>
  );
}

type Mask = ReturnType<typeof useMask>;

/** The mask as it is painted: the canvas that shows it, and the steps that can be undone. */
function useMask(opened: Extract<OpenedMask, { state: 'ready' }>, place: MaskPlace) {
  const shown = useRef<HTMLCanvasElement | null>(null);
  const size = maskSizeOf({ width: opened.picture.naturalWidth, height: opened.picture.naturalHeight });
  const [settled] = useState(() => begunMask(opened, { size, place }));
  const [history, setHistory] = useState<MaskHistory>(emptyHistory);
  const [radius, setRadius] = useState(() =>
    Math.max(brush.least, Math.round(Math.min(size.width, size.height) * brush.usualShare)),
  );
  const maxRadius = Math.min(brush.most, Math.max(size.width, size.height));
  // The window that holds the canvas is mounted later than the mask.
  const attach = useCallback(
    (canvas: HTMLCanvasElement | null) => {
      shown.current = canvas;
      redraw(canvas, settled, []);
    },
    [settled],
  );
  const show = (next: MaskHistory) => {
    setHistory(next);
    redraw(shown.current, settled, next.steps);
  };
  return {
    attach,
    size,
    radius,
    maxRadius,
    setRadius,
    resize: (factor: number) => {
      const next = factor > 1 ? Math.ceil(radius * factor) : Math.floor(radius * factor);
      setRadius(Math.min(maxRadius, Math.max(brush.least, next)));
    },
    /** A stroke is on the canvas already. */
    add: (step: MaskStep, { isDrawn = false } = {}) => {
      const added = withStep(history, step);
      if (added.settled) drawStep(contextOf(settled), added.settled);
      if (isDrawn) setHistory(added.history);
      else show(added.history);
    },
    undo: () => show(undo(history)),
    redo: () => show(redo(history)),
    restore: () => show(history),
    canUndo: history.steps.length > 0,
    canRedo: history.undone.length > 0,
    isChanged: history.steps.length > 0,
    canvas: () => {
      if (shown.current === null) throw new Error('The mask is not shown.');
      return shown.current;
    },
  };
}

/** Returns a canvas with the mask that the file has. */
function begunMask(
  { mask }: Extract<OpenedMask, { state: 'ready' }>,
  { size, place }: { size: { width: number; height: number }; place: MaskPlace },
): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = size.width;
  canvas.height = size.height;
  if (mask) drawMaskOf(contextOf(canvas), mask, { isMask: place === 'channel' });
  return canvas;
}

function redraw(
  shown: HTMLCanvasElement | null,
  settled: HTMLCanvasElement,
  steps: readonly MaskStep[],
): void {
  if (shown === null) return;
  const context = contextOf(shown);
  context.globalCompositeOperation = 'copy';
  context.drawImage(settled, 0, 0);
  for (const step of steps) drawStep(context, step);
}

interface StageProps {
  opened: Extract<OpenedMask, { state: 'ready' }>;
  mask: Mask;
  erases: boolean;
  scale: number;
  stage: RefObject<HTMLDivElement | null>;
}

/** The picture with the mask over it. The brush follows the pointer and the arrow keys. */
function Stage({ opened, mask, erases, scale, stage }: StageProps) {
  const text = useText('pictures');
  const { size, radius } = mask;
  const box = useRef<HTMLDivElement>(null);
  const ring = useRef<HTMLSpanElement>(null);
  const [at, setAt] = useState<Point>({ x: size.width / 2, y: size.height / 2 });
  const fit = useFit(box, size);
  const stroke = useStroke(mask, erases);
  const cssPixels = fit * scale;
  const pointOf = (event: PointerEvent, { clientX, clientY }: { clientX: number; clientY: number }) => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    return { x: (clientX - left) / cssPixels, y: (clientY - top) / cssPixels };
  };
  const onPointer = (event: PointerEvent) => {
    const moves = event.nativeEvent.getCoalescedEvents?.() ?? [];
    for (const move of moves.length > 0 ? moves : [event]) stroke.extend(pointOf(event, move));
    setAt(pointOf(event, event));
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = brushMove(at, event, { radius, ...size });
    if (next !== null) {
      setAt(next);
      stroke.extend(next);
      requestAnimationFrame(() => ring.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' }));
    } else if (event.key === ' ' && !event.repeat) stroke.begin(at);
    else if (event.key === 'Enter') stroke.isDown() ? stroke.end() : stroke.begin(at);
    else if (event.key !== ' ') return;
    event.preventDefault();
  };
  return (
    <div ref={box} className="flex min-h-0 flex-1 overflow-auto bg-sunken">
      <div
        ref={stage}
        role="application"
        aria-label={text('mask.stage')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the brush is moved by the arrow keys here
        tabIndex={0}
        onKeyDown={onKey}
        onKeyUp={(event) => event.key === ' ' && stroke.end()}
        onBlur={stroke.end}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          stroke.begin(pointOf(event, event));
          setAt(pointOf(event, event));
        }}
        onPointerMove={onPointer}
        onPointerUp={stroke.end}
        onPointerCancel={stroke.drop}
        className={classes(
          focusRing,
          '-outline-offset-2! relative m-auto shrink-0 cursor-none touch-pinch-zoom overflow-hidden select-none',
        )}
        style={{ width: Math.floor(size.width * cssPixels), height: Math.floor(size.height * cssPixels) }}
      >
        <img src={opened.picture.src} alt="" draggable={false} className="absolute inset-0 size-full" />
        <canvas
          ref={mask.attach}
          width={size.width}
          height={size.height}
          className="absolute inset-0 size-full opacity-60"
        />
        <span
          ref={ring}
          aria-hidden
          className={classes(
            'pointer-events-none absolute -translate-1/2 rounded-full border-2 border-[#fff] outline-1 outline-[#000]',
            erases ? 'border-dashed' : undefined,
          )}
          style={{
            left: at.x * cssPixels,
            top: at.y * cssPixels,
            width: Math.max(4, radius * 2 * cssPixels),
            height: Math.max(4, radius * 2 * cssPixels),
          }}
        />
        <span role="status" className="sr-only">
          {text('mask.position', { x: Math.round(at.x), y: Math.round(at.y) })}
        </span>
      </div>
    </div>
  );
}

/** A stroke from the moment at which the brush comes down to the moment at which it is lifted. */
function useStroke(mask: Mask, erases: boolean) {
  const points = useRef<Point[] | null>(null);
  const draw = (from: Point, to: Point) =>
    drawSegment(contextOf(mask.canvas()), { erases, radius: mask.radius }, { from, to });
  return {
    isDown: () => points.current !== null,
    begin: (point: Point) => {
      points.current = [point];
      draw(point, point);
    },
    extend: (point: Point) => {
      const last = points.current?.at(-1);
      if (last === undefined) return;
      points.current?.push(point);
      draw(last, point);
    },
    end: () => {
      const made = points.current;
      points.current = null;
      if (made === null) return;
      mask.add({ kind: 'stroke', erases, radius: mask.radius, points: made }, { isDrawn: true });
    },
    /** Two fingers zoom the page, so what the first of them began is not a stroke. */
    drop: () => {
      if (points.current === null) return;
      points.current = null;
      mask.restore();
    },
  };
}

/** Returns the size of a pixel of the mask at which all of it is seen. */
function useFit(box: RefObject<HTMLDivElement | null>, size: { width: number; height: number }): number {
  const [fit, setFit] = useState(1);
  const { width, height } = size;
  useEffect(() => {
    const { current } = box;
    if (current === null) return;
    const measure = () =>
      setFit(Math.max(0.01, Math.min(current.offsetWidth / width, current.offsetHeight / height)));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, [box, width, height]);
  return fit;
}

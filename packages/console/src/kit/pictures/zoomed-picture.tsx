import { type PointerEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { movedBy, placeInBox, type Size, wholePicture, type Zoom, zoomedBy } from './zoom.ts';

/** The steps by which a picture is made larger or smaller, and moved. */
export interface ZoomControl {
  toggle: () => void;
  by: (factor: number) => void;
  move: (x: -1 | 0 | 1, y: -1 | 0 | 1) => void;
}

/** A key moves the picture by such a share of its box. */
const moveShare = 0.2;
const wheelFactor = 1.2;

/**
 * One picture that fills the box around it. The zoom is given from outside, so that it stays while another picture takes this
 * one's place. The last picture stays until the next one has been loaded.
 */
export function ZoomedPicture({
  src,
  alt,
  zoom,
  onZoom,
  control,
  onGone,
}: {
  src: string;
  alt: string;
  zoom: Zoom;
  onZoom: (zoom: Zoom) => void;
  /** Filled with the steps that keys and buttons take. */
  control?: RefObject<ZoomControl | null>;
  /** The picture cannot be loaded. */
  onGone?: () => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const size = useSize(box);
  const loaded = useLoaded(src, alt, onGone);
  const picture = loaded?.size;
  const isZoomed = zoom.scale > 1;
  /** The zoom at which one pixel of the picture is one of the screen; a small picture is shown twice as large. */
  const toggled = (at?: { x: number; y: number }): Zoom => {
    if (isZoomed || !picture) return wholePicture;
    const natural = picture.width / window.devicePixelRatio / placeInBox(wholePicture, picture, size).width;
    return zoomedBy(zoom, natural > 1.05 ? natural : 2, { picture, box: size, ...(at && { at }) });
  };
  const by = (factor: number, at?: { x: number; y: number }) =>
    picture && onZoom(zoomedBy(zoom, factor, { picture, box: size, ...(at && { at }) }));
  const move = (pixels: { x: number; y: number }) =>
    picture && isZoomed && onZoom(movedBy(zoom, pixels, picture, size));
  useEffect(() => {
    if (!control) return;
    control.current = {
      toggle: () => onZoom(toggled()),
      by,
      move: (x, y) => move({ x: x * moveShare * size.width, y: y * moveShare * size.height }),
    };
  });
  useWheel(box, (event, at) => {
    // A wheel scrolls the page until the picture has been zoomed.
    if (!isZoomed && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    by(event.deltaY < 0 ? wheelFactor : 1 / wheelFactor, at);
  });
  const onPointerMove = (event: PointerEvent) => {
    if (event.buttons === 1 && isZoomed) move({ x: event.movementX, y: event.movementY });
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys and buttons of the page take the same steps by `control`
    <div
      ref={box}
      onDoubleClick={(event) => onZoom(toggled(pointIn(box.current, event)))}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onPointerMove}
      className={`absolute inset-0 overflow-hidden select-none ${isZoomed ? 'cursor-grab touch-none active:cursor-grabbing' : 'cursor-zoom-in'}`}
    >
      {loaded && size.width > 0 ? (
        <img
          src={loaded.src}
          alt={loaded.alt}
          draggable={false}
          className="absolute max-w-none"
          style={placeInBox(zoom, loaded.size, size)}
        />
      ) : null}
    </div>
  );
}

interface Loaded {
  src: string;
  alt: string;
  size: Size;
}

function useLoaded(src: string, alt: string, onGone: (() => void) | undefined): Loaded | null {
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const gone = useRef(onGone);
  useEffect(() => {
    gone.current = onGone;
  });
  useEffect(() => {
    const image = new Image();
    image.onload = () => {
      // A picture without a size of its own would be divided by nothing.
      const size = { width: image.naturalWidth || 1, height: image.naturalHeight || 1 };
      setLoaded({ src, alt, size });
    };
    image.onerror = () => gone.current?.();
    image.src = src;
    return () => {
      image.onload = null;
      image.onerror = null;
    };
  }, [src, alt]);
  return loaded;
}

function useSize(element: RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const measure = () => setSize({ width: current.clientWidth, height: current.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return size;
}

/** React listens for wheels passively, so that it could not keep the page from scrolling. */
function useWheel(
  element: RefObject<HTMLElement | null>,
  onWheel: (event: WheelEvent, at: { x: number; y: number }) => void,
): void {
  const current = useRef(onWheel);
  useEffect(() => {
    current.current = onWheel;
  });
  useEffect(() => {
    const target = element.current;
    const listen = (event: WheelEvent) => current.current(event, pointIn(target, event));
    target?.addEventListener('wheel', listen, { passive: false });
    return () => target?.removeEventListener('wheel', listen);
  }, [element]);
}

function pointIn(element: HTMLElement | null, { clientX, clientY }: { clientX: number; clientY: number }) {
  const { left = 0, top = 0 } = element?.getBoundingClientRect() ?? {};
  return { x: clientX - left, y: clientY - top };
}

import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import { useText } from '../../lib/i18n.ts';
import { compareAt, compareMove } from './compare-position.ts';
import { fileAddress, type Picture } from './picture.ts';

/** Two pictures in one place. The edge between them follows the pointer and the arrow keys. */
export function Compare({ left, right }: { left: Picture; right: Picture }) {
  const text = useText('pictures');
  const box = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(50);
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
    <figure className="flex min-h-0 min-w-0 flex-1 flex-col gap-2">
      <div
        ref={box}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          follow(event);
        }}
        onPointerMove={follow}
        className="relative min-h-0 flex-1 touch-none overflow-hidden rounded-card bg-sunken select-none"
      >
        <img src={fileAddress(right)} alt={right.filename} draggable={false} className={layer} />
        <img
          src={fileAddress(left)}
          alt={left.filename}
          draggable={false}
          className={layer}
          style={{ clipPath: `inset(0 ${100 - at}% 0 0)` }}
        />
        <div
          role="slider"
          tabIndex={0}
          aria-label={text('edge')}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(at)}
          aria-valuetext={text('edgeAt', { percent: Math.round(at) })}
          onKeyDown={onKey}
          className="absolute inset-y-0 flex w-8 -translate-x-1/2 cursor-ew-resize items-center justify-center outline-none focus-visible:[&>span]:bg-accent forced-colors:focus-visible:[&>span]:bg-[Highlight]"
          style={{ left: `${at}%` }}
        >
          <span aria-hidden className="h-full w-0.5 bg-surface shadow-layer forced-colors:bg-[CanvasText]" />
        </div>
      </div>
      <figcaption className="flex justify-between gap-4 text-table text-text-2">
        <span className="min-w-0 truncate">{left.filename}</span>
        <span className="min-w-0 truncate">{right.filename}</span>
      </figcaption>
    </figure>
  );
}

const layer = 'pointer-events-none absolute inset-0 size-full object-contain';

import { type ReactNode, useEffect, useRef } from 'react';
import { setPageTitle } from '../lib/document-title.ts';
import { classes } from './parts/classes.ts';

/** A page with its heading. The heading takes the focus when the page appears, so that a screen reader reads it. */
export function Page({
  title,
  lead,
  actions,
  fills = false,
  children,
}: {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  /** A large window is filled to its edges, and what is too long scrolls inside its part of the page. */
  fills?: boolean;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // To give the focus, the browser lays the page out; in the next frame it does so anyway.
    const frame = requestAnimationFrame(() => {
      const elsewhere = document.activeElement;
      // A control that took the focus while the page was made keeps it.
      if (elsewhere === null || elsewhere === document.body || !document.contains(elsewhere)) {
        heading.current?.focus({ preventScroll: true });
      }
    });
    return () => cancelAnimationFrame(frame);
  }, []);
  useEffect(() => {
    setPageTitle(title);
  }, [title]);
  return (
    <div
      className={classes(
        'mx-auto flex w-full min-w-0 flex-col gap-4 p-4',
        fills ? 'lg:h-[max(36rem,calc(100dvh-var(--bar)))]' : 'max-w-[80rem] sm:p-6',
      )}
    >
      <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-40">
          <h1 ref={heading} tabIndex={-1} className="text-title font-semibold break-words outline-none">
            {title}
          </h1>
          {lead ? <div className="mt-1 text-body text-text-2">{lead}</div> : null}
        </div>
        {actions ? <div className="flex flex-wrap items-center gap-2">{actions}</div> : null}
      </header>
      {children}
    </div>
  );
}

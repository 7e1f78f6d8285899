import { type ReactNode, useId } from 'react';

/** One part of the page. */
export function Part({ title, lead, children }: { title: string; lead: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex flex-col gap-3">
      <div className="border-b border-border pb-1">
        <h2 id={id} className="text-lead font-semibold">
          {title}
        </h2>
        <p className="text-table text-text-2">{lead}</p>
      </div>
      {children}
    </section>
  );
}

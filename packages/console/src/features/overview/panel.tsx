import { type ReactNode, useId } from 'react';

/** A part of the overview with its heading. */
export function Panel({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex min-w-0 flex-col gap-3">
      <div className="flex items-baseline justify-between gap-3">
        <h2 id={id} className="text-body font-semibold">
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

import { type ReactNode, useId } from 'react';

/** A part of a page with its heading. */
export function Section({
  title,
  aside,
  children,
}: {
  title: string;
  aside?: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex min-w-0 flex-col gap-2">
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-2">
        <h2 id={id} className="text-body font-semibold">
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

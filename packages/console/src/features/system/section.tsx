import { type ReactNode, useId } from 'react';

/** One part of the report. */
export function Section({ title, lead, children }: { title: string; lead?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex min-w-0 flex-col gap-2">
      <h2 id={id} className="border-b border-border pb-1 text-lead font-semibold">
        {title}
      </h2>
      {lead && <p className="text-table text-text-2">{lead}</p>}
      {children}
    </section>
  );
}

/** Names and values, one below the other. */
export function Values({ rows }: { rows: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[minmax(8rem,auto)_1fr] gap-x-4 gap-y-1 text-table">
      {rows.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-text-2">{name}</dt>
          <dd className="min-w-0 break-words tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

import type { ReactNode } from 'react';
import { Section } from '../src/kit/section.tsx';

/** One part of the console, in its states. */
export function Part({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="border-t border-border pt-4">
      <Section title={name}>
        <div className="grid min-w-0 gap-x-8 gap-y-4 md:grid-cols-2">{children}</div>
      </Section>
    </div>
  );
}

export function State({
  name,
  isWide = false,
  children,
}: {
  name: string;
  /** Takes the whole width. */
  isWide?: boolean;
  children: ReactNode;
}) {
  return (
    <div className={`flex min-w-0 flex-col gap-1 ${isWide ? 'md:col-span-2' : ''}`}>
      <p className="text-meta text-text-2">{name}</p>
      <div className="flex min-w-0 flex-wrap items-center gap-2">{children}</div>
    </div>
  );
}

/** Takes the width that the place has, which a row of controls would not. */
export function Full({ children }: { children: ReactNode }) {
  return <div className="w-full min-w-0">{children}</div>;
}

import type { ReactNode } from 'react';
import { CommandLine } from '../command-line.tsx';

/** A list without rows, with the reason and the next step. */
export function EmptyState({
  title,
  children,
  action,
  command,
}: {
  title: string;
  /** A text about the things that belong here, and how they get here. */
  children?: ReactNode;
  /** The one thing to do. */
  action?: ReactNode;
  /** The same thing as a command. */
  command?: string | undefined;
}) {
  return (
    <div className="flex max-w-[40rem] flex-col items-start gap-3 py-8">
      <p className="text-lead font-medium text-text">{title}</p>
      {children ? <div className="text-body text-text-2">{children}</div> : null}
      {action ? <div className="flex flex-wrap gap-2">{action}</div> : null}
      {command ? <CommandLine command={command} /> : null}
    </div>
  );
}

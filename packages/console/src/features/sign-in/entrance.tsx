import { type ReactNode, useEffect } from 'react';
import { PreferenceMenus } from '../../kit/preferences/preference-menus.tsx';
import { setPageTitle } from '../../lib/document-title.ts';

/** The page of a form that stands before the console. */
export function Entrance({
  title,
  lead,
  children,
}: {
  title: string;
  lead?: ReactNode;
  children: ReactNode;
}) {
  useEffect(() => {
    setPageTitle(title);
  }, [title]);
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="flex items-center justify-between gap-4 px-4 py-2 sm:px-6">
        <span className="flex items-center gap-2 text-body font-semibold">
          <img src="/icon.svg" alt="" className="size-5" />
          Switchyard
        </span>
        <div className="flex items-center gap-1">
          <PreferenceMenus />
        </div>
      </header>
      <main className="mx-auto flex w-full max-w-[22rem] flex-1 flex-col justify-center gap-4 px-4 pb-24">
        <div>
          <h1 className="text-title font-semibold">{title}</h1>
          {lead ? <p className="mt-1 text-body text-text-2">{lead}</p> : null}
        </div>
        {children}
      </main>
    </div>
  );
}

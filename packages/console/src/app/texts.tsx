import { type ReactNode, useEffect, useState } from 'react';
import { IntlProvider } from 'use-intl';
import { localeChoice } from '../lib/i18n.ts';
import type { Locale } from '../lib/locale-choice.ts';
import type { Texts as Messages } from './collect-messages.ts';
import { loadMessages } from './load-messages.ts';

interface Loaded {
  locale: Locale;
  messages: Messages;
}

/** Gives the page its texts. While another locale loads, the page keeps the one that it has. */
export function Texts({ children }: { children: ReactNode }) {
  const locale = localeChoice.use();
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  useEffect(() => {
    let isCurrent = true;
    void loadMessages(locale).then((messages) => isCurrent && setLoaded({ locale, messages }));
    return () => {
      isCurrent = false;
    };
  }, [locale]);
  useEffect(() => {
    if (loaded) document.documentElement.lang = loaded.locale;
  }, [loaded]);
  if (loaded === null) return null;
  return (
    <IntlProvider locale={loaded.locale} messages={loaded.messages} timeZone={timeZone}>
      {children}
    </IntlProvider>
  );
}

const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();

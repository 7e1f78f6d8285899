import { type ReactNode, useEffect, useState } from 'react';
import { IntlProvider } from 'use-intl';
import { type Locale, localeChoice } from '../lib/locale-choice.ts';
import type { Texts as Messages } from './collect-messages.ts';
import { loadMessages } from './load-messages.ts';

/** A locale with its messages. */
export interface LoadedTexts {
  locale: Locale;
  messages: Messages;
}

/** Gives the page its texts. While another locale loads, the page keeps the one that it has. */
export function Texts({ first, children }: { first: LoadedTexts; children: ReactNode }) {
  const locale = localeChoice.use();
  const [loaded, setLoaded] = useState(first);
  useEffect(() => {
    if (locale === loaded.locale) return;
    let isCurrent = true;
    void loadMessages(locale).then((messages) => isCurrent && setLoaded({ locale, messages }));
    return () => {
      isCurrent = false;
    };
  }, [locale, loaded]);
  useEffect(() => {
    document.documentElement.lang = loaded.locale;
  }, [loaded]);
  return (
    <IntlProvider locale={loaded.locale} messages={loaded.messages}>
      {children}
    </IntlProvider>
  );
}

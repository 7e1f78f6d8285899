import { useMemo } from 'react';
import { useFormat } from '../format/use-format.ts';
import { useText } from '../i18n.ts';
import {
  type GatewayMessage,
  type GatewayTexts,
  ownText,
  ownWords,
  wordError,
  wordSentences,
} from './gateway-words.ts';

export interface GatewayWords {
  /** Returns the text in the language of the page, or in the gateway's words. */
  said: (said: GatewayMessage) => string;
  error: (error: unknown) => string;
  /** Returns the text with this key, or the gateway's own. */
  known: (key: string, said: string, values?: Record<string, string>) => string;
}

/** Returns functions that put the gateway's messages into the language of the page. */
export function useGatewayWords(): GatewayWords {
  const text = useText('gateway-words');
  const format = useFormat();
  return useMemo(() => {
    const texts: GatewayTexts = {
      has: (key) => text.has(key),
      text: (key, values) => text(key, values),
      time: format.time,
    };
    return {
      said: (message) => wordSentences(message.sentences ?? [], texts) ?? ownText(message, texts),
      error: (error) => wordError(error, texts) ?? ownWords(error),
      known: (key, said, values) => (texts.has(key) ? texts.text(key, values) : said),
    };
  }, [text, format]);
}

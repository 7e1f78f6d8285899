import type { Sentence } from '@switchyard/contract/sentences/sentence';
import { useGatewayWords } from '../lib/gateway-words/use-gateway-words.ts';

/** A message of the gateway in the language of the page when that has a text for it, otherwise in English. */
export function GatewayText({
  message,
  sentences,
}: {
  message: string;
  /** The message as codes. */
  sentences: readonly Sentence[] | undefined;
}) {
  const words = useGatewayWords().said({ message, sentences });
  return words === message ? <span lang="en">{message}</span> : words;
}

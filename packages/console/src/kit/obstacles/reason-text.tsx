import { useFormat } from '../../lib/format/use-format.ts';
import type { ReasonSentence } from './obstacle-sentences.ts';
import { useSentence } from './use-sentence.ts';

/** The reason why an instance does not take a task, in the language of the page or in the gateway's words. */
export function ReasonText({ reason: { sentence, message } }: { reason: ReasonSentence }) {
  const say = useSentence('obstacles');
  return sentence === null ? <span lang="en">{message}</span> : say(sentence);
}

/** All of them, one after the other. */
export function ReasonTexts({ reasons }: { reasons: readonly ReasonSentence[] }) {
  const say = useSentence('obstacles');
  const format = useFormat();
  return format.sentences(
    reasons.map(({ sentence, message }) => (sentence === null ? message : say(sentence))),
  );
}

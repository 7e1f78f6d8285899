import { useFormat } from '../../lib/format/use-format.ts';
import { useText } from '../../lib/i18n.ts';

/** A text with its values. Times are ISO texts and durations seconds until they are worded. */
export interface Sentence {
  key: string;
  values: Record<string, string | number>;
}

/** Words a sentence from the texts of a part, with its times as this language writes them. */
export function useSentence(part: 'obstacles' | 'tasks'): (sentence: Sentence) => string {
  const text = useText(part);
  const format = useFormat();
  return ({ key, values }) => {
    const { until, since, seconds } = values;
    const isTime = typeof until === 'string' && until !== 'none';
    return text(key as Parameters<typeof text>[0], {
      ...values,
      ...(isTime && { until: format.time(new Date(until)) }),
      ...(typeof since === 'string' && { since: format.dateTime(new Date(since)) }),
      ...(typeof seconds === 'number' && { time: format.duration(seconds * 1_000) }),
    });
  };
}

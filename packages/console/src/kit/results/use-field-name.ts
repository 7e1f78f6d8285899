import { type FieldPlace, fieldName } from '@switchyard/contract/dispatch/field-name';
import { useText } from '../../lib/i18n.ts';

/** Names the fields of forms and the values of recipes, with the words for common inputs in the language of the page. */
export function useFieldName(): (place: FieldPlace, options?: { alone?: boolean }) => string {
  const text = useText('results');
  return (place, { alone = false } = {}) =>
    fieldName(place, { alone, wordOf: (word) => text(`word.${word}`) });
}

import type { FieldPlace } from '@switchyard/contract/dispatch/field-name';
import type { RecipeDifference } from '@switchyard/contract/dispatch/recipe';
import { useText } from '../../lib/i18n.ts';
import { useFieldName } from './use-field-name.ts';

type Place = Pick<RecipeDifference['differences'][number], 'path'> & FieldPlace;

const wordsOfPlaces: Readonly<Record<string, string>> = {
  source: 'source',
  'worker.name': 'worker',
  'worker.instanceId': 'instance',
  'worker.version': 'workerVersion',
  'savedWorkflow.workflowId': 'workflow',
  'savedWorkflow.version': 'version',
};

/** Words for the places of a recipe and for its values, in place of the ids of nodes. */
export function useRecipeWords() {
  const text = useText('results');
  const nameOf = useFieldName();
  return {
    nameOf,
    placeOf: ({ path, ...named }: Place): string => {
      if (named.title !== null) {
        return named.input === null && named.label === null
          ? text('word.node', { title: named.title })
          : nameOf(named);
      }
      const word = wordsOfPlaces[path];
      return word === undefined ? path : text(`word.${word}`);
    },
    valueOf: (value: unknown): string => {
      if (value === null || value === undefined) return '—';
      if (typeof value === 'string')
        return value.startsWith('sha256:') ? text('word.file', { id: value.slice(7, 15) }) : value;
      if (typeof value === 'boolean') return text(value ? 'word.yes' : 'word.no');
      if (Array.isArray(value)) return text('word.link', { node: String(value[0]) });
      return JSON.stringify(value);
    },
  };
}

import type { RecipeDifference, RecipeValue } from '@switchyard/contract/dispatch/recipe';
import { useText } from '../../lib/i18n.ts';

type Named = Pick<RecipeValue, 'title' | 'label' | 'input'>;
type Place = Pick<RecipeDifference['differences'][number], 'path'> & Named;

/** The inputs that have a word of their own; the others are shown as the node calls them. */
const wordsOfInputs: Readonly<Record<string, string>> = {
  text: 'prompt',
  prompt: 'prompt',
  seed: 'seed',
  noise_seed: 'seed',
  steps: 'steps',
  cfg: 'cfg',
  denoise: 'denoise',
  sampler_name: 'sampler',
  scheduler: 'scheduler',
  width: 'width',
  height: 'height',
  ckpt_name: 'model',
  unet_name: 'model',
  model_name: 'model',
  lora_name: 'lora',
  vae_name: 'vae',
  image: 'picture',
  filename_prefix: 'filename',
};
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
  const inputOf = (input: string) => {
    const word = wordsOfInputs[input];
    return word === undefined ? sentenceCase(input) : text(`word.${word}`);
  };
  /** The label of the form, or the node and its input. A word that stands for the whole node needs no title. */
  const nameOf = ({ title, label, input }: Named, { alone = false } = {}): string => {
    if (label !== null) return label;
    if (input === null) return title ?? '';
    const word = inputOf(input);
    return alone || title === null ? word : `${title}: ${word}`;
  };
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

function sentenceCase(input: string): string {
  const words = input.replace(/[_.]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The inputs of nodes that have a word of their own, which pages show in the language of the reader. */
const wordsOfInputs = {
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
  batch_size: 'batch',
  length: 'length',
  color: 'color',
  guidance: 'guidance',
  ckpt_name: 'model',
  unet_name: 'model',
  model_name: 'model',
  lora_name: 'lora',
  vae_name: 'vae',
  image: 'picture',
  filename_prefix: 'filename',
} as const;
export type InputWord = (typeof wordsOfInputs)[keyof typeof wordsOfInputs];

export const inputWords: Readonly<Record<InputWord, string>> = {
  prompt: 'Prompt',
  seed: 'Seed',
  steps: 'Steps',
  cfg: 'CFG',
  denoise: 'Strength',
  sampler: 'Sampler',
  scheduler: 'Scheduler',
  width: 'Width',
  height: 'Height',
  batch: 'Batch size',
  length: 'Length',
  color: 'Color',
  guidance: 'Guidance',
  model: 'Model',
  lora: 'LoRA',
  vae: 'VAE',
  picture: 'Picture',
  filename: 'File name',
};

export interface FieldPlace {
  /** The title of the node, or its class. */
  title: string | null;
  /** The name that a person gave. */
  label: string | null;
  input: string | null;
}

/**
 * Returns the name of a field of a form or of a value of a recipe: the one that a person gave, otherwise the node and its input in
 * words. An input without a word of its own keeps its name, as "Blur radius" for `blur_radius`, in every language.
 */
export function fieldName(
  { title, label, input }: FieldPlace,
  {
    alone = false,
    wordOf = (word) => inputWords[word],
  }: {
    /** Leaves out the node, where no other field has the input. */
    alone?: boolean;
    wordOf?: (word: InputWord) => string;
  } = {},
): string {
  if (label !== null) return label;
  if (input === null) return title ?? '';
  const known = Object.hasOwn(wordsOfInputs, input)
    ? wordsOfInputs[input as keyof typeof wordsOfInputs]
    : null;
  const name = known === null ? sentenceCase(input) : wordOf(known);
  return alone || title === null || title === name ? name : `${title}: ${name}`;
}

/** Returns the label that a person gave a field; null for one that was made from its node and input, now or by an earlier version. */
export function writtenLabel({
  label,
  placeholder,
  sets: [first],
}: {
  label: string;
  placeholder: string | null;
  sets: readonly { title: string; input: string }[];
}): string | null {
  if (placeholder !== null || first === undefined) return label;
  const { title, input } = first;
  const made = [
    input,
    `${title}: ${input}`,
    ...[true, false].map((alone) => fieldName({ title, label: null, input }, { alone })),
  ];
  return made.includes(label) ? null : label;
}

function sentenceCase(input: string): string {
  const words = input.replace(/[_.]+/g, ' ').trim();
  return words === '' ? input : words.charAt(0).toUpperCase() + words.slice(1);
}

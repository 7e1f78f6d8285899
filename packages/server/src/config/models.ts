import { type Static, Type } from 'typebox';
import {
  anyKeys,
  type EntrySection,
  flag,
  inner,
  number,
  orNull,
  readEntries,
  required,
  text,
  withDefault,
} from './entries.ts';

/** The price of a million tokens of a model. */
interface ModelPricing {
  input_per_million: number;
  output_per_million: number;
  /** The price of input that the provider has read before; null means the price of other input. */
  input_cache_hit_per_million: number | null;
  /** A currency code of three letters, as in ISO 4217. */
  currency: string;
}

const price = number({ minimum: 0, maximum: 1_000_000 });
const currency = text(/^[A-Z]{3}$/, 'must be three capital letters');
const options = withDefault({} as Options, anyKeys("must hold keys of the provider's own"));

/** The keys of an entry of `models`. */
const modelSchema = Type.Object({
  /** The name that runs use. */
  name: required(
    text(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/, 'must be a name of letters, digits and . _ : / -'),
    'runs choose a model by it',
  ),
  /** `openai`, `anthropic`, or a LangChain package, with `:Class` if it has several chat models. */
  provider: withDefault(
    'openai',
    text(
      /^(@[a-z0-9-]+\/)?[a-z0-9][a-z0-9._-]*(:[A-Za-z_$][\w$]*)?$/,
      'must be openai, anthropic, or a package name, with :Class where it has several',
    ),
  ),
  /** The provider's name for the model; null means that it is the same. */
  model: text(/\S/, 'must be text'),
  base_url: text(/^https?:\/\/[^\s@]+$/, 'must be an http or https address without a user'),
  api_key: text(/\S/, 'must be text'),
  display_name: text(/\S/, 'must be text'),
  description: text(/\S/, 'must be text'),
  supports_thinking: withDefault(false, flag),
  supports_reasoning_effort: withDefault(false, flag),
  supports_vision: withDefault(false, flag),
  max_tokens: number({ minimum: 1, isWhole: true }),
  temperature: number({ minimum: 0, maximum: 2 }),
  /** Maximum number of tokens in one request. Older messages are summarised before it is reached. */
  context_window: number({ minimum: 1_000, isWhole: true }),
  /** Both prices must be set, or neither: half of a cost would look like the whole. Null means unknown, which is not free. */
  pricing: inner<ModelPricing>(
    {
      input_per_million: price,
      output_per_million: price,
      input_cache_hit_per_million: orNull(price),
      currency: withDefault('USD', currency),
    },
    'must hold the prices input_per_million and output_per_million, and may hold input_cache_hit_per_million and currency, three capital letters',
  ),
  /** The model that is asked when this one fails. */
  fallback: text(/\S/, 'must be the name of another model'),
  /** Passed to the provider's class unchanged. */
  options,
  when_thinking_enabled: options,
  when_thinking_disabled: options,
});

/** One entry of `models`. */
export type ModelConfig = Omit<Static<typeof modelSchema>, 'model'> & { model: string };
type Options = Readonly<EntrySection>;

/** A list of models, or a map from their names. Throws a RangeError that says which entry and key, and never a value. */
export function readModels(data: unknown): ModelConfig[] {
  const entries = readEntries(data, { what: 'models', maxEntries: 100, schema: modelSchema });
  const models = entries.map((entry) => ({ ...entry, model: entry.model ?? entry.name }));
  for (const { name, fallback } of models) {
    if (fallback === null || models.some((other) => other.name === fallback)) continue;
    throw new RangeError(`has no model "${fallback}", which is the fallback of "${name}"`);
  }
  return models;
}

/** Shows secrets as `***`. Options may hold keys too, so only their names are shown. */
export function maskedModels(models: readonly ModelConfig[]): object[] {
  return models.map((model) => {
    const options = maskedOptions(model);
    const shown = { ...model, ...options, api_key: model.api_key === null ? null : '***' };
    return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== null));
  });
}

function maskedOptions({ options, when_thinking_enabled, when_thinking_disabled }: ModelConfig) {
  const mask = (values: Options): Options =>
    Object.fromEntries(Object.keys(values).map((name) => [name, '***']));
  return {
    options: mask(options),
    when_thinking_enabled: mask(when_thinking_enabled),
    when_thinking_disabled: mask(when_thinking_disabled),
  };
}

import { isRecord } from '../lib/is-record.ts';
import {
  entriesOf,
  flag,
  number,
  type Reader,
  Refusal,
  readerOf,
  type Section,
  section,
  text,
} from './entries.ts';
import { type ModelPricing, readPricing } from './model-pricing.ts';

/** One entry of `models`, as the file writes it. */
export interface ModelConfig {
  /** The name that runs use. */
  name: string;
  /** `openai`, `anthropic`, or a LangChain package, with `:Class` if it has several chat models. */
  provider: string;
  /** The provider's name for the model. */
  model: string;
  base_url: string | null;
  api_key: string | null;
  display_name: string | null;
  description: string | null;
  supports_thinking: boolean;
  supports_reasoning_effort: boolean;
  supports_vision: boolean;
  max_tokens: number | null;
  temperature: number | null;
  /** Maximum number of tokens in one request. Older messages are summarised before it is reached. */
  context_window: number | null;
  /** Null means that the price is unknown, which is not the same as free. */
  pricing: ModelPricing | null;
  /** The model that is asked when this one fails. */
  fallback: string | null;
  /** Passed to the provider's class unchanged. */
  options: Options;
  when_thinking_enabled: Options;
  when_thinking_disabled: Options;
}
type Options = Readonly<Section>;

const maxModels = 100;

/** A list of models, or a map from their names. Throws a RangeError that says which entry and key, and never a value. */
export function readModels(data: unknown): ModelConfig[] {
  const entries = entriesOf(data, 'models');
  if (entries.length > maxModels)
    throw new RangeError(`has ${entries.length} entries; ${maxModels} are the limit`);
  const models = entries.map(([place, entry]) => readModel(place, section(place, entry, readers)));
  const names = models.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new RangeError(`has two models of the name "${twice}"`);
  for (const { name, fallback } of models) {
    if (fallback === null || names.includes(fallback)) continue;
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

const readers: { [Key in keyof ModelConfig]: Reader<ModelConfig[Key]> } = {
  name: text(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/, 'must be a name of letters, digits and . _ : / -'),
  provider: text(
    /^(@[a-z0-9-]+\/)?[a-z0-9][a-z0-9._-]*(:[A-Za-z_$][\w$]*)?$/,
    'must be openai, anthropic, or a package name, with :Class where it has several',
  ),
  model: text(/\S/, 'must be text'),
  base_url: text(/^https?:\/\/[^\s@]+$/, 'must be an http or https address without a user'),
  api_key: text(/\S/, 'must be text'),
  display_name: text(/\S/, 'must be text'),
  description: text(/\S/, 'must be text'),
  supports_thinking: flag,
  supports_reasoning_effort: flag,
  supports_vision: flag,
  max_tokens: number({ minimum: 1, isWhole: true }),
  temperature: number({ minimum: 0, maximum: 2 }),
  context_window: number({ minimum: 1_000, isWhole: true }),
  pricing: readPricing,
  fallback: text(/\S/, 'must be the name of another model'),
  options,
  when_thinking_enabled: options,
  when_thinking_disabled: options,
};

function readModel(place: string, entry: Section): ModelConfig {
  const read = readerOf<ModelConfig>(readers, { place, entry });
  const name = read('name');
  if (name === null) throw new RangeError(`${place}.name is missing; runs choose a model by it`);
  return {
    name,
    provider: read('provider') ?? 'openai',
    model: read('model') ?? name,
    base_url: read('base_url'),
    api_key: read('api_key'),
    display_name: read('display_name'),
    description: read('description'),
    supports_thinking: read('supports_thinking') ?? false,
    supports_reasoning_effort: read('supports_reasoning_effort') ?? false,
    supports_vision: read('supports_vision') ?? false,
    max_tokens: read('max_tokens'),
    temperature: read('temperature'),
    context_window: read('context_window'),
    pricing: read('pricing'),
    fallback: read('fallback'),
    options: read('options') ?? {},
    when_thinking_enabled: read('when_thinking_enabled') ?? {},
    when_thinking_disabled: read('when_thinking_disabled') ?? {},
  };
}

function options(value: unknown): Options | Refusal {
  return isRecord(value) ? value : new Refusal("must hold keys of the provider's own");
}

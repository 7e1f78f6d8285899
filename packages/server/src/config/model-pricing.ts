import { isRecord } from '../lib/is-record.ts';
import { number, Refusal } from './entries.ts';

/** The price of a million tokens of a model. */
export interface ModelPricing {
  input_per_million: number;
  output_per_million: number;
  /** The price of input that the provider has read before; null means the price of other input. */
  input_cache_hit_per_million: number | null;
  /** A currency code of three letters, as in ISO 4217. */
  currency: string;
}

const usualCurrency = 'USD';
const price = number({ minimum: 0, maximum: 1_000_000 });
const rule =
  'must hold the prices input_per_million and output_per_million, and may hold input_cache_hit_per_million and currency, three capital letters';

/** Both prices must be set, or neither: half of a cost would look like the whole cost. */
export function readPricing(value: unknown): ModelPricing | Refusal {
  if (!isRecord(value)) return new Refusal(rule);
  const { input_per_million, output_per_million, input_cache_hit_per_million = null, ...rest } = value;
  const { currency = usualCurrency, ...unknown } = rest;
  const [input, output] = [price(input_per_million), price(output_per_million)];
  const cached = input_cache_hit_per_million === null ? null : price(input_cache_hit_per_million);
  const isCurrency = typeof currency === 'string' && /^[A-Z]{3}$/.test(currency);
  if (input instanceof Refusal || output instanceof Refusal || cached instanceof Refusal) {
    return new Refusal(rule);
  }
  if (!isCurrency || Object.keys(unknown).length > 0) return new Refusal(rule);
  return {
    input_per_million: input,
    output_per_million: output,
    input_cache_hit_per_million: cached,
    currency,
  };
}

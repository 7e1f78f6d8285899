import type { ModelConfig } from '../../config/models.ts';

type Priced = Pick<ModelConfig, 'name' | 'model' | 'pricing'>;
type Pricing = NonNullable<ModelConfig['pricing']>;

export interface UsedTokens {
  tokens: number;
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
}

/** A sum of money, or null where it is not known or would mix currencies. */
export interface Cost {
  cost: number | null;
  currency: string | null;
}

/** What the configured models cost, by the name under which a call is counted. */
export class ModelPrices {
  /** That of all prices, where they have one. */
  readonly currency: string | null;
  readonly #models: readonly Priced[];

  constructor(models: readonly Priced[]) {
    this.#models = models;
    const currencies = new Set(models.flatMap(({ pricing }) => (pricing ? [pricing.currency] : [])));
    const [only = null] = currencies.size === 1 ? currencies : [];
    this.currency = only;
  }

  /** By the name of the configuration, else by the provider's where all that have it agree. */
  of(model: string): Pricing | null {
    const named = this.#models.find(({ name }) => name === model);
    if (named) return named.pricing;
    const [first, ...others] = this.#models.filter((each) => each.model === model);
    const isAgreed = others.every(
      ({ pricing }) => JSON.stringify(pricing) === JSON.stringify(first?.pricing),
    );
    return isAgreed ? (first?.pricing ?? null) : null;
  }

  newSum(): CostSum {
    return new CostSum(this);
  }
}

/** Adds up what calls cost. What has no price is counted as such and never as nothing. */
export class CostSum {
  readonly #prices: ModelPrices;
  readonly #amounts = new Map<string, number>();
  #unpricedTokens = 0;

  constructor(prices: ModelPrices) {
    this.#prices = prices;
  }

  add(model: string, used: UsedTokens): void {
    if (used.tokens === 0) return;
    const pricing = this.#prices.of(model);
    // A provider that tells the total alone leaves open what of it was input.
    if (!pricing || used.input_tokens + used.output_tokens === 0) {
      this.#unpricedTokens += used.tokens;
      return;
    }
    const { currency } = pricing;
    this.#amounts.set(currency, (this.#amounts.get(currency) ?? 0) + amountOf(pricing, used));
  }

  /** Null as soon as a part of it is not known: half of a cost would look like all of it. */
  total(): Cost {
    if (this.#unpricedTokens > 0 || this.#amounts.size > 1) return { cost: null, currency: null };
    const [[currency, amount] = [this.#prices.currency, 0]] = this.#amounts;
    return { cost: currency === null ? null : rounded(amount), currency };
  }

  get unpricedTokens(): number {
    return this.#unpricedTokens;
  }

  /** What is known of it, by currency. */
  amounts(): Record<string, number> {
    return Object.fromEntries([...this.#amounts].map(([currency, amount]) => [currency, rounded(amount)]));
  }
}

/** Cached input is part of the input, at a price of its own where it has one. */
function amountOf(pricing: Pricing, { input_tokens, output_tokens, cache_read_tokens }: UsedTokens): number {
  const cached = Math.min(cache_read_tokens, input_tokens);
  const cachedPrice = pricing.input_cache_hit_per_million ?? pricing.input_per_million;
  const perMillion =
    (input_tokens - cached) * pricing.input_per_million +
    cached * cachedPrice +
    output_tokens * pricing.output_per_million;
  return perMillion / 1_000_000;
}

/** Beyond that there is only what floating point leaves over. */
function rounded(amount: number): number {
  return Math.round(amount * 1e9) / 1e9;
}
